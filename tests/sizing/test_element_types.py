import pytest

from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.errors import InputError


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("f32", 32), ("FP16", 16), ("half", 16), ("bf16", 16), ("fp8", 8), ("fp8_e5m2", 8),
        ("float8_e4m3fn", 8), ("q8_0", 8.5), ("q5_1", 6), ("q5_0", 5.5), ("q4_1", 5),
        ("q4_0", 4.5), ("iq4_nl", 4.5), ("int8:32", 8.5), ("int8", 8.25), ("int4:64", 4.25),
        ("int4:128", 4.125),
    ],
)  # fmt: skip
def test_bits_of_an_element_with_its_scales(name, bits):
    found = parse_element_type(f" {name} ")

    assert found.row_bytes(found.block * 1024, "a row") * 8 == bits * found.block * 1024
    assert float(found.bits_text) == bits


@pytest.mark.parametrize("name", ["", "int3", "int8:", "int8:0", "int4:7", "int8:9999", "q9_0"])
def test_other_types_are_refused(name):
    with pytest.raises(InputError, match=r"is not known|is not possible"):
        parse_element_type(name)
