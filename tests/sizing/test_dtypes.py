import pytest
import torch

from kvviz.sizing.dtypes import ALIASES, DType, parse_dtype
from kvviz.sizing.errors import InputError


@pytest.mark.parametrize("dtype", DType)
def test_bits_are_those_that_torch_stores(dtype):
    assert dtype.bits == 8 * torch.empty(1, dtype=getattr(torch, dtype)).element_size()


@pytest.mark.parametrize("dtype", DType)
def test_every_name_is_parsed_and_every_short_one(dtype):
    assert parse_dtype(dtype.value) is dtype
    assert parse_dtype(dtype.short) is dtype
    assert parse_dtype(f"  {dtype.value.upper()} ") is dtype


@pytest.mark.parametrize(("alias", "dtype"), ALIASES.items())
def test_aliases_end_in_the_bits_they_stand_for(alias, dtype):
    assert parse_dtype(alias) is dtype
    assert alias.endswith(str(dtype.bits))


@pytest.mark.parametrize("text", ["", "float", "float33", "int8"])
def test_another_name_is_refused_with_those_there_are(text):
    with pytest.raises(InputError, match="choose one of float64, float32, bfloat16, float16"):
        parse_dtype(text)
