import pytest

from kvviz.sizing.dtypes import DType, parse_dtype
from kvviz.sizing.errors import InputError


@pytest.mark.parametrize("dtype", list(DType))
def test_a_dtype_is_found_by_its_name_and_its_short_one(dtype):
    assert parse_dtype(dtype.value) is parse_dtype(dtype.short) is dtype
    assert parse_dtype(f" {dtype.value.upper()} ") is dtype


@pytest.mark.parametrize(("alias", "dtype"), [("f32", DType.FLOAT32), ("f16", DType.FLOAT16)])
def test_aliases_are_understood(alias, dtype):
    assert parse_dtype(alias) is dtype


@pytest.mark.parametrize("text", ["", "int3", "float", "float32 "[::-1]])
def test_another_name_is_refused_with_those_that_are_known(text):
    with pytest.raises(InputError, match="float64, float32, bfloat16, float16"):
        parse_dtype(text)
