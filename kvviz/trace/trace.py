"""A run as it happened: the one thing every view reads."""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.errors import InputError
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Floats, Phase, Step, StepArrays

COLUMNS = (
    "num_tokens_fed",
    "seq_len",
    "latency_ns",
    "bytes_used",
    "bytes_reserved",
    "bytes_peak",
    "bytes_copied",
    "bytes_pool",
    "bytes_gathered",
    "predicted_bytes",
    "predicted_reserved",
    "predicted_peak",
    "predicted_copied",
    "predicted_pool",
    "predicted_gathered",
    "token_positions",
    "score_cells",
)


class Token(NamedTuple):
    """A token of the run: its id, its text, and the phase that fed it (None: chosen, not fed)."""

    token_id: int
    piece: str
    phase: Phase | None


class Trace:
    """An append-only list of steps with the arrays they recorded.

    Arrays hold ``max_seq_len`` rows from the start, so that a reader on another thread may read
    any row below ``seq_len`` while rows are appended: [L, rows, heads, D], so that the system hands
    out memory as rows come, not for all of them with the first.
    """

    def __init__(self, config: RunConfig) -> None:
        shape = config.model.shape
        rows = config.max_seq_len
        self.config = config
        self.steps: list[Step] = []
        self._fed: list[Token] = []
        heads = (shape.num_layers, rows, shape.num_heads, shape.head_dim)
        self._q = np.empty(heads, np.float32)
        self._out = np.empty(heads, np.float32)
        kv = (shape.num_layers, rows, shape.num_kv_heads, shape.head_dim)
        self._k = np.empty(kv, np.float32)
        self._v = np.empty(kv, np.float32)
        self._logits: list[Floats | None] = []
        self._errors: list[Floats | None] = []
        self._row_step = np.empty(rows, np.int32)
        self._table = np.empty((len(COLUMNS), 16), np.int64)
        self._phase_starts: list[int] = []

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def seq_len(self) -> int:
        """Tokens whose keys are known."""
        return self.steps[-1].seq_len if self.steps else 0

    @property
    def tokens(self) -> list[Token]:
        """Every token so far, the last chosen one included."""
        return self.tokens_at(len(self.steps) - 1)

    def tokens_at(self, index: int) -> list[Token]:
        """Every token known after step ``index``, the one it chose last."""
        steps = self.steps[: index + 1]
        tokens = self._fed[: steps[-1].seq_len] if steps else []
        if steps and steps[-1].token_id is not None:
            tokens.append(Token(steps[-1].token_id, steps[-1].piece, None))
        return tokens

    @property
    def generated_ids(self) -> list[int]:
        """The tokens chosen, in order."""
        return [step.token_id for step in self.steps if step.token_id is not None]

    @property
    def generated_pieces(self) -> list[str]:
        """What they say, one by one."""
        return [step.piece for step in self.steps if step.token_id is not None]

    def append(self, step: Step, arrays: StepArrays) -> None:
        """Add one step; its rows go behind the rows already there."""
        if step.index != len(self.steps) or step.first_row != self.seq_len:
            raise InputError(
                f"Step {step.index} does not follow step {len(self.steps) - 1}: "
                "the trace is damaged, record the run again."
            )
        rows = slice(step.first_row, step.seq_len)
        self._q[:, rows] = arrays.q.swapaxes(1, 2)
        self._out[:, rows] = np.nan if arrays.out is None else arrays.out.swapaxes(1, 2)
        self._k[:, rows] = arrays.k.swapaxes(1, 2)
        self._v[:, rows] = arrays.v.swapaxes(1, 2)
        self._row_step[rows] = step.index
        self._logits.append(arrays.logits)
        self._errors.append(arrays.errors)
        self._append_row(step)
        if not self.steps or self.steps[-1].phase is not step.phase:
            self._phase_starts.append(step.index)
        pairs = zip(step.new_ids, step.new_pieces, strict=True)
        self._fed.extend(Token(token_id, piece, step.phase) for token_id, piece in pairs)
        self.steps.append(step)

    def so_far(self) -> "Trace":
        """Return what is recorded by now, for another thread; later steps do not reach it.

        Arrays are shared, not copied: rows that are there are never written again.
        """
        copied = copy(self)
        copied.steps, copied._fed = self.steps.copy(), self._fed.copy()
        copied._logits, copied._errors = self._logits.copy(), self._errors.copy()
        copied._phase_starts = self._phase_starts.copy()
        return copied

    @property
    def phase_starts(self) -> Sequence[int]:
        """Steps of another phase than the one before them, the first step among them."""
        return self._phase_starts

    def column(self, name: str) -> NDArray[np.int64]:
        """One figure of every step, int64 [steps]; names are COLUMNS."""
        view = self._table[COLUMNS.index(name), : len(self.steps)]
        view.flags.writeable = False
        return view

    def queries(self, layer: int) -> Floats:
        """Queries of a layer, [H, S, D]."""
        return self._q[layer, : self.seq_len].swapaxes(0, 1)

    def keys(self, layer: int) -> Floats:
        """Keys of a layer as attention read them, [K, S, D]."""
        return self._k[layer, : self.seq_len].swapaxes(0, 1)

    def values(self, layer: int) -> Floats:
        """Values of a layer as attention read them, [K, S, D]."""
        return self._v[layer, : self.seq_len].swapaxes(0, 1)

    def outputs(self, layer: int) -> Floats:
        """What a layer's heads passed on, [H, S, D]; NaN in rows where it was not recorded."""
        return self._out[layer, : self.seq_len].swapaxes(0, 1)

    def row_steps(self) -> NDArray[np.int32]:
        """For each grid row the step that first computed it, int32 [S]."""
        return self._row_step[: self.seq_len]

    def logits(self, index: int) -> Floats | None:
        """Logits from which step ``index`` chose, [V]; None where it chose nothing."""
        return self._logits[index]

    def errors(self, index: int) -> Floats | None:
        """What step ``index`` lost by quantising, [L * 2, tokens]; None for other caches."""
        return self._errors[index]

    def _append_row(self, step: Step) -> None:
        used = len(self.steps)
        if used == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.empty_like(self._table)], axis=1)
        self._table[:, used] = step_row(step)


def step_row(step: Step) -> Sequence[int]:
    """Return the figures of one step in the order of COLUMNS."""
    measured, predicted = step.measured, step.predicted
    return (
        step.num_tokens_fed,
        step.seq_len,
        step.latency_ns,
        measured.used,
        measured.reserved,
        measured.peak,
        measured.copied,
        measured.pool,
        measured.gathered,
        predicted.used,
        predicted.reserved,
        predicted.peak,
        predicted.copied,
        predicted.pool,
        predicted.gathered,
        step.token_positions,
        step.score_cells,
    )
