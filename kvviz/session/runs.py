"""The last runs, one of them shown, one of them the reference."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.session.kernel_words import kernel_words
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout_text import layout_text
from kvviz.sizing.units import count_text
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace

MOST_RUNS = 10


class RunState(StrEnum):
    """How far a run has come; one that waits has not been sent to the worker yet."""

    WAITING = "waiting"
    LOADING = "loading"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(slots=True, eq=False)
class Run:
    """A trace and what became of it; ``planned_tokens`` counts prompt and new tokens.

    ``loading`` is (bytes read, bytes in all) while the model is.  ``given_back``: what its cache
    held was released because somebody asked for it, not by another run's start.  ``set_id`` is the
    number of the first run of the comparison that it belongs to.
    """

    run_id: int
    trace: Trace
    prompt_pieces: tuple[str, ...]
    planned_tokens: int
    state: RunState = RunState.LOADING
    message: str = ""
    loading: tuple[int, int] | None = None
    can_continue: bool = False
    given_back: bool = False
    set_id: int | None = None

    @property
    def config(self) -> RunConfig:
        """What the run was asked to do."""
        return self.trace.config

    @property
    def live(self) -> bool:
        """Whether the worker is at it: more steps may still come."""
        return self.state in (RunState.LOADING, RunState.RUNNING)

    @property
    def bytes_held(self) -> int:
        """What its cache takes now as the last step left it, in bytes; 0 once it is released."""
        kept = self.live or self.can_continue
        return self.trace.steps[-1].measured.reserved if kept and self.trace.steps else 0

    def gone_at(self, index: int) -> bool:
        """Whether step ``index`` is its end and what its cache held then was given back."""
        return self.given_back and index == len(self.trace) - 1

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
        parts = [kind, heads, count_text(shape.num_layers, "layer"), config.dtype.short]
        if config.layout.kv_dtype is not config.dtype:
            parts.append(f"KV {config.layout.kv_dtype.short}")
        if config.layout.v_dtype:
            parts.append(f"V {config.layout.v_dtype.short}")
        if config.kernel is not Kernel.SDPA:
            parts.insert(1, kernel_words(config))
        if config.more_prompts:
            parts.insert(1, f"{config.batch} prompts")
        return tuple(parts)

    @property
    def label(self) -> str:
        """The traits in one line."""
        return " · ".join(self.traits)


class RunList:
    """Runs in order of their start, at most ten; the reference and the shown one are kept.

    The runs of a comparison are one of the ten; ``compared_id`` is the set that is on screen.
    """

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.shown_id: int | None = None
        self.reference_id: int | None = None
        self.compared_id: int | None = None
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

    @property
    def compared(self) -> tuple[Run, ...]:
        """The runs of the comparison on screen, their reference first; empty without one."""
        return self.set_of(self.compared_id)

    @property
    def comparing(self) -> bool:
        """Whether a comparison is going on."""
        return self.live is not None and self.live.set_id is not None

    @property
    def waiting(self) -> list[Run]:
        """The runs of a comparison whose turn is still to come."""
        return [run for run in self.runs if run.state is RunState.WAITING]

    @property
    def entries(self) -> list[tuple[Run, ...]]:
        """Runs in order of their start, those of one comparison together."""
        grouped: dict[int, list[Run]] = {}
        for run in self.runs:
            grouped.setdefault(run.set_id or run.run_id, []).append(run)
        return [tuple(entry) for entry in grouped.values()]

    def find(self, run_id: int | None) -> Run | None:
        """Return the run of an id."""
        return next((run for run in self.runs if run.run_id == run_id), None)

    def set_of(self, set_id: int | None) -> tuple[Run, ...]:
        """Return the runs of a comparison."""
        return tuple(run for run in self.runs if run.set_id == set_id is not None)

    def keeps(self, run_id: int) -> bool:
        """Whether a run is on screen or the reference."""
        return run_id in (self.shown_id, self.reference_id)

    def new_id(self) -> int:
        """Return an id that no run has had."""
        self._next_id += 1
        return self._next_id - 1

    def add(self, *added: Run) -> list[Run]:
        """Add a run or a whole set; the oldest that was cut short makes room, else the oldest.

        Neither the shown run, the reference nor the set on screen ever does.  Returns the runs
        that made room.
        """
        dropped: list[Run] = []
        self.runs.extend(added)
        while len(entries := self.entries) > MOST_RUNS:
            loose = [entry for entry in entries if not self._holds(entry, added)]
            cut_short = (e for e in loose if any(r.state is not RunState.FINISHED for r in e))
            made_room = next(cut_short, loose[0])
            dropped += made_room
            self.runs = [run for run in self.runs if run not in made_room]
        return dropped

    def remove(self, run_id: int) -> tuple[Run, ...]:
        """Drop a run, a compared one with its set; the shown one is followed by its neighbour.

        Returns the runs that are gone.
        """
        run = self.find(run_id)
        if run is None:
            return ()
        gone = self.set_of(run.set_id) or (run,)
        place = self.runs.index(gone[0])
        self.runs = [run for run in self.runs if run not in gone]
        ids = [run.run_id for run in gone]
        if self.reference_id in ids:
            self.reference_id = None
        if self.compared_id in ids:
            self.compared_id = None
        if self.shown_id in ids:
            rest = self.runs[max(0, place - 1) :]
            self.shown_id = rest[0].run_id if rest else None
        return gone

    def _holds(self, entry: tuple[Run, ...], added: tuple[Run, ...]) -> bool:
        on_screen = self.compared_id is not None and entry[0].set_id == self.compared_id
        return on_screen or any(run in added or self.keeps(run.run_id) for run in entry)
