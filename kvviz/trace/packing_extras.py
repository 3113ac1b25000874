"""What only some caches tell of a step, as plain tensors and back: rows, blocks, errors."""

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.blocks import BlockChange, BlockEvent, Miss, PrefixMatch
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Floats, RowStep, Step
from kvviz.trace.trace import Trace

Tensors = dict[str, NDArray[Any]]
CHANGES, MISSES = tuple(BlockChange), tuple(Miss)
FED, CHOSEN = 0, 1


def pack_extras(trace: Trace) -> Tensors:
    """Return row_tokens (step, row, fed or chosen, id), block_events, prefix and errors."""
    tokens = [line for step in trace.steps for line in _row_lines(step)]
    events = [
        (step.index, CHANGES.index(event.change), event.block, event.row, event.hash)
        for step in trace.steps
        for event in step.block_events
    ]
    found = next((step.prefix for step in trace.steps if step.prefix is not None), None)
    prefix = [found.num_tokens, *map(MISSES.index, found.misses)] if found else []
    errors = [part for step in trace.steps if (part := trace.errors(step.index)) is not None]
    layers = trace.config.model.shape.num_layers
    return {
        "row_tokens": np.array(tokens, np.int64).reshape(-1, 4),
        "block_events": np.array(events, np.int64).reshape(-1, 5),
        "prefix": np.array(prefix, np.int64),
        "errors": np.concatenate([np.empty((2 * layers, 0), np.float32), *errors], axis=1),
    }


@dataclass(frozen=True, slots=True)
class Extras:
    """What ``pack_extras`` took apart, by the index of the step."""

    more_rows: dict[int, tuple[RowStep, ...]]
    block_events: dict[int, tuple[BlockEvent, ...]]
    prefix: PrefixMatch | None
    errors: list[Floats | None]


def unpack_extras(config: RunConfig, tensors: Tensors, lengths: list[int]) -> Extras:
    """Return the extras of steps that end at ``lengths``; raise ValueError naming what is wrong."""
    _check(config, tensors, len(lengths))
    rows = {}
    for step, lines in groupby(tensors["row_tokens"].tolist(), itemgetter(0)):
        by_row = groupby(lines, itemgetter(1))
        rows[step] = tuple(_row_step([line[2:] for line in group]) for _, group in by_row)
    events = {
        step: tuple(BlockEvent(CHANGES[line[1]], *line[2:]) for line in lines)
        for step, lines in groupby(tensors["block_events"].tolist(), itemgetter(0))
    }
    prefix = tensors["prefix"].tolist()
    found = PrefixMatch(prefix[0], tuple(MISSES[i] for i in prefix[1:])) if prefix else None
    return Extras(rows, events, found, _errors(config, tensors["errors"], lengths))


def _row_lines(step: Step) -> list[tuple[int, int, int, int]]:
    lines = []
    for row, part in enumerate(step.more_rows, start=1):
        lines += [(step.index, row, FED, token_id) for token_id in part.new_ids]
        # A row that chose nothing has a line too, so that it is there.
        lines.append((step.index, row, CHOSEN, -1 if part.token_id is None else part.token_id))
    return lines


def _row_step(lines: list[list[int]]) -> RowStep:
    *fed, (_, chosen) = lines
    return RowStep(tuple(token_id for _, token_id in fed), None if chosen < 0 else chosen)


def _errors(config: RunConfig, errors: Floats, lengths: list[int]) -> list[Floats | None]:
    if config.layout.kind is not LayoutKind.QUANTIZED:
        return [None] * len(lengths)
    # How many tokens became codes is the layout's; so many errors each step has.
    ends = [max(0, length - config.layout.residual) for length in lengths]
    if (ends[-1] if ends else 0) != errors.shape[1]:
        raise ValueError("its errors")
    starts = [0, *ends[:-1]]
    return [errors[:, start:end] for start, end in zip(starts, ends, strict=True)]


def _check(config: RunConfig, tensors: Tensors, steps: int) -> None:
    tokens, events, prefix = (tensors[name] for name in ("row_tokens", "block_events", "prefix"))
    whole = all(part.dtype == np.int64 for part in (tokens, events, prefix))
    shapes = tokens.shape[1:] == (4,) and events.shape[1:] == (5,) and prefix.ndim == 1
    if not (whole and shapes):
        raise ValueError("its further rows or blocks")
    _within(tokens[:, 0], 0, steps, "its further rows", ascending=True)
    _within(tokens[:, 1], 1, config.batch, "its further rows")
    _within(tokens[:, 2], FED, CHOSEN + 1, "its further rows")
    _within(tokens[:, 3], -1, config.model.shape.vocab_size, "a token id")
    _within(events[:, 0], 0, steps, "its blocks", ascending=True)
    _within(events[:, 1], 0, len(CHANGES), "its blocks")
    _within(events[:, 2], 0, 2**32, "its blocks")
    _within(events[:, 3], -1, config.batch, "its blocks")
    _within(events[:, 4], 0, 2**63 - 1, "its blocks")
    _within(prefix[:1], 0, config.max_seq_len + 1, "its prefix")
    _within(prefix[1:], 0, len(MISSES), "its prefix")
    errors = tensors["errors"]
    layers = config.model.shape.num_layers
    if errors.dtype != np.float32 or errors.ndim != 2 or len(errors) != 2 * layers:
        raise ValueError("its errors")
    if len(tokens) and not _ends_chosen(tokens):
        raise ValueError("its further rows")


def _ends_chosen(tokens: NDArray[np.int64]) -> bool:
    """Whether every run of lines of one step and row ends, and only ends, with what it chose."""
    changes = (np.diff(tokens[:, :2], axis=0) != 0).any(axis=1)
    ends = np.append(changes, True)
    return bool(((tokens[:, 2] == CHOSEN) == ends).all() and (tokens[~ends, 3] >= 0).all())


def _within(
    values: NDArray[np.int64], low: int, end: int, what: str, *, ascending: bool = False
) -> None:
    if not ((values >= low) & (values < end)).all():
        raise ValueError(what)
    if ascending and (np.diff(values) < 0).any():
        raise ValueError(what)
