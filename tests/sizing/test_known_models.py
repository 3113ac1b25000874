"""Models beside the golden ones: geometry of their published configs, bytes worked out by hand.

``data/known_models.json`` names whose config.json it is; each figure is written as the sum of
products that it is, with two bytes an element, four in a recurrent state.
"""

import json
import math
from pathlib import Path

import pytest
from configs import read

from kvviz.sizing.answer import ask
from kvviz.sizing.config import read_config
from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.errors import InputError
from kvviz.sizing.policy import MlaLayout
from kvviz.sizing.question import Question

MODELS = json.loads((Path(__file__).parents[1] / "data" / "known_models.json").read_text())
REFUSED = ("baichuan_m1", "phi3small", "bailing_moe_linear", "smallthinker", "plamo2", "yoco",
           "phi4flash", "jetmoe", "rwkv", "deepseek_v4", "bert")  # fmt: skip


def worked_out(text):
    return sum(math.prod(map(int, product.split("*"))) for product in text.split(" + "))


def question(tokens, source_tokens=None, mla="latent", kv=None):
    kind = kv and parse_element_type(kv)
    return Question(
        tokens=tokens, source_tokens=source_tokens, mla=MlaLayout(mla), k_type=kind, v_type=kind
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model["source"])
def test_the_bytes_of_a_known_model(model):
    answer = ask(read_config(model["config"], model["source"]), question(**model["question"]))

    assert answer.size.total_bytes == worked_out(model["bytes"])
    assert not any("not read" in warning for warning in answer.warnings)


@pytest.mark.parametrize("model_type", REFUSED)
def test_an_architecture_that_is_not_sized_is_refused_by_name(model_type):
    with pytest.raises(InputError, match=f"model_type '{model_type}'"):
        read(model_type=model_type)


def test_a_key_that_sounds_as_if_it_changed_the_cache_is_never_passed_over_in_silence():
    for key in ("kv_merge_every", "key_window", "latent_rank", "value_compression"):
        warnings = read(**{key: 4}).warnings
        assert warnings == (f"{key} is not read: if it changes what is kept, this answer is wrong",)
    assert "\n" not in read(**{"kv_\x1b[31m\n": 4}).warnings[0]
    assert read(kv_merge_every=None, key_window=0, q_lora_rank=8).warnings == ()


def test_the_period_that_transformers_writes_with_an_underscore():
    found = read(
        model_type="gemma3_text", _sliding_window_pattern=2, layer_types=None, sliding_window=8
    )

    assert found.windows == (8, 0, 8, 0)
