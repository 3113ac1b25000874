"""Runs of one prompt side by side: what the table of a comparison says."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.session.runs import Run, RunState
from kvviz.trace.comparison import Comparison, compare
from kvviz.trace.latency import itl_ns, percentile, ttft_ns


class Unit(StrEnum):
    """What a column counts in; bytes and ns inside, the unit on screen is the view's."""

    TOKENS = "tokens"
    GAP = "logits"
    TIME = "ns"
    BYTES = "bytes"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of every run: its name, that of files, and what it is in one sentence."""

    key: str
    title: str
    unit: Unit
    meaning: str


COLUMNS = (
    Column(
        "same_tokens",
        "tokens",
        Unit.TOKENS,
        "Whether the run chose the reference's tokens, else the first that differs.",
    ),
    Column(
        "max_logit_gap",
        "logit gap",
        Unit.GAP,
        "Largest absolute difference of the logits from the reference's, up to and including the "
        "first token that differs.",
    ),
    Column("ttft_ns", "TTFT", Unit.TIME, "Time to first token, on the engine's clock."),
    Column("itl_p50_ns", "ITL p50", Unit.TIME, "Time of a decode step: half of them took less."),
    Column("itl_p95_ns", "ITL p95", Unit.TIME, "Time of a decode step: 95 % of them took less."),
    Column("bytes_used", "used", Unit.BYTES, "Live keys and values after the last step."),
    Column("bytes_reserved", "reserved", Unit.BYTES, "Allocated for the run after the last step."),
    Column("bytes_peak", "peak", Unit.BYTES, "The most the cache held at once, in any step."),
    Column("bytes_slack", "wasted", Unit.BYTES, "Slack: reserved but not used, at the end."),
    Column(
        "bytes_copied_last", "copied, last", Unit.BYTES, "Old entries the last step moved again."
    ),
    Column("bytes_copied_all", "copied, all", Unit.BYTES, "Old entries moved again by all steps."),
    Column(
        "formula_equals_tensors",
        "formula",
        Unit.CHECK,
        "Whether the formula gave what the tensors had, byte for byte, at every step.",
    ),
)
KEYS = tuple(column.key for column in COLUMNS)


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A run and its figures by column key; None where there is none (yet).

    ``proof`` is None for the reference itself and where there is nothing to compare; ``ended`` says
    whether the figures are those of the whole run.
    """

    run: Run
    figures: dict[str, float | int | None]
    proof: Comparison | None
    is_reference: bool
    ended: bool


class ComparisonTable:
    """The rows of a comparison, each worked out once its run and the reference have ended."""

    def __init__(self) -> None:
        self.rows: tuple[ComparedRow, ...] = ()
        self.best: frozenset[tuple[int, str]] = frozenset()
        self._known: dict[tuple[int, int, bool], ComparedRow] = {}

    def follow(self, runs: tuple[Run, ...]) -> None:
        """Read the runs, the first being the reference."""
        reference = runs[0] if runs else None
        self.rows = tuple(self._row(run, reference) for run in runs)
        keys = {self._key(run, reference) for run in runs}
        self._known = {key: row for key, row in self._known.items() if key in keys}
        self.best = frozenset((place, key) for key in KEYS for place in _best(list(self.rows), key))

    @property
    def most_held(self) -> int:
        """The most bytes that any run held: what all bytes of the table are sized by."""
        return max((int(row.figures["bytes_peak"] or 0) for row in self.rows), default=0)

    @property
    def agrees(self) -> bool | None:
        """Whether formula and tensors are equal in every run that ended; None before any has."""
        checks = [row.figures["formula_equals_tensors"] for row in self.rows if row.ended]
        return all(checks) if checks else None

    def _row(self, run: Run, reference: Run | None) -> ComparedRow:
        key = self._key(run, reference)
        if key not in self._known:
            self._known[key] = _compared(run, reference)
        return self._known[key]

    @staticmethod
    def _key(run: Run, reference: Run | None) -> tuple[int, int, bool]:
        ended = run.state is RunState.FINISHED
        return (
            run.run_id,
            len(run.trace) if ended else -1,
            reference is not None and reference.state is RunState.FINISHED,
        )


def _compared(run: Run, reference: Run | None) -> ComparedRow:
    is_reference, trace = run is reference, run.trace
    figures: dict[str, float | int | None] = dict.fromkeys(KEYS)
    if run.state is not RunState.FINISHED or not len(trace):
        return ComparedRow(run, figures, None, is_reference, False)
    proof = None
    if reference is not None and not is_reference and reference.state is RunState.FINISHED:
        proof = compare(reference.trace, trace)
        figures["same_tokens"], figures["max_logit_gap"] = proof.same_tokens, proof.max_logit_gap
    last, gaps = trace.steps[-1].measured, itl_ns(trace)
    copied = trace.column("bytes_copied")
    figures |= {
        "ttft_ns": ttft_ns(trace),
        "itl_p50_ns": percentile(gaps, 50),
        "itl_p95_ns": percentile(gaps, 95),
        "bytes_used": last.used,
        "bytes_reserved": last.reserved,
        "bytes_peak": int(trace.column("bytes_peak").max()),
        "bytes_slack": last.slack,
        "bytes_copied_last": int(copied[-1]),
        "bytes_copied_all": int(copied.sum()),
        "formula_equals_tensors": all(step.measured == step.predicted for step in trace.steps),
    }
    return ComparedRow(run, figures, proof, is_reference, True)


def _best(rows: list[ComparedRow], key: str) -> list[int]:
    """Return which rows have a column's lowest figure; none where that says nothing.

    A run without a cache holds no bytes, which is no merit among caches; and a figure that half
    of the rows share is no best.
    """
    unit = next(column.unit for column in COLUMNS if column.key == key)
    if unit in (Unit.TOKENS, Unit.CHECK):
        return []
    figures = {
        place: figure
        for place, row in enumerate(rows)
        if (figure := row.figures[key]) is not None
        and (unit is not Unit.BYTES or row.run.config.layout.keeps_entries)
    }
    if len(figures) < 2:
        return []
    lowest = min(figures.values())
    best = [place for place, figure in figures.items() if figure == lowest]
    return best if 2 * len(best) < len(figures) else []
