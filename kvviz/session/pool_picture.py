"""A paged cache at a step, block by block: whose it is, who wrote what, what just happened."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.blocks import blocks_for
from kvviz.trace.cache_map import BlockMap
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Phase

PhaseSpans = Sequence[tuple[Phase, int, int]]


class BlockState(StrEnum):
    """Whose a block is; the value is what a person reads."""

    OWNED = "in use"
    FOREIGN = "another request's"
    REUSABLE = "reusable: free, and found again until it is evicted"
    BLANK = "free"


class Slot(IntEnum):
    """What a slot is; the last four hold a token that this run computed, two of them just now."""

    BLANK = 0
    REUSABLE = 1
    FOREIGN = 2
    EMPTY = 3
    FOUND = 4
    PREFILL = 5
    DECODE = 6
    NEW_PREFILL = 7
    NEW_DECODE = 8


NEW = Slot.NEW_PREFILL - Slot.PREFILL
SLOT_OF = {None: Slot.FOUND, Phase.PREFILL: Slot.PREFILL, Phase.DECODE: Slot.DECODE}


class Place(NamedTuple):
    """Where a block stands in a block table: the sequence, and the logical block."""

    row: int
    logical: int


class Part(NamedTuple):
    """Slots ``first``..``last`` (exclusive) of a block and the phase that wrote them.

    None is an earlier request: this run found them.
    """

    phase: Phase | None
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Block:
    """One block; ``changes`` are the words for what the last step did to it."""

    number: int
    state: BlockState
    references: int
    hash: int
    places: tuple[Place, ...]
    parts: tuple[Part, ...]
    changes: tuple[str, ...]

    @property
    def filled(self) -> int:
        """Slots that hold a token of this run."""
        return self.parts[-1].last if self.parts else 0

    @property
    def hash_text(self) -> str:
        """The hash as short as tells blocks apart; empty where there is none."""
        return f"#{self.hash:016x}"[:5] if self.hash else ""


class PoolPicture:
    """Blocks are put together when they are asked for: a pool may have very many."""

    def __init__(
        self, block_map: BlockMap, config: RunConfig, spans: PhaseSpans, num_reused: int = 0
    ) -> None:
        self.map = block_map
        self.size = block_map.block_size
        self.num_blocks = len(block_map.references)
        self.copies = not config.more_prompts  # every sequence has the tokens of the first
        # What each sequence is called: its place among the prompts as they were typed, from 1.
        places = config.places if config.more_prompts else range(config.batch)
        self.names = tuple(place + 1 for place in places)
        self._places: dict[int, list[Place]] = {}
        for row, table in enumerate(block_map.tables):
            for logical, number in enumerate(table):
                self._places.setdefault(number, []).append(Place(row, logical))
        self.parts = [row_parts(config, spans, num_reused, row) for row in range(config.batch)]
        self._reusable = frozenset(block_map.reusable)
        self._changes: dict[int, list[str]] = {}
        for word in ("evicted", "taken", "shared", "sealed"):
            for number in getattr(block_map, word):
                self._changes.setdefault(number, []).append(word)
        self._fresh: dict[int, tuple[int, int]] = {}
        for number, offset in block_map.written:
            first, last = self._fresh.get(number, (offset, offset + 1))
            self._fresh[number] = min(first, offset), max(last, offset + 1)

    @property
    def fresh(self) -> dict[int, tuple[int, int]]:
        """For each block that the last step wrote into, the first slot and the one after."""
        return self._fresh

    @property
    def num_owned(self) -> int:
        """Blocks that this run's tables name."""
        return len(self._places)

    def block(self, number: int) -> Block:
        """Return one block of the pool."""
        places = tuple(self._places.get(number, ()))
        return Block(
            number=number,
            state=self._state(number, places),
            references=self.map.references[number],
            hash=self.map.hashes[number],
            places=places,
            parts=self._parts_at(places[0]) if places else (),
            changes=tuple(self._changes.get(number, ())),
        )

    def slots(self, count: int) -> NDArray[np.uint8]:
        """Return what each slot of the first ``count`` blocks is, uint8 [count, size] of Slot."""
        slots = np.full((self.num_blocks, self.size), Slot.BLANK, np.uint8)
        slots[np.array(self.map.references) > 0] = Slot.FOREIGN
        slots[list(self.map.reusable)] = Slot.REUSABLE
        for table, parts in zip(self.map.tables, self.parts, strict=True):
            row = np.full(len(table) * self.size, Slot.EMPTY, np.uint8)
            for part in parts:
                row[part.first : part.last] = SLOT_OF[part.phase]
            slots[list(table)] = row.reshape(-1, self.size)
        if self.map.written:
            blocks, offsets = np.array(self.map.written).T
            slots[blocks, offsets] += NEW
        return slots[:count]

    def slot_of(self, token: int, row: int = 0) -> tuple[int, int] | None:
        """Return (block, offset) of a row's token; None where it is not held."""
        if row >= len(self.map.lengths) or not 0 <= token < self.map.lengths[row]:
            return None
        return self.map.tables[row][token // self.size], token % self.size

    def token_at(self, number: int, offset: int) -> tuple[int, int] | None:
        """Return (row, token) of a slot, the first of its owners; None where it is empty."""
        places = self._places.get(number)
        if not places:
            return None
        token = places[0].logical * self.size + offset
        return (places[0].row, token) if token < self.map.lengths[places[0].row] else None

    def phase_of(self, row: int, token: int) -> Phase | None:
        """Return the phase that wrote a row's token; None for an earlier request."""
        return next(part.phase for part in self.parts[row] if part.first <= token < part.last)

    def _state(self, number: int, places: tuple[Place, ...]) -> BlockState:
        if places:
            return BlockState.OWNED
        if self.map.references[number]:
            return BlockState.FOREIGN
        return BlockState.REUSABLE if number in self._reusable else BlockState.BLANK

    def _parts_at(self, place: Place) -> tuple[Part, ...]:
        start = place.logical * self.size
        end = min(start + self.size, self.map.lengths[place.row])
        return tuple(
            Part(phase, max(first, start) - start, min(last, end) - start)
            for phase, first, last in self.parts[place.row]
            if first < end and last > start
        )


def row_parts(config: RunConfig, spans: PhaseSpans, num_reused: int, row: int) -> tuple[Part, ...]:
    """Return which tokens of a row each phase wrote; ``spans`` are those of row 0.

    Rows end together, so a shorter one's tokens lie further on in row 0's numbers.
    """
    pads = config.row_pads
    later = pads[0] - pads[row]
    parts = [Part(None, 0, num_reused)] if num_reused else []
    for index, (phase, first, last) in enumerate(spans):
        start = max(num_reused, first + later) if index else num_reused
        if last + later > start:
            parts.append(Part(phase, start, last + later))
    return tuple(parts)


def blocks_shown(config: RunConfig, planned_rows: int, highest: int) -> int:
    """Return how many of a pool's blocks are worth a place each; the others stay blank.

    ``highest`` is the largest number of a block that anything happened to.
    """
    lengths = config.row_lengths(planned_rows)
    planned = sum(blocks_for(tokens, config.layout.block_size) for tokens in lengths)
    everything = config.layout.blocks_needed(config.batch, config.max_seq_len)
    shown = min(everything, max(highest + 1, planned))
    return everything if everything <= 2 * shown else shown
