"""A model's cache in bytes: by layer and part on one GPU, and in total."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kvviz.sizing.cells import cells, states
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.errors import InputError
from kvviz.sizing.part_rows import PartRow, part_row
from kvviz.sizing.parts import PartKind
from kvviz.sizing.policy import Engine, Load, Policy
from kvviz.sizing.units import count_text
from kvviz.sizing.vllm_pages import Pages, vllm_pages


@dataclass(frozen=True, slots=True)
class PartSize:
    """One part of one layer on one GPU, all sequences: cells, states and bytes."""

    row: PartRow
    cells: int = 0
    states: int = 0

    @property
    def k_bytes(self) -> int:
        """Keys; MLA's latent counts as keys."""
        return self.cells * self.row.k

    @property
    def v_bytes(self) -> int:
        """Values."""
        return self.cells * self.row.v

    @property
    def index_bytes(self) -> int:
        """Keys of an indexer."""
        return self.cells * self.row.index

    @property
    def state_bytes(self) -> int:
        """States of a recurrence with the inputs of its convolution."""
        return self.states * self.row.state

    @property
    def total(self) -> int:
        """All of it."""
        return self.cells * self.row.cell + self.state_bytes


@dataclass(frozen=True, slots=True)
class LayerSize:
    """One layer's parts; ``shares_with`` is the layer whose cache it reads instead."""

    parts: tuple[PartSize, ...]
    shares_with: int | None = None


@dataclass(frozen=True, slots=True)
class ModelRows:
    """A model's parts under one policy: what they take a cell, for each of the config's groups."""

    config: ModelConfig
    policy: Policy
    groups: tuple[tuple[tuple[PartRow, ...], int], ...]
    rows: Counter[PartRow]
    pages: Pages | None

    def gpu_bytes(self, load: Load) -> int:
        """Bytes on one GPU, all sequences, what an engine's pages pad included."""
        if self.pages is not None:
            per_request = self.pages.request_blocks(self.policy, load)
            return load.sequences * per_request * self.pages.block_bytes
        copies = states(self.policy, load)
        return sum(
            count * (cells(row, self.policy, load) * row.cell + copies * row.state)
            for row, count in self.rows.items()
        )

    def total_bytes(self, load: Load) -> int:
        """Bytes over all GPUs and sequences."""
        return self.gpu_bytes(load) * self.policy.tp


@dataclass(frozen=True, slots=True)
class CacheSize:
    """The answer for one load: bytes of one GPU by kind, padding of an engine's pages apart."""

    rows: ModelRows
    load: Load
    sized: Mapping[PartRow, PartSize]
    k_bytes: int
    v_bytes: int
    state_bytes: int
    index_bytes: int
    per_gpu_bytes: int

    @property
    def total_bytes(self) -> int:
        """All sequences, summed over GPUs."""
        return self.per_gpu_bytes * self.rows.policy.tp

    @property
    def per_sequence_bytes(self) -> int:
        """A sequence's share over all GPUs, rounded up where an engine keeps cells for all."""
        return -(-self.total_bytes // self.load.sequences)

    @property
    def padding_bytes(self) -> int:
        """What pages of one size reserve on one GPU beyond the parts themselves."""
        parts = self.k_bytes + self.v_bytes + self.state_bytes + self.index_bytes
        return self.per_gpu_bytes - parts

    @property
    def groups(self) -> tuple[tuple[LayerSize, int], ...]:
        """Layers alike and their number, in the config's order."""
        return tuple(
            (LayerSize(tuple(self.sized[row] for row in rows), layer.shares_with), number)
            for (rows, number), (layer, _) in zip(
                self.rows.groups, self.rows.config.groups, strict=True
            )
        )

    @property
    def layers(self) -> tuple[LayerSize, ...]:
        """Every layer, the first one first."""
        config = self.rows.config
        made = {
            id(layer): size
            for (layer, _), (size, _) in zip(config.groups, self.groups, strict=True)
        }
        return tuple(made[id(layer)] for layer in config.layers)

    @property
    def bytes_per_next_token(self) -> int:
        """What one more token of one sequence adds over all GPUs."""
        now = Load(self.load.tokens, 1, self.load.source_tokens)
        then = Load(self.load.tokens + 1, 1, self.load.source_tokens)
        return self.rows.total_bytes(then) - self.rows.total_bytes(now)


def model_rows(config: ModelConfig, policy: Policy) -> ModelRows:
    """Return the model's parts under ``policy``; raise InputError where they cannot be kept so."""
    check_heads(config, policy)
    groups = tuple(
        (tuple(part_row(part, policy) for part in layer.parts), number)
        for layer, number in config.groups
    )
    rows: Counter[PartRow] = Counter()
    for parts, number in groups:
        for row in parts:
            rows[row] += number
    pages = None
    if policy.engine is Engine.VLLM:
        drafting = prediction_rows(groups, config, policy)
        pages = vllm_pages(rows + Counter(drafting), policy)
    return ModelRows(config, policy, groups, rows, pages)


def size_cache(rows: ModelRows, load: Load) -> CacheSize:
    """Return the cache's size by layer and in total."""
    count = _vllm_counter(rows, load) if rows.pages else _counter(rows.policy, load)
    sized = {row: count(row) for row in rows.rows}
    k_bytes = v_bytes = state_bytes = index_bytes = 0
    for part, number in zip(sized.values(), rows.rows.values(), strict=True):
        k_bytes += part.k_bytes * number
        v_bytes += part.v_bytes * number
        state_bytes += part.state_bytes * number
        index_bytes += part.index_bytes * number
    used = rows.gpu_bytes(load)
    return CacheSize(rows, load, sized, k_bytes, v_bytes, state_bytes, index_bytes, used)


def prediction_rows(
    groups: tuple[tuple[tuple[PartRow, ...], int], ...], config: ModelConfig, policy: Policy
) -> dict[PartRow, int]:
    """Return the layers that draft tokens, which keep a cache like the model's full ones."""
    if not policy.speculative or not config.prediction_layers:
        return {}
    kinds = (PartKind.FULL, PartKind.MLA)
    like = next((row for rows, _ in groups for row in rows if row.kind in kinds), None)
    return {like: config.prediction_layers} if like else {}


def check_heads(config: ModelConfig, policy: Policy) -> None:
    """Raise InputError where query heads cannot be shared out over the GPUs."""
    if config.num_heads and config.num_heads % policy.tp:
        heads = count_text(config.num_heads, "query head")
        raise InputError(
            f"{heads} cannot be divided over {policy.tp:,} GPUs: choose a tp that divides them."
        )


def _counter(policy: Policy, load: Load) -> Callable[[PartRow], PartSize]:
    copies = states(policy, load)

    def count(row: PartRow) -> PartSize:
        if row.state:
            return PartSize(row, states=copies)
        return PartSize(row, cells(row, policy, load))

    return count


def _vllm_counter(rows: ModelRows, load: Load) -> Callable[[PartRow], PartSize]:
    """Count what a layer's own table holds: blocks times tokens, or states."""
    pages = rows.pages
    assert pages is not None

    def count(row: PartRow) -> PartSize:
        if row.state:
            return PartSize(row, states=load.sequences * rows.policy.request_states)
        return PartSize(row, load.sequences * pages.tokens_held(row, rows.policy, load))

    return count
