import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kvviz.bench import suite
from kvviz.bench.goals import GOALS, at_least, at_most
from kvviz.bench.measure import Measure, failure, interleaved
from kvviz.bench.suite import FIGURES, Figure, measure, measure_all, row

FASTER = at_least(1.5, "fast", "tokens/s")
SHORT = at_most(16, "short", "ms")


def test_every_figure_of_the_table_is_measured_once():
    measured = [goal for figure in FIGURES for goal in figure.goals]
    assert sorted(measured) == sorted(GOALS)


def test_every_figure_is_a_module_that_can_be_started():
    room = Path(suite.__file__).parent
    for figure in FIGURES:
        source = (room / f"{figure.module}.py").read_text(encoding="utf-8")
        assert '__name__ == "__main__"' in source


@pytest.mark.parametrize(("goal", "text"), [(FASTER, ">= 1.5x"), (SHORT, "<= 16 ms")])
def test_a_goal_is_readable(goal, text):
    assert goal.text == text


@pytest.mark.parametrize(("ratio", "met"), [(1.5, True), (1.49, False)])
def test_a_ratio_is_held_against_its_limit(ratio, met):
    assert row(FASTER, Measure(30.0, 20.0, ratio)) == {
        "name": "fast",
        "value": 30.0,
        "unit": "tokens/s",
        "baseline": 20.0,
        "ratio": ratio,
        "goal": ">= 1.5x",
        "met": met,
    }


@pytest.mark.parametrize(("value", "met"), [(16.0, True), (16.1, False), (0.0, True)])
def test_a_value_is_held_against_its_limit(value, met):
    assert row(SHORT, Measure(value))["met"] is met


def test_what_has_no_baseline_has_no_verdict_and_says_why():
    made = row(FASTER, Measure(30.0, reason="not installed"))
    assert (made["met"], made["value"], made["reason"]) == (None, 30.0, "not installed")


def test_what_failed_is_not_met():
    made = row(SHORT, failure("it broke"))
    assert (made["met"], made["value"], made["reason"]) == (False, None, "it broke")


def test_without_qt_figures_on_screen_have_no_verdict(monkeypatch):
    monkeypatch.setattr(suite, "screen_problem", lambda: "Qt cannot start here: no library")
    monkeypatch.setattr(
        suite, "measure", lambda figure: dict.fromkeys(figure.goals, Measure(1.0, 1.0, 1.0))
    )
    rows = [made for found in measure_all() for made in found]
    assert len(rows) == len(GOALS)
    unseen = [made for made in rows if made.get("reason", "").startswith("Qt cannot start here")]
    assert len(unseen) == sum(len(figure.goals) for figure in FIGURES if figure.on_screen)
    assert {made["met"] for made in unseen} == {None}


@pytest.mark.parametrize(
    ("code", "stderr", "reason"),
    [(3, "Traceback\nValueError: no", "it ended with code 3: ValueError: no"), (1, "", "nothing")],
)
def test_a_process_that_fails_is_said_in_one_line(monkeypatch, code, stderr, reason):
    done = SimpleNamespace(returncode=code, stdout="", stderr=stderr)
    monkeypatch.setattr(suite.subprocess, "run", lambda *args, **kwargs: done)
    found = measure(Figure("decode", ("decode_2048",)))
    assert found["decode_2048"].failed
    assert reason in found["decode_2048"].reason


def test_a_process_hands_its_measures_in(monkeypatch):
    told = {"grid": {"value": 2.0, "baseline": None, "ratio": None, "reason": "", "failed": False}}
    commands = []

    def run(command, **kwargs):
        commands.append(command)
        return SimpleNamespace(returncode=0, stdout=json.dumps(told), stderr="")

    monkeypatch.setattr(suite.subprocess, "run", run)
    assert measure(Figure("redraw", ("grid",), ("grid",))) == {"grid": Measure(2.0)}
    assert commands == [[sys.executable, "-m", "kvviz.bench.redraw", "grid"]]


def test_rounds_take_turns_and_the_median_round_counts():
    order, ours, theirs = [], iter([10.0, 30.0, 20.0]), iter([5.0, 10.0, 20.0])

    def speed(name, values):
        def measured():
            order.append(name)
            return next(values)

        return measured

    found = interleaved(speed("ours", ours), speed("theirs", theirs), 3)
    assert order == ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
    assert found == Measure(20.0, 10.0, 2.0)
