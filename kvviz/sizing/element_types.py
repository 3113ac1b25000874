"""How one cached element is stored: bits, and the scales that go with a block of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kvviz.sizing.errors import InputError

SCALE_BYTES = 2
USUAL_GROUP = 64
MOST_GROUP = 4096


@dataclass(frozen=True, slots=True)
class ElementType:
    """A storage type: ``block`` elements take ``block_bytes`` together, scales included.

    ``per_head`` says that a block never reaches from one head into the next.
    """

    name: str
    block: int
    block_bytes: int
    per_head: bool = False

    @property
    def bits_text(self) -> str:
        """Bits of one element as people read them: 16, 8.5."""
        tenths, rest = divmod(self.block_bytes * 80, self.block)
        if rest:
            return f"{self.block_bytes * 8 / self.block:.3f}"
        whole, tenth = divmod(tenths, 10)
        return f"{whole}.{tenth}" if tenth else str(whole)

    def row_bytes(self, elements: int, what: str) -> int:
        """Return the bytes of ``elements`` in a row; raise InputError if blocks do not fill it."""
        blocks, rest = divmod(elements, self.block)
        if rest:
            raise InputError(
                f"{self.name} stores blocks of {self.block}, which do not fill {what} of "
                f"{elements:,} elements: choose another type."
            )
        return blocks * self.block_bytes

    def heads_bytes(self, heads: int, width: int, what: str) -> int:
        """Return the bytes of ``heads`` of ``width`` in a row; InputError if blocks do not fill."""
        if self.per_head:
            return heads * self.row_bytes(width, f"a head in {what}")
        return self.row_bytes(heads * width, what)


# The layout in which DeepSeek-V3.2 keeps its latent; see part_rows.
FP8_DS_MLA = ElementType("fp8_ds_mla", 1, 1)
FP8 = ElementType("float8_e4m3", 1, 1)
FLOAT32 = ElementType("float32", 1, 4)
BFLOAT16 = ElementType("bfloat16", 1, 2)
FLOAT16 = ElementType("float16", 1, 2)

_TYPES: Mapping[str, ElementType] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            ElementType("float64", 1, 8),
            FLOAT32,
            BFLOAT16,
            FLOAT16,
            FP8,
            ElementType("float8_e5m2", 1, 1),
            FP8_DS_MLA,
            ElementType("q8_0", 32, 34),
            ElementType("q5_1", 32, 24),
            ElementType("q5_0", 32, 22),
            ElementType("q4_1", 32, 20),
            ElementType("q4_0", 32, 18),
            ElementType("iq4_nl", 32, 18),
        )
    }
)
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "f64": "float64", "fp64": "float64", "double": "float64",
        "f32": "float32", "fp32": "float32", "float": "float32",
        "f16": "float16", "fp16": "float16", "half": "float16",
        "bf16": "bfloat16",
        "fp8": "float8_e4m3", "fp8_e4m3": "float8_e4m3", "f8_e4m3": "float8_e4m3",
        "float8_e4m3fn": "float8_e4m3", "e4m3": "float8_e4m3",
        "fp8_e5m2": "float8_e5m2", "f8_e5m2": "float8_e5m2", "e5m2": "float8_e5m2",
    }
)  # fmt: skip
_GROUPED = re.compile(r"int([48])(?::([0-9]{1,6}))?")
KNOWN = (*_TYPES, "int8:GROUP", "int4:GROUP")


def parse_element_type(text: str) -> ElementType:
    """Return the type that ``text`` names, aliases included; raise InputError otherwise.

    ``int8:G`` and ``int4:G`` have one float16 scale for G elements, 64 where no G is given.
    """
    name = text.strip().lower()
    found = _TYPES.get(_ALIASES.get(name, name))
    if found is not None:
        return found
    grouped = _GROUPED.fullmatch(name)
    if grouped is None:
        raise InputError(f"dtype {text[:40]!a} is not known: choose one of {', '.join(KNOWN)}.")
    return _integer(int(grouped[1]), int(grouped[2] or USUAL_GROUP))


def _integer(bits: int, group: int) -> ElementType:
    if not 2 <= group <= MOST_GROUP or group % 2:
        raise InputError(f"A group of {group:,} elements is not possible: choose 2 to 4,096, even.")
    return ElementType(f"int{bits}:{group}", group, group * bits // 8 + SCALE_BYTES, True)
