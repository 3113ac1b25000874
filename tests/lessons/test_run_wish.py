import pytest
from pydantic import ValidationError

from kvviz.lessons.run_wish import RunWish
from kvviz.session.presets import PRESETS
from kvviz.session.settings import Settings
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind

BUILT_IN = Settings().with_model(
    ModelChoice(ModelSpec(ModelShape(6), ModelSource.BUILT_IN), TokenizerKind.FILE)
)


def test_nothing_said_is_the_usual():
    assert RunWish().settings(BUILT_IN) == BUILT_IN


def test_what_is_said_is_set():
    wish = RunWish(
        prompt="Hello", layout="concat", dtype="bf16", batch=2, max_seq_len=32, max_new_tokens=4
    )
    settings = wish.settings(BUILT_IN)
    assert settings.model is BUILT_IN.model
    assert (settings.prompt, settings.layout) == ("Hello", LayoutKind.CONCAT)
    assert (settings.dtype, settings.batch) == (DType.BFLOAT16, 2)


def test_a_shape_of_its_own_is_random_weights():
    settings = RunWish(num_heads=8, num_kv_heads=4, positions="none").settings(BUILT_IN)
    assert settings.model is None
    assert (settings.num_heads, settings.num_kv_heads) == (8, 4)
    assert settings.positions is Positions.NONE


def test_random_weights_may_be_asked_for():
    choice = RunWish(model="random").settings(BUILT_IN).choice
    assert choice.spec.source is ModelSource.RANDOM
    assert choice.spec.shape.vocab_size == 256
    assert choice.tokenizer is TokenizerKind.BYTES


def test_more_prompts_are_a_batch_of_their_own():
    settings = RunWish(prompt="Hello", more_prompts="Good day\nHi").settings(BUILT_IN)
    assert settings.prompts == ("Hello", "Good day", "Hi")
    assert settings.sequences == 3


def test_a_preset_gives_prompt_and_lengths():
    chat = PRESETS[-1]
    settings = RunWish(preset=chat.name, max_new_tokens=9).settings(BUILT_IN)
    assert settings.prompt == chat.prompt
    assert settings.max_new_tokens == 9


@pytest.mark.parametrize(
    "fields",
    [{"preset": "Longest"}, {"dtype": "float7"}, {"prompt": ""}, {"colour": 1}, {"model": "best"}],
)
def test_what_does_not_exist_is_refused(fields):
    with pytest.raises(ValidationError):
        RunWish(**fields)
