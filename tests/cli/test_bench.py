import json

from kvviz.cli import bench
from kvviz.cli.main import main

ROWS = [
    {
        "name": "fast",
        "value": 1234.5,
        "unit": "tokens/s",
        "baseline": 800.0,
        "ratio": 1.54,
        "goal": ">= 1.5x",
        "met": True,
    },
    {
        "name": "other",
        "value": None,
        "unit": "ms",
        "baseline": None,
        "ratio": None,
        "goal": "<= 5 ms",
        "met": None,
        "reason": "not installed",
    },
]


def test_json_is_all_there_is_on_stdout(monkeypatch, capsys):
    monkeypatch.setattr(bench, "measure_all", lambda: iter([ROWS[:1], ROWS[1:]]))
    assert main(["bench", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"rows": ROWS}
    assert printed.err == ""


def test_a_person_gets_a_table_and_the_reasons(monkeypatch, capsys):
    monkeypatch.setattr(bench, "measure_all", lambda: iter([ROWS]))
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["bench"]) == 0
    first, second, *rest = capsys.readouterr().out.splitlines()[1:]
    assert first.split() == ["fast", "1,234", "800", "tokens/s", "1.54x", ">=", "1.5x", "yes"]
    assert second.split() == ["other", "ms", "<=", "5", "ms", "-"]
    assert rest == ["other: not installed"]
