"""Work on paper: FLOPs, bytes moved, and the least time a machine could need for them.

Every number is a lower bound: what must be computed or read whatever the engine does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kvviz.sizing.cache_size import ModelRows, model_rows
from kvviz.sizing.cells import cells
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.hardware import Hardware
from kvviz.sizing.parts import AttentionPart, CrossPart, LatentPart, Part
from kvviz.sizing.policy import Engine, Load, MlaLayout, Policy, Windows
from kvviz.sizing.work import score_cells

NS = 10**9


@dataclass(frozen=True, slots=True)
class Work:
    """FLOPs and bytes moved on one GPU."""

    flops: int
    num_bytes: int

    def least_ns(self, machine: Hardware) -> int:
        """Return the time that neither memory nor arithmetic can beat, rounded down."""
        return max(self.reading_ns(machine), self.flops * NS // machine.flops)

    def reading_ns(self, machine: Hardware) -> int:
        """Return the time the memory alone needs, rounded down."""
        return self.num_bytes * NS // machine.bandwidth

    def waits_for_memory(self, machine: Hardware) -> bool:
        """Whether reading takes longer than computing."""
        return self.num_bytes * machine.flops >= self.flops * machine.bandwidth


@dataclass(frozen=True, slots=True)
class WorkModel:
    """What one step must do: ``rows`` are what it must read of the cache, one GPU's.

    ``parameters`` are the weights that a token is multiplied with over all GPUs, 0 where they are
    not known; ``head`` those of the output alone, ``weight_bytes`` what one GPU reads of them.
    """

    config: ModelConfig
    rows: ModelRows
    parameters: int
    head: int
    weight_bytes: int

    def decode(self, load: Load) -> Work:
        """Return the work of one more token for each sequence, on one GPU."""
        tp, sequences = self.rows.policy.tp, load.sequences
        scores = sum(w * seen for w, seen in self._seen(load))
        flops = sequences * (2 * self.parameters + scores)
        return Work(flops // tp, self.weight_bytes + self.cache_bytes(load))

    def prefill(self, load: Load) -> Work:
        """Return the work of reading all prompts, on one GPU; only the last row has logits."""
        tokens = load.tokens
        rows = 2 * (self.parameters - self.head) * tokens + 2 * self.head
        scores = sum(w * pairs for w, pairs in self._pairs(load))
        return Work(load.sequences * (rows + scores) // self.rows.policy.tp, self.weight_bytes)

    def cache_bytes(self, load: Load) -> int:
        """Return what one decode step must read of the cache, on one GPU."""
        if not self.is_sparse:
            return self.rows.gpu_bytes(load)
        # An indexer reads all of its own keys, and lets attention read few of the rest.
        rows, policy = self.rows.rows.items(), self.rows.policy
        return sum(count * cells(row, policy, load) * row.index for row, count in rows)

    @property
    def is_sparse(self) -> bool:
        """Whether attention reads only what an indexer chooses."""
        return any(_sparse(part) for layer in self.config.layers for part in layer.parts)

    def _seen(self, load: Load) -> Iterator[tuple[int, int]]:
        for part in self._attention():
            limit = _window(part)
            tokens = load.source_tokens if isinstance(part, CrossPart) else load.tokens
            yield self._pair_flops(part), min(tokens, limit) if limit else tokens

    def _pairs(self, load: Load) -> Iterator[tuple[int, int]]:
        for part in self._attention():
            yield self._pair_flops(part), _causal_pairs(part, load)

    def _attention(self) -> Iterator[Part]:
        if not self.config.num_heads or self.is_sparse:
            return
        for layer in self.config.layers:
            yield from (p for p in layer.parts if isinstance(p, AttentionPart | LatentPart))

    def _pair_flops(self, part: Part) -> int:
        assert isinstance(part, AttentionPart | LatentPart)
        return 2 * (self.config.num_heads or 0) * (part.heads.k_width + part.heads.v_width)


def work_model(
    config: ModelConfig, policy: Policy, parameters: int | None, weights: int | None
) -> WorkModel:
    """Return a model's work; ``weights`` are the bytes that one GPU reads, None if not known.

    The cache is what must be read, whatever an engine reserves around it.
    """
    bare = replace(
        policy,
        engine=Engine.EXACT,
        windows=Windows.CAPPED,
        mla=MlaLayout.LATENT,
        block_size=None,
        slots=None,
        speculative=0,
    )
    table = (config.vocab_size or 0) * (config.hidden_size or 0)
    looked_up = 0 if config.tie_word_embeddings else table
    known = parameters or 0
    multiplied = max(0, known - looked_up)
    read = weights * multiplied // known if weights and known else 0
    return WorkModel(config, model_rows(config, bare), multiplied, min(table, multiplied), read)


def _sparse(part: Part) -> bool:
    if isinstance(part, LatentPart):
        return part.sparse
    return isinstance(part, AttentionPart) and bool(part.index_width)


def _window(part: Part) -> int:
    return part.window or 0 if isinstance(part, AttentionPart) else 0


def _causal_pairs(part: Part, load: Load) -> int:
    tokens, window = load.tokens, _window(part)
    if not window or window >= tokens:
        return score_cells(0, tokens)
    if isinstance(part, AttentionPart) and part.kind.value == "chunked":
        chunks, rest = divmod(tokens, window)
        return chunks * score_cells(0, window) + score_cells(0, rest)
    return score_cells(0, window) + (tokens - window) * window
