import pytest
from engine_runs import config_of

from kvviz.engine.load import load_model
from kvviz.engine.model_slot import ModelSlot
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind


def test_another_layout_or_prompt_is_the_same_model():
    slot = ModelSlot(load_model)
    model = slot.get(config_of())
    other = config_of(LayoutKind.NONE, prompt_ids=(1,), batch=2)
    assert slot.holds(other)
    assert slot.get(other) is model


@pytest.mark.parametrize("other", [config_of(seed=1), config_of(dtype=DType.BFLOAT16)])
def test_another_seed_or_dtype_is_another_model(other):
    slot = ModelSlot(load_model)
    model = slot.get(config_of())
    assert not slot.holds(other)
    assert slot.get(other) is not model
    assert slot.weight_bytes == other.cost.weights


def test_a_load_that_fails_leaves_the_slot_empty():
    calls = []

    def load(*args):
        calls.append(None)
        if len(calls) == 2:
            raise MemoryError
        return load_model(*args)

    slot = ModelSlot(load)
    slot.get(config_of())
    with pytest.raises(MemoryError):
        slot.get(config_of(seed=1))
    assert slot.weight_bytes == 0
    assert not slot.holds(config_of())
    slot.get(config_of())
    assert slot.holds(config_of())
