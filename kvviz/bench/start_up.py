"""The window's start against importing its libraries, a fresh process each, in turn."""

import json
import subprocess
import sys
from statistics import median
from time import perf_counter

from kvviz.bench.measure import Measure, hand_in

ROUNDS = 5
QT = "import PySide6.QtWidgets, pyqtgraph"
QT_AND_TORCH = f"{QT}, torch"


def start_figures() -> dict[str, Measure]:
    """Return first paint and first token in ms from the process's start, and the worst stall.

    Rounds are compared within themselves: a slow moment of the machine slows all of one round.
    """
    opened()  # the first start reads files that the others find in memory
    rounds = [(opened(), imported(QT), imported(QT_AND_TORCH)) for _ in range(ROUNDS)]
    return {
        "first_paint": compared([(o["first_paint"], qt) for o, qt, _ in rounds]),
        "first_token": compared([(o["first_token"], both) for o, _, both in rounds]),
        "torch_stall": Measure(median(o["stall"] for o, _, _ in rounds)),
    }


def compared(pairs: list[tuple[float, float]]) -> Measure:
    """Return medians of (ours, theirs) in ms, and of the rounds' ratios."""
    return Measure(
        median(ours for ours, _ in pairs),
        median(theirs for _, theirs in pairs),
        median(ours / theirs for ours, theirs in pairs),
    )


def opened() -> dict[str, float]:
    """Open the window in a process; return ms from its start to what it tells."""
    begin = perf_counter()
    command = [sys.executable, "-m", "kvviz.bench.opening"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    told = json.loads(done.stdout)
    return {
        "first_paint": (told["first_paint"] - begin) * 1000,
        "first_token": (told["first_token"] - begin) * 1000,
        "stall": max(told["late_ms"]),
    }


def imported(statement: str) -> float:
    """Return how many ms a process takes that does nothing but import."""
    begin = perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return (perf_counter() - begin) * 1000


if __name__ == "__main__":
    hand_in(start_figures())
