"""The figures of a run that a sentence may carry: a closed list, each with unit and origin."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kvviz.session.figure_reading import Value
from kvviz.session.formula_figures import FORMULA
from kvviz.session.gap_text import gap_text
from kvviz.session.measured_figures import MEASURED
from kvviz.session.moment import Moment
from kvviz.session.number_text import number_text
from kvviz.session.probability_text import probability_text
from kvviz.sizing.units import bytes_text, count_text, ms_text


class Origin(StrEnum):
    """Where a number comes from."""

    MEASURED = "measured"
    FORMULA = "formula"


class Unit(StrEnum):
    """What a figure counts, and so how it is written."""

    COUNT = "count"
    BYTES = "bytes"
    EXACT_BYTES = "exact bytes"
    NS = "ns"
    RATIO = "ratio"
    NUMBER = "number"
    PROBABILITY = "probability"
    GAP = "gap"
    YES_NO = "yes or no"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure's name, unit and origin, and how it is read off a moment."""

    name: str
    unit: Unit
    origin: Origin
    read: Callable[[Moment], Value]

    @property
    def words(self) -> str:
        """The name as it is read."""
        return SPOKEN.get(self.name, self.name.replace("_", " "))

    def text(self, value: Value) -> str:
        """Write a value of this figure; "…" where there is none yet."""
        return "…" if value is None else WRITTEN[self.unit](value)


SPOKEN = {
    "seq_len": "tokens read",
    "max_seq_len": "sequence limit",
    "num_layers": "layers",
    "num_heads": "query heads",
    "num_kv_heads": "KV heads",
    "head_dim": "head size",
    "kv_vectors": "vectors a token",
    "vocab_size": "vocabulary",
    "ttft": "TTFT",
    "itl_p50": "ITL",
    "first_calls": "latency of the first ten",
    "last_calls": "latency of the last ten",
    "run_latency": "latency of the run",
    "reference_run_latency": "latency of the reference",
    "reference_used": "bytes of the reference",
    "reference_bytes_per_token": "bytes per token of the reference",
    "bytes_used_exactly": "bytes used",
    "bytes_per_token_exactly": "bytes per token",
    "formula_now": "bytes by the formula",
    "formula_per_token": "bytes per token",
    "example_bytes": "bytes of the example",
    "example_bytes_of_16": "bytes of 16 such",
    "example_weights": "bytes of its weights",
    "run_used": "bytes used at the end",
    "answer": "answers",
    "reference_answer": "answers",
    "tokens_fallen": "tokens fallen out",
    "held_tokens": "tokens still held",
    "reference_slack": "slack of the reference",
    "run_copied": "bytes copied in all",
    "agreement": "same tokens",
    "kernel_gap": "largest difference",
    "cell_output_gap": "largest difference",
    "cell_kv_head": "the cell's KV head",
    "token": "the token chosen",
    "second_token": "the runner-up",
    "logit_lead": "lead of the best logit",
    "cell_query": "the cell's tokens",
    "cell_key": "the cell's tokens",
    "tokens_reused": "tokens found",
    "reference_ttft": "TTFT of the reference",
    "reference_itl_p50": "ITL of the reference",
}


def _ratio_text(value: float) -> str:
    return f"{value:,.1f}×" if value < 100 else f"{value:,.0f}×"  # noqa: RUF001 - times


WRITTEN: dict[Unit, Callable[..., str]] = {
    Unit.COUNT: lambda value: f"{value:,}",
    Unit.BYTES: bytes_text,
    Unit.EXACT_BYTES: lambda value: count_text(value, "byte"),
    Unit.NS: ms_text,
    Unit.RATIO: _ratio_text,
    Unit.NUMBER: number_text,
    Unit.PROBABILITY: probability_text,
    Unit.GAP: gap_text,
    Unit.YES_NO: lambda value: "yes" if value else "no",
    Unit.TEXT: lambda value: value.strip() or "space",
}


def _table() -> dict[str, Figure]:
    groups = ((Origin.MEASURED, MEASURED), (Origin.FORMULA, FORMULA))
    return {
        name: Figure(name, Unit(unit), origin, read)
        for origin, group in groups
        for unit, readers in group.items()
        for name, read in readers.items()
    }


FIGURES = _table()
