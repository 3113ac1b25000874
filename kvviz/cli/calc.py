"""``kvviz calc``."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Any, NamedTuple

from kvviz.sizing.answer import Answer, ask
from kvviz.sizing.answer_report import answer_report
from kvviz.sizing.answer_words import markdown
from kvviz.sizing.config import ModelConfig, plain_config, read_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.json_file import SIZE_LIMIT, parse_json_object, read_json_object
from kvviz.sizing.parameters import count_active, count_parameters
from kvviz.sizing.policy import Engine, MambaCache, MlaLayout, Windows
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question
from kvviz.sizing.stored_weights import Stored, stored_weights
from kvviz.sizing.weights_index import read_weight_bytes

NUMBERS = ("layers", "kv_heads", "head_dim")


def calc(options: Namespace) -> int:
    """Print what a model's cache takes; return the exit code."""
    if options.presets:
        return _list_presets(options.config or "", as_json=options.json)
    model = _model(options)
    name, answer = model.name, ask(model.config, _question(options, model))
    if options.json:
        print(json.dumps(answer_report(answer), allow_nan=False))
    elif options.markdown:
        print(markdown(answer, name))
    else:
        _print_for_people(answer, name)
    return 0


def _print_for_people(answer: Answer, name: str) -> None:
    from kvviz.cli.calc_text import print_answer

    print_answer(answer, name)


def _list_presets(word: str, *, as_json: bool) -> int:
    presets = load_presets()
    wanted = [p for name, p in presets.by_name.items() if word.lower() in name]
    found = [{"name": p.name, "source": p.source} for p in wanted]
    print(json.dumps(found) if as_json else "\n".join(preset["name"] for preset in found))
    for problem in presets.problems:
        print(f"kvviz: {problem}", file=sys.stderr)
    return 0


class Model(NamedTuple):
    """A model's name, geometry and, where known, its weights: all, of one token, as stored."""

    name: str
    config: ModelConfig
    parameters: int | None = None
    active: int | None = None
    stored: Stored | None = None


def _model(options: Namespace) -> Model:
    numbers = [getattr(options, name) for name in NUMBERS]
    if any(number is not None for number in numbers):
        return _from_numbers(options, numbers)
    place = options.config
    if place is None:
        raise InputError(
            "Which model? Give a config.json, a preset (kvviz calc --presets lists them), or "
            "--layers, --kv-heads and --head-dim."
        )
    if place == "-":
        data = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        return _from_object("standard input", parse_json_object(data, "standard input"))
    if os.path.exists(place) or os.sep in place or place.endswith(".json"):
        path = config_path(place)
        return _from_object(path, read_json_object(path))
    preset = load_presets().find(place)
    found = _from_object(preset.name, preset.config)
    return found._replace(parameters=found.parameters or preset.parameters)


def _from_object(name: str, config: Mapping[str, Any]) -> Model:
    model = read_config(config, name)
    return Model(
        name,
        model,
        count_parameters(config, model, name),
        count_active(config, model, name),
        stored_weights(config, model, name),
    )


def _from_numbers(options: Namespace, numbers: list[int | None]) -> Model:
    if options.config is not None:
        raise InputError("A config and bare numbers are two models: give one of them.")
    layers, kv_heads, head_dim = numbers
    if layers is None or kv_heads is None or head_dim is None:
        raise InputError("Bare numbers need all of --layers, --kv-heads and --head-dim.")
    return Model("typed numbers", plain_config(layers, kv_heads, head_dim))


def config_path(place: str) -> str:
    """Return the config.json of a folder, or the file itself; raise InputError without one."""
    if not os.path.isdir(place):
        return place
    path = os.path.join(place, "config.json")
    if not os.path.exists(path):
        found = ", ".join(sorted(os.listdir(place))[:5]) or "nothing"
        raise InputError(f"There is no config.json in {place}, which has {found}: choose another.")
    return path


def _question(options: Namespace, model: Model) -> Question:
    # A typed number of weights is of another model, or of other weights of this one.
    stored = model.stored if options.parameters is None and model.stored else (None, None)
    return Question(
        tokens=options.tokens,
        sequences=options.sequences,
        source_tokens=options.source_tokens,
        k_type=options.k_dtype or options.kv_dtype,
        v_type=options.v_dtype or options.kv_dtype,
        state_type=options.state_dtype,
        engine=Engine(options.engine),
        windows=Windows(options.windows),
        mla=MlaLayout(options.mla),
        block_size=options.block_size,
        slots=options.slots,
        kv_unified=options.kv_unified,
        mamba_cache=MambaCache(options.mamba_cache_mode),
        ubatch=options.ubatch,
        batched_tokens=options.batched_tokens,
        max_model_len=options.max_model_len,
        speculative=options.speculative,
        tp=options.tp,
        memory=options.memory,
        cache_memory=options.cache_memory,
        allowance=options.allowance,
        weights_type=options.weights_dtype,
        parameters=model.parameters if options.parameters is None else options.parameters,
        active=model.active,
        hardware=options.hardware,
        weight_bytes=read_weight_bytes(options.index) if options.index else stored[0],
        active_bytes=stored[1],
    )
