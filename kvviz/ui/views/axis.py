"""Ranges with round ends, and the few numbers written at them."""

from dataclasses import dataclass
from math import floor, log10

from kvviz.sizing.units import byte_unit, count_text

NICE = (1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
COUNT_UNITS = ((10**12, " T"), (10**9, " G"), (10**6, " M"), (10**3, " k"), (1, ""))
NS_PER_MS, NS_PER_S = 1e6, 1e9
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Axis:
    """A fixed range in data units; ticks are (place, text), the weightiest first.

    ``inset`` px at zoom 1 are left free at both ends, for what is drawn round an end point.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()
    inset: float = 0.0


def nice_ceiling(value: float) -> float:
    """Return the smallest round number at or above ``value``; half of it is round too.

    1 where there is nothing to cover.
    """
    if value <= 0:
        return 1.0
    magnitude = 10.0 ** floor(log10(value))
    # A value a hair above its round number, from a division, still is that number.
    return next(n for n in NICE if n * magnitude >= value * (1 - 1e-9)) * magnitude


def number(value: float) -> str:
    """Write ``value`` with at most three figures that matter, thousands separated."""
    if value >= 100 or value == 0:
        return f"{value:,.0f}"
    if value >= 1:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def round_number(value: float) -> str:
    """Write a round number as short as it is exact."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def short_ms(ns: float) -> str:
    """Write milliseconds with two figures that matter: what a glance takes in."""
    ms = ns / NS_PER_MS
    return f"{ms:,.0f}" if ms >= 10 else number(ms)


def byte_axis(top: float) -> Axis:
    """Cover 0 to ``top`` bytes in one unit."""
    size, name = byte_unit(top)
    return _axis(nice_ceiling(top / size), size, f" {name}", "")


def ms_axis(top_ns: float) -> Axis:
    """Cover 0 to ``top_ns`` in milliseconds, in seconds from ten of them on."""
    size, name = (NS_PER_S, " s") if top_ns >= 10 * NS_PER_S else (NS_PER_MS, " ms")
    return _axis(nice_ceiling(top_ns / size), size, name, "")


def count_axis(top: float, word: str) -> Axis:
    """Cover 0 to ``top`` of ``word``, in thousands, millions or more."""
    high = nice_ceiling(top)
    size, name = next((unit for unit in COUNT_UNITS if high >= unit[0]), COUNT_UNITS[-1])
    return _axis(high / size, size, f"{name} {word}", name)


def token_axis(end: int) -> Axis:
    """Cover 0 to ``end`` tokens; the word stands in the middle."""
    middle = end // 2
    ticks = [(0.0, "0"), (float(end), f"{end:,}")]
    if middle:
        ticks.append((float(middle), count_text(middle, "token")))
    return Axis(0.0, float(max(1, end)), tuple(ticks))


def _axis(high: float, size: float, top_words: str, half_words: str) -> Axis:
    half = high / 2
    half_text = round_number(half) + half_words
    # Half of 1 k is 500, not 0.5 k.
    if half_words and half < 1:
        half_text = f"{half * size:,.0f}" if size == 1000 else half_text
    ticks = (
        (high * size, round_number(high) + top_words),
        (half * size, half_text),
        (0.0, "0"),
    )
    return Axis(0.0, high * size, ticks)
