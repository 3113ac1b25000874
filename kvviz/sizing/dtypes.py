"""Element types by their bits."""

from enum import StrEnum

from kvviz.sizing.errors import InputError


class DType(StrEnum):
    """How one element is stored; the value is the name on screen and in JSON."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT8_E4M3 = "float8_e4m3"  # of a cache only: nothing computes in it

    @property
    def bits(self) -> int:
        """Bits of one element."""
        return {"float64": 64, "float32": 32, "float8_e4m3": 8}.get(self.value, 16)

    @property
    def short(self) -> str:
        """The name a button has room for."""
        return {"float8_e4m3": "fp8", "bfloat16": "bf16"}.get(self, self.replace("float", "fp"))


COMPUTING = tuple(dtype for dtype in DType if dtype is not DType.FLOAT8_E4M3)
"""What a model can run in; the others are for what is stored."""

ALIASES = {
    "fp64": DType.FLOAT64,
    "f64": DType.FLOAT64,
    "fp32": DType.FLOAT32,
    "f32": DType.FLOAT32,
    "bf16": DType.BFLOAT16,
    "fp16": DType.FLOAT16,
    "f16": DType.FLOAT16,
    "fp8": DType.FLOAT8_E4M3,
    "f8": DType.FLOAT8_E4M3,
    "float8": DType.FLOAT8_E4M3,
}


def parse_dtype(text: str) -> DType:
    """Return the dtype that ``text`` names, aliases included; raise InputError otherwise."""
    name = text.strip().lower()
    if name in ALIASES:
        return ALIASES[name]
    try:
        return DType(name)
    except ValueError:
        known = ", ".join(DType)
        raise InputError(f"dtype {text!r} is not known: choose one of {known}.") from None
