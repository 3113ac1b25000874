"""A layout as one writes it: ``paged:16``, ``sliding:64+4``, ``quantized:int4/32+16``."""

import re
from dataclasses import replace
from typing import Any

from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind

FORMS = (
    "none, concat, preallocated, paged:16 (tokens a block), sliding:64+4 (window + sinks), "
    "quantized:int8, quantized:int4/32+16 (group, residual)"
)
PATTERNS = {
    LayoutKind.PAGED: re.compile(r"(?P<block_size>[0-9]{1,9})(x(?P<num_blocks>[0-9]{1,9}))?"),
    LayoutKind.SLIDING: re.compile(r"(?P<window>[0-9]{1,9})(\+(?P<sinks>[0-9]{1,9}))?"),
    LayoutKind.QUANTIZED: re.compile(
        r"int(?P<bits>[0-9]{1,9})(/(?P<group>[0-9]{1,9}))?(\+(?P<residual>[0-9]{1,9}))?"
    ),
}


def parse_layout(text: str, like: CacheLayout | None = None) -> CacheLayout:
    """Return the layout that ``text`` names, its dtypes from ``like``.

    What is left out (``paged``) is what CacheLayout has.  Raises InputError otherwise.
    """
    usual = like or CacheLayout()
    name, _, details = text.strip().lower().partition(":")
    if name not in [*LayoutKind] or (details and LayoutKind(name) not in PATTERNS):
        raise InputError(f"The cache layout {text[:40]!r} is not known: choose {FORMS}.")
    kind = LayoutKind(name)
    layout = CacheLayout(kind, usual.kv_dtype, usual.v_dtype)
    if not details:
        return layout
    found = PATTERNS[kind].fullmatch(details)
    if found is None:
        raise InputError(f"The cache layout {text[:40]!r} is not written so: choose {FORMS}.")
    numbers: dict[str, Any] = {key: int(value) for key, value in found.groupdict().items() if value}
    return replace(layout, **numbers)


def layout_text(layout: CacheLayout) -> str:
    """Return what ``parse_layout`` reads; dtypes are not in it."""
    usual = CacheLayout(layout.kind)
    match layout.kind:
        case LayoutKind.PAGED:
            blocks = f"x{layout.num_blocks}" if layout.num_blocks else ""
            details = f":{layout.block_size}{blocks}"
        case LayoutKind.SLIDING:
            details = f":{layout.window}" + (f"+{layout.sinks}" if layout.sinks else "")
        case LayoutKind.QUANTIZED:
            group = f"/{layout.group}" if layout.group != usual.group else ""
            details = f":int{layout.bits}{group}"
            details += f"+{layout.residual}" if layout.residual else ""
        case _:
            details = ""
    return f"{layout.kind}{details}"
