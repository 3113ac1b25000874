"""Every figure of the bench, each measured in a fresh process, as rows."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from kvviz.bench.goals import FOLDER_GOALS, GOALS, Goal
from kvviz.bench.measure import Measure, failure

LONGEST_S = 240.0
LONGEST_FOLDER_S = 3600.0  # a model may be as large as the memory
ON_SCREEN = "import sys; from PySide6.QtWidgets import QApplication; QApplication(sys.argv)"

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Figure:
    """A module of this room, what it is started with, and the goals that it measures."""

    module: str
    goals: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    on_screen: bool = False


BUILT_IN = Figure("folder_speeds", ("built_in_decode", "built_in_load"), ("built-in",))
FIGURES = (
    Figure("decode", ("decode_2048",), ("decode_2048", "2048", "preallocated", "tutorial")),
    Figure("decode", ("decode_4096",), ("decode_4096", "4096", "preallocated", "tutorial")),
    Figure("decode", ("against_concat",), ("against_concat", "4096", "preallocated", "concat")),
    Figure("decode", ("paged",), ("paged", "4096", "paged:16", "preallocated")),
    Figure("block_pool", ("block_pool",)),
    Figure("transformers_generate", ("transformers",)),
    BUILT_IN,
    Figure("window_speed", ("window_speed",), on_screen=True),
    Figure("heartbeat", ("late_p99", "late_max"), on_screen=True),
    Figure("start_up", ("first_paint", "first_token", "torch_stall"), on_screen=True),
    Figure("redraw", ("grid",), ("grid",), on_screen=True),
    Figure("redraw", ("chart",), ("chart",), on_screen=True),
    Figure("calculator", ("slider_move", "slider_painted"), ("move",), on_screen=True),
    Figure("calculator", ("configs", "calc_process"), ("sizes",)),
    Figure("growth", ("growth",), on_screen=True),
    Figure("cycles", ("threads",), on_screen=True),
)


def measure_all() -> Iterator[list[Row]]:
    """Yield the rows of one figure after the other, as soon as they are measured."""
    no_screen = screen_problem()
    for figure in FIGURES:
        if figure.on_screen and no_screen:
            found = dict.fromkeys(figure.goals, Measure(reason=no_screen))
        else:
            found = measure(figure)
        yield [row(GOALS[goal], found[goal]) for goal in figure.goals]


def measure_model(name: str) -> Iterator[list[Row]]:
    """Yield the rows of one model, ``built-in`` or a folder."""
    figure = BUILT_IN if name == "built-in" else Figure("folder_speeds", (*FOLDER_GOALS,), (name,))
    found = measure(figure, LONGEST_FOLDER_S)
    yield [row((GOALS | FOLDER_GOALS)[goal], found[goal]) for goal in figure.goals]


def measure(figure: Figure, longest_s: float = LONGEST_S) -> dict[str, Measure]:
    """Run a figure's process, for ``longest_s`` seconds at most, and return what it measured."""
    command = [sys.executable, "-m", f"kvviz.bench.{figure.module}", *figure.arguments]
    try:
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, timeout=longest_s
        )
    except subprocess.TimeoutExpired:
        return dict.fromkeys(figure.goals, failure(f"it took longer than {longest_s:g} s"))
    if done.returncode:
        problem = f"it ended with code {done.returncode}: {_last(done.stderr)}"
        return dict.fromkeys(figure.goals, failure(problem))
    found = json.loads(done.stdout)
    return {goal: Measure(**found[goal]) for goal in figure.goals}


def row(goal: Goal, measure: Measure) -> Row:
    """Return a row; what could not be compared has no verdict, what failed has a bad one."""
    known = measure.ratio if goal.of_ratio else measure.value
    met = goal.is_met(known) if known is not None else (False if measure.failed else None)
    made: Row = {
        "name": goal.name,
        "value": measure.value,
        "unit": goal.unit,
        "baseline": measure.baseline,
        "ratio": measure.ratio,
        "goal": goal.text,
        "met": met,
    }
    return made | {"reason": measure.reason} if measure.reason else made


def environment() -> dict[str, str]:
    """Return what a figure's process sees: one thread, no network, no screen unless one is named.

    Windows that come and go on a person's desktop would be measured with the person's own mouse.
    """
    return {
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "QT_QPA_PLATFORM": "offscreen",
        **os.environ,
    }


def screen_problem() -> str:
    """Return why Qt cannot open a window here, not even one that nobody sees; empty if it can."""
    if importlib.util.find_spec("PySide6") is None:
        return "PySide6 is not installed"
    tried = subprocess.run(
        [sys.executable, "-c", ON_SCREEN], env=environment(), capture_output=True, text=True
    )
    return f"Qt cannot start here: {_last(tried.stderr)}" if tried.returncode else ""


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
