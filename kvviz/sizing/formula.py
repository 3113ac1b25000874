"""The formula with the numbers put in, one line for each kind of layer."""

from collections import Counter
from collections.abc import Iterator

from kvviz.sizing.cache_size import CacheSize, LayerSize, PartSize
from kvviz.sizing.parts import PartKind
from kvviz.sizing.units import bytes_text, count_text

WORDS = {
    PartKind.FULL: "full",
    PartKind.SLIDING: "sliding",
    PartKind.CHUNKED: "chunked",
    PartKind.MLA: "MLA",
    PartKind.RECURRENT: "recurrent",
    PartKind.CROSS: "cross-attention",
}


def formula_lines(size: CacheSize) -> list[str]:
    """Return a line for each kind of layer, then the total over sequences and GPUs."""
    kinds: Counter[PartSize] = Counter()
    for layer, number in size.groups:
        for part in layer.parts:
            kinds[part] += number
    lines = [_part_line(part, layers, size) for part, layers in kinds.items()]
    lines += _silent_lines(size.groups)
    if size.padding_bytes:
        lines.append(f"pages of one size: {_bytes(size.padding_bytes)} beyond the layers' own")
    gpus = size.rows.policy.tp
    each = f" = {_bytes(size.per_gpu_bytes)} on each of {gpus:,} GPUs" if gpus > 1 else ""
    return [*lines, f"total{each} = {_bytes(size.total_bytes)}"]


def _part_line(part: PartSize, layers: int, size: CacheSize) -> str:
    name = f"{count_text(layers, 'layer')} {WORDS[part.row.kind]}"
    if part.row.kind is PartKind.RECURRENT:
        what = f"{count_text(part.states, 'state')} x {_bytes(part.row.state)}"
    else:
        what = f"{count_text(part.cells, 'cell')} x {_cell(part, size)}"
    return f"{name}: {layers:,} x {what} = {_bytes(layers * part.total)}"


def _cell(part: PartSize, size: CacheSize) -> str:
    """Write what one cell takes: heads times widths times bits, or the latent's bytes."""
    row, policy = part.row, size.rows.policy
    k, v = policy.k_type, policy.v_type
    index = f" + {row.index:,} B index key" if row.index else ""
    if row.kind is PartKind.MLA and not row.v:
        return f"({row.k_width:,} latent and rotary = {row.k:,} B{index})"
    if k == v:
        widths = f"({row.k_width:,} K + {row.v_width:,} V) x {k.bits_text} bit"
    else:
        widths = f"({row.k_width:,} K x {k.bits_text} bit + {row.v_width:,} V x {v.bits_text} bit)"
    return f"({count_text(row.kv_heads, 'KV head')} x {widths} = {row.k + row.v:,} B{index})"


def _silent_lines(groups: tuple[tuple[LayerSize, int], ...]) -> Iterator[str]:
    shared = sum(number for layer, number in groups if layer.shares_with is not None)
    empty = sum(number for layer, number in groups if not layer.parts)
    nothing = empty - shared
    if shared:
        yield f"{count_text(shared, 'layer')} reading an earlier layer's cache: 0 B"
    if nothing:
        yield f"{count_text(nothing, 'layer')} without a cache: 0 B"


def _bytes(number: int) -> str:
    if number < 1024:
        return f"{number:,} B"
    return f"{number:,} B ({bytes_text(number)})"
