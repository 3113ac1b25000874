"""Element types by their bits."""

from enum import StrEnum

from kvviz.sizing.errors import InputError


class DType(StrEnum):
    """How one element is stored; the value is the name on screen and in JSON."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"

    @property
    def bits(self) -> int:
        """Bits of one element."""
        return {"float64": 64, "float32": 32, "bfloat16": 16, "float16": 16}[self.value]

    @property
    def short(self) -> str:
        """The name a button has room for."""
        return {"float64": "fp64", "float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}[self]


ALIASES = {
    "fp64": DType.FLOAT64,
    "f64": DType.FLOAT64,
    "fp32": DType.FLOAT32,
    "f32": DType.FLOAT32,
    "bf16": DType.BFLOAT16,
    "fp16": DType.FLOAT16,
    "f16": DType.FLOAT16,
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
