import pytest
from answers import ask

IDS = "10,20,30,40"
RUN = ("compare", "--prompt-ids", IDS, "--max-new-tokens", 10, "--kv-heads", 2, "--heads", 4)


def test_every_layout_says_what_the_reference_says(capsys):
    found = ask(capsys, *RUN, "--cache", "none,concat,preallocated", "--json").json

    assert [run["cache"] for run in found["runs"]] == ["none", "concat", "preallocated"]
    assert [run["same_tokens"] for run in found["runs"]] == [True] * 3
    assert [run["first_difference"] for run in found["runs"]] == [None] * 3
    assert found["runs"][0]["max_logit_gap"] == 0.0
    assert all(0 <= run["max_logit_gap"] < 1e-4 for run in found["runs"])
    assert found["runs"][0]["totals"] == found["runs"][1]["totals"] | {
        "token_positions": found["runs"][0]["totals"]["naive_token_positions"],
        "score_cells": found["runs"][0]["totals"]["naive_score_cells"],
    }


def test_a_run_is_that_of_the_run_command(capsys):
    alone = ask(capsys, "run", *RUN[1:], "--cache", "concat", "--json").json
    [run] = ask(capsys, *RUN, "--cache", "concat", "--json").json["runs"]

    assert set(run) - set(alone) == {"same_tokens", "first_difference", "max_logit_gap"}
    assert run["tokens"] == alone["tokens"]


@pytest.mark.parametrize("kinds", ["preallocated, none", "concat,concat"])
def test_the_first_is_the_reference(capsys, kinds):
    found = ask(capsys, *RUN, "--cache", kinds, "--json").json

    assert [run["cache"] for run in found["runs"]] == kinds.replace(" ", "").split(",")
    assert found["runs"][0]["max_logit_gap"] == 0.0


def test_coarser_keys_open_a_gap(capsys):
    """The gap is of tokens that both chose from: it ends at the first different one."""
    exact = ask(capsys, *RUN, "--cache", "none,preallocated", "--json").json
    coarse = ask(capsys, *RUN, "--kv-dtype", "bf16", "--cache", "none,preallocated", "--json").json

    assert coarse["runs"][1]["max_logit_gap"] > 100 * exact["runs"][1]["max_logit_gap"]


def test_runs_are_read_side_by_side(capsys):
    found = ask(capsys, *RUN)

    lines = found.out.splitlines()
    header = next(line for line in lines if line.startswith("cache "))
    assert header.split() == ["cache", "none", "concat", "preallocated"]
    same = next(line for line in lines if line.startswith("same tokens"))
    assert same.split()[2:] == ["yes", "yes", "yes", "measured"]
    assert all(len(line) <= 80 for line in lines)
    assert "…" not in found.out


@pytest.mark.parametrize("kinds", ["", ",", "none,", "none,heap"])
def test_a_layout_that_is_none_is_refused(capsys, kinds):
    assert "--cache" in ask(capsys, *RUN, "--cache", kinds).sentence
