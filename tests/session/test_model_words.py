from dataclasses import replace

import pytest

from kvviz.session.model_words import context_note, heads_line, model_line, parameters_text
from kvviz.session.settings import Settings
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec

SPEC = ModelSpec(ModelShape(6, 6, 2, parameters=2_750_000, context=512), ModelSource.BUILT_IN)


@pytest.mark.parametrize(
    ("number", "text"),
    [(857, "857"), (12_345, "12.3 k"), (2_750_000, "2.75 M"), (134_500_000, "135 M"),
     (8_030_261_248, "8.03 B"), (1_040_000_000_000, "1.04 T")],
)  # fmt: skip
def test_parameters_in_three_figures(number, text):
    assert parameters_text(number) == text


def test_a_model_in_a_line():
    assert model_line(SPEC) == "tiny stories · 2.75 M parameters · context 512"
    assert heads_line(SPEC) == "6 layers · GQA 6/2"
    assert heads_line(ModelSpec(ModelShape(1))) == "1 layer · MHA 4/4"


def test_beyond_its_training_a_models_text_degrades_and_that_is_said():
    settings = replace(Settings(), max_new_tokens=500).with_model(ModelChoice(SPEC))
    assert context_note(settings, 12) == ""
    assert "512" in context_note(settings, 13)
    assert context_note(settings.with_random_weights(), 13) == ""
