"""Work on paper: operations and bytes moved, and the least time that hardware needs for them."""

from dataclasses import dataclass, replace

from kvviz.sizing.cache_size import ModelRows
from kvviz.sizing.errors import InputError
from kvviz.sizing.hardware import Hardware
from kvviz.sizing.parts import AttentionPart, CrossPart, LatentPart, Part, StatePart
from kvviz.sizing.policy import Load
from kvviz.sizing.work import score_cells


@dataclass(frozen=True, slots=True)
class Work:
    """Operations (a multiply and an add are two) and bytes moved, of all GPUs together."""

    flops: int
    moved: int

    @property
    def intensity(self) -> float:
        """Operations for each byte moved."""
        return self.flops / self.moved

    def seconds(self, hardware: Hardware, gpus: int) -> float:
        """Return the least time: operations or memory, whichever takes longer."""
        return max(self.flops / hardware.flops, self.moved / hardware.bandwidth) / gpus


@dataclass(frozen=True, slots=True)
class Roofline:
    """Lower bounds: of the prefill, and of one decode step for all sequences."""

    prefill: Work
    decode: Work


def roofline(rows: ModelRows, load: Load, heads: int, active: int, active_bytes: int) -> Roofline:
    """Return the work of a prefill of ``load.tokens``, and of the decode step after it.

    ``active`` weights multiply each token and are read once, ``active_bytes`` of them; ``heads``
    are query heads.  Attention reads the cache once in decode and writes it once in prefill.
    """
    if any(is_sparse(part) for part in rows.config.distinct_parts):
        raise InputError("The work of sparse attention is not known here: leave the hardware out.")
    cache = rows.total_bytes(load)
    fed = load.sequences * load.tokens
    head = (rows.config.vocab_size or 0) * (rows.config.hidden_size or 0)
    # Only each sequence's last token goes through the head.
    prefill = 2 * (active * fed - head * (fed - load.sequences))
    prefill += load.sequences * _attention(rows, heads, 0, load.tokens, load)
    decode = 2 * active * load.sequences
    decode += load.sequences * _attention(rows, heads, load.tokens, 1, load)
    return Roofline(
        Work(prefill, active_bytes + cache),
        Work(decode, active_bytes + cache + rows.total_bytes(replace(load, tokens=1))),
    )


def _attention(rows: ModelRows, heads: int, before: int, fed: int, load: Load) -> int:
    return sum(
        number * _part_flops(part, heads, before, fed, load)
        for layer, number in rows.config.groups
        for part in layer.parts
    )


def is_sparse(part: Part) -> bool:
    """Return whether an indexer chooses the keys that are attended to."""
    match part:
        case LatentPart(sparse=True):
            return True
        case AttentionPart(index_width=width):
            return width > 0
    return False


def _part_flops(part: Part, heads: int, before: int, fed: int, load: Load) -> int:
    """Operations of ``fed`` queries after ``before`` keys: scores, then their sums of values."""
    match part:
        case StatePart():
            return 4 * fed * part.heads * part.head_elements
        case CrossPart():
            return 2 * heads * (part.heads.k_width + part.heads.v_width) * fed * load.source_tokens
        case LatentPart():
            # A prefill makes keys and values of all heads, a decode step reads the latent.
            made = part.heads.k_width + part.heads.v_width
            width = 2 * part.latent + part.rope if before else made
            return 2 * heads * width * score_cells(before, fed)
        case AttentionPart():
            cells = windowed_cells(before, fed, part.window)
            return 2 * heads * (part.heads.k_width + part.heads.v_width) * cells


def windowed_cells(before: int, fed: int, window: int | None) -> int:
    """Return the scores of ``fed`` rows after ``before`` keys, none beyond ``window`` keys."""
    if window is None or before + fed <= window:
        return score_cells(before, fed)
    growing = max(0, window - before)
    return score_cells(before, growing) + (fed - growing) * window
