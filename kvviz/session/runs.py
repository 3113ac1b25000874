"""The last runs, one of them shown, one of them the reference."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.sizing.layout_text import layout_text
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace

MOST_RUNS = 10


class RunState(StrEnum):
    """How far a run has come."""

    LOADING = "loading"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(slots=True)
class Run:
    """A trace and what became of it; ``planned_tokens`` counts prompt and new tokens.

    ``loading`` is (bytes read, bytes in all) while the model is.
    """

    run_id: int
    trace: Trace
    prompt_pieces: tuple[str, ...]
    planned_tokens: int
    state: RunState = RunState.LOADING
    message: str = ""
    loading: tuple[int, int] | None = None
    can_continue: bool = False

    @property
    def config(self) -> RunConfig:
        """What the run was asked to do."""
        return self.trace.config

    @property
    def live(self) -> bool:
        """Whether more steps may still come."""
        return self.state in (RunState.LOADING, RunState.RUNNING)

    @property
    def planned_rows(self) -> int:
        """Rows of the grid at the planned end: the last token chosen is never fed."""
        return max(self.planned_tokens - 1, self.trace.seq_len)

    @property
    def traits(self) -> tuple[str, ...]:
        """What tells this run from another, the most telling first."""
        config, shape = self.config, self.config.model.shape
        heads = f"{shape.attention_kind} {shape.num_heads}/{shape.num_kv_heads}"
        kind = "no cache" if not config.layout.keeps_entries else layout_text(config.layout)
        parts = [kind, heads, f"{shape.num_layers} layers", config.dtype.short]
        if config.layout.kv_dtype is not config.dtype:
            parts.append(f"KV {config.layout.kv_dtype.short}")
        if config.layout.v_dtype:
            parts.append(f"V {config.layout.v_dtype.short}")
        return tuple(parts)

    @property
    def label(self) -> str:
        """The traits in one line."""
        return " · ".join(self.traits)


class RunList:
    """Runs in order of their start, at most ten; the reference and the shown one are kept."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.shown_id: int | None = None
        self.reference_id: int | None = None
        self._next_id = 1

    @property
    def shown(self) -> Run | None:
        """The run on screen."""
        return self.find(self.shown_id)

    @property
    def reference(self) -> Run | None:
        """The run drawn as a ghost in every chart."""
        return self.find(self.reference_id)

    @property
    def live(self) -> Run | None:
        """The run that the worker is at."""
        return next((run for run in reversed(self.runs) if run.live), None)

    def find(self, run_id: int | None) -> Run | None:
        """Return the run of an id."""
        return next((run for run in self.runs if run.run_id == run_id), None)

    def keeps(self, run_id: int) -> bool:
        """Whether a run is on screen or the reference."""
        return run_id in (self.shown_id, self.reference_id)

    def new_id(self) -> int:
        """Return an id that no run has had."""
        self._next_id += 1
        return self._next_id - 1

    def add(self, run: Run) -> list[Run]:
        """Add a run; the oldest that did not come to its end makes room, else the oldest.

        Neither the shown run nor the reference ever does.  Returns the runs that made room.
        """
        dropped = []
        self.runs.append(run)
        kept = (self.shown_id, self.reference_id, run.run_id)
        while len(self.runs) > MOST_RUNS:
            loose = [r for r in self.runs if r.run_id not in kept]
            cut_short = (r for r in loose if r.state is not RunState.FINISHED)
            dropped.append(next(cut_short, loose[0]))
            self.runs.remove(dropped[-1])
        return dropped

    def remove(self, run_id: int) -> None:
        """Drop a run; the shown one is followed by its neighbour."""
        run = self.find(run_id)
        if run is None:
            return
        place = self.runs.index(run)
        self.runs.remove(run)
        if self.reference_id == run_id:
            self.reference_id = None
        if self.shown_id == run_id:
            rest = self.runs[max(0, place - 1) :]
            self.shown_id = rest[0].run_id if rest else None
