"""What tells one run from another, in the words of a label at a curve."""

from kvviz.session.kernel_words import kernel_words
from kvviz.sizing.layout_text import layout_text
from kvviz.sizing.units import count_text
from kvviz.trace.config import RunConfig

MOST_WORDS = 2


def contrast(config: RunConfig, other: RunConfig) -> str:
    """Name what ``config`` has and ``other`` has not: "no cache", "MHA 6/6 · bf16".

    At most two differences, the weightiest first; "same settings" where there is none.
    """
    pairs = zip(_traits(config), _traits(other), strict=True)
    words = [mine for mine, theirs in pairs if mine != theirs]
    if not words:
        return "same settings" if config.prompt_ids == other.prompt_ids else "other prompt"
    return " · ".join(words[:MOST_WORDS])


def _traits(config: RunConfig) -> tuple[str, ...]:
    shape, layout = config.model.shape, config.layout
    return (
        layout_text(layout) if layout.keeps_entries else "no cache",
        f"{shape.attention_kind} {shape.num_heads}/{shape.num_kv_heads}",
        count_text(shape.num_layers, "layer"),
        config.dtype.short,
        f"KV {layout.kv_dtype.short}" if layout.kv_dtype is not config.dtype else "",
        f"V {layout.v_dtype.short}" if layout.v_dtype else "",
        kernel_words(config),
        f"head size {shape.head_dim}",
        f"batch {config.batch}",
        f"limit {config.max_seq_len:,}",
    )
