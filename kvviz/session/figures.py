"""The figures of a run that a sentence may carry: a closed list, each with unit and origin."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kvviz.session.figure_values import FORMULA, MEASURED, Value
from kvviz.session.moment import Moment
from kvviz.sizing.units import bytes_text, ms_text


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
        return self.name.replace("_", " ")

    def text(self, value: Value) -> str:
        """Write a value of this figure; "…" where there is none yet."""
        return "…" if value is None else WRITTEN[self.unit](value)


def _ratio_text(value: float) -> str:
    return f"{value:,.1f}×" if value < 100 else f"{value:,.0f}×"  # noqa: RUF001 - times


def _number_text(value: float) -> str:
    return f"{value:.2f}" if abs(value) >= 0.005 or value == 0 else f"{value:.0e}"


WRITTEN: dict[Unit, Callable[..., str]] = {
    Unit.COUNT: lambda value: f"{value:,}",
    Unit.BYTES: bytes_text,
    Unit.EXACT_BYTES: lambda value: f"{value:,} bytes",
    Unit.NS: ms_text,
    Unit.RATIO: _ratio_text,
    Unit.NUMBER: _number_text,
    Unit.GAP: lambda value: "0" if value == 0 else f"{value:.1g}",
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
