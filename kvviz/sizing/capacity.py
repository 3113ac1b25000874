"""The inverse answers: the longest context, the most sequences and the blocks that fit."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from kvviz.sizing.cache_size import ModelRows
from kvviz.sizing.policy import MOST_SEQUENCES, MOST_TOKENS, Engine, Load
from kvviz.sizing.vllm_pages import logged_tokens, older_logged_tokens


@dataclass(frozen=True, slots=True)
class Capacity:
    """What fits into ``memory`` bytes of one GPU; None where no limit is met.

    ``max_tokens`` is for the load's sequences, ``max_sequences`` at its tokens.  With vLLM and a
    longest length given it is what vLLM logs as its cache's size.  ``num_blocks`` is None where
    nothing is kept in blocks.  ``older_log`` is the cache's size as vLLM before 0.21 logs it, None
    where that is no other number.
    """

    memory: int
    max_tokens: int | None
    max_sequences: int | None
    num_blocks: int | None
    older_log: int | None = None


def capacity(rows: ModelRows, load: Load, memory: int) -> Capacity:
    """Return what fits into ``memory`` bytes of each GPU."""
    blocks = num_blocks(rows, memory)
    return Capacity(
        memory,
        _logged(rows, load, blocks) or most_tokens(rows, load, memory),
        most_sequences(rows, load, memory),
        blocks,
        None if rows.pages is None or blocks is None else older_logged_tokens(rows.pages, blocks),
    )


def most_tokens(rows: ModelRows, load: Load, memory: int) -> int | None:
    """Return the longest context for ``load.sequences``; 0 where none fits, None without limit."""
    sequences, source = load.sequences, load.source_tokens
    return _largest(lambda n: rows.gpu_bytes(Load(n, sequences, source)) <= memory, MOST_TOKENS)


def most_sequences(rows: ModelRows, load: Load, memory: int) -> int | None:
    """Return the most sequences of ``load.tokens``; 0 where none fits, None without limit."""
    tokens, source = load.tokens, load.source_tokens
    return _largest(lambda n: rows.gpu_bytes(Load(tokens, n, source)) <= memory, MOST_SEQUENCES)


def num_blocks(rows: ModelRows, memory: int) -> int | None:
    """Return how many blocks over all layers fit on one GPU, None where there are none."""
    if rows.pages is not None:
        return memory // rows.pages.block_bytes
    if rows.policy.block_size is None or rows.policy.engine is not Engine.EXACT:
        return None
    cell = sum(row.cell * count for row, count in rows.rows.items())
    return memory // (rows.policy.block_size * cell) if cell else None


def _logged(rows: ModelRows, load: Load, blocks: int | None) -> int | None:
    longest = rows.policy.max_model_len
    if rows.pages is None or blocks is None or longest is None:
        return None
    return logged_tokens(rows.pages, rows.policy, replace(load, tokens=longest), blocks)


def _largest(fits: Callable[[int], bool], limit: int) -> int | None:
    """Return the largest number up to ``limit`` that fits, by doubling and halving."""
    if not fits(1):
        return 0
    if fits(limit):
        return None
    low, high = 1, 2
    while high < limit and fits(high):
        low, high = high, 2 * high
    high = min(high, limit)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
