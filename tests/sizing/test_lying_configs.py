"""A config that contradicts itself is refused, or its weights are not known: it breaks nothing."""

from copy import deepcopy

import pytest
from configs import config, read

from kvviz.sizing.answer import ask
from kvviz.sizing.errors import InputError
from kvviz.sizing.parameters import count_active, count_parameters
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question

PRESETS = {preset.read().model_type: preset for preset in load_presets().by_name.values()}


def places(inside, path=()):
    """Every key and item of a config, as the way to it; of a list the first two items."""
    for key in inside if isinstance(inside, dict) else range(min(2, len(inside))):
        yield (*path, key)
        if isinstance(inside[key], dict | list):
            yield from places(inside[key], (*path, key))


def lies(raw):
    """A config with another value at one of its places, in turn."""
    for *way, last in places(raw):
        changed = deepcopy(raw)
        inside = changed
        for key in way:
            inside = inside[key]
        value = inside[last]
        for wrong in (None, [], {}, 3, value[:-1] if isinstance(value, list) else "x"):
            inside[last] = wrong
            yield changed


def sized(raw):
    """Ask all that is asked of a config; return whether it was answered."""
    try:
        model = read(raw)
        count_parameters(raw, model, "config.json")
        count_active(raw, model, "config.json")
        ask(model, Question())
    except InputError:
        return False
    return True


@pytest.mark.parametrize("model_type", sorted(PRESETS))
def test_whatever_a_config_says_is_sized_or_refused(model_type):
    said = {sized(lie) for lie in lies(dict(PRESETS[model_type].config))}
    assert said == {True, False}


def test_a_list_where_a_layers_kind_belongs():
    assert not sized(config(model_type="nemotron_h", layers_block_type=[[]] * 4))


def test_a_layer_that_changes_nothing_may_be_null():
    gemma = config(model_type="gemma4_text", head_dim=16, sliding_window=8)
    assert sized(gemma | {"per_layer_config": {"1": None}, "hidden_size_per_layer_input": 8})
