import pytest
import torch

from kvviz.engine.failure import describe, is_out_of_memory
from kvviz.sizing.errors import InputError


def failed(error):
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001 - every kind is described
        return describe(1, caught, "at step 4")


def test_an_input_error_is_its_own_sentence():
    event = failed(InputError("Too big: make it smaller."))
    assert (event.message, event.detail) == ("Too big: make it smaller.", "")


def test_another_error_is_named_in_one_line_with_its_traceback_beside_it():
    event = failed(ValueError("first\nsecond"))
    assert event.message == "The run stopped at step 4, ValueError: first second"
    assert event.detail.startswith("Traceback")
    assert "first\nsecond" in event.detail


def test_an_error_without_a_text_says_so():
    assert failed(ValueError()).message.endswith("ValueError: no reason given")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (torch.OutOfMemoryError("CUDA out of memory."), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried"), True),
        (RuntimeError("MPS backend out of memory"), True),
        (RuntimeError("size mismatch"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_what_counts_as_out_of_memory(error, expected):
    assert is_out_of_memory(error) is expected


def test_what_torch_really_raises_on_too_large_a_tensor_is_out_of_memory():
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60)
    assert is_out_of_memory(caught.value)
