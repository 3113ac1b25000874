import io
import sys

import pytest
from answers import ask

from kvviz.cli.progress import bytes_progress, progress


def lines(capsys, *options):
    found = ask(capsys, "run", *options)
    assert (found.code, found.err) == (0, "")
    return found.out.splitlines()


def value(found, name):
    return next(line for line in found if line.startswith(name)).removeprefix(name).split()


def test_every_figure_says_where_it_comes_from(capsys):
    found = lines(capsys, "--prompt-ids", "10,20,30,40", "--max-new-tokens", "5")

    table = found[next(i for i, line in enumerate(found) if line.startswith("cache ")) + 1 :]
    origins = {line.split()[-1] for line in table if line.strip()}
    assert origins == {"measured", "formula", "both"}
    assert value(found, "formula = tensors") == ["yes", "both"]
    assert value(found, "token positions") == ["8", "formula"]
    assert value(found, "naive token positions") == ["30", "formula"]
    assert value(found, "used at the end") == ["8.00", "KiB", "measured"]


def test_words_that_do_not_fit_go_to_a_second_line(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    prompts = ("--earlier", "10,20,30,40,50", "--prompt-ids", "10,20,30,40,60")
    found = lines(capsys, "--cache", "paged:4", "--max-new-tokens", "2", *prompts)

    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(found)
    assert max(map(len, found)) <= 80
    assert value(found, "prefix found") == ["4", "tokens,", "not", "computed", "measured"]
    assert value(found, "block 1 missed")[-1] == "measured"
    assert "shared" in "".join(found)


def test_a_figure_that_is_not_there_is_a_dash(capsys):
    found = lines(capsys, "--prompt-ids", "10", "--max-new-tokens", "1")

    for name in ("between tokens (ITL), p50", "per output token (TPOT)", "decode tokens/s, mean"):
        assert value(found, name)[0] == "\N{EN DASH}"


def test_prompt_and_continuation_come_first(capsys):
    assert lines(capsys, "--prompt-ids", "10,20", "--max-new-tokens", "3")[0].startswith("10 20 ")
    assert lines(capsys, "--prompt", "[red]The[/red] cat", "--bytes")[0].startswith(
        "[red]The[/red] cat"
    )


def test_what_a_model_says_never_steers_the_terminal(capsys):
    found = ask(capsys, "run", "--prompt", "a\x1b[31mb\x07", "--bytes", "--max-new-tokens", "200")

    assert found.code == 0
    assert all(c.isprintable() or c == "\n" for c in found.out)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_narrow_stream_takes_what_it_can(monkeypatch, encoding):
    from kvviz.cli.main import main

    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)

    assert main(["run", "--prompt", "\N{SNOWMAN}", "--bytes", "--max-new-tokens", "1"]) == 0


def test_progress_is_silent_where_nobody_looks(capsys):
    with progress("measuring", 3) as report:
        report(2)
    with bytes_progress("loading") as report_bytes:
        report_bytes(2, 3)

    assert capsys.readouterr() == ("", "")


def test_progress_goes_to_the_terminal_that_stderr_is(monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress("measuring", 3) as report:
        report(2)
    with bytes_progress("loading") as report_bytes:
        report_bytes(2, 3)

    assert "measuring" in sys.stderr.getvalue()
    assert capsys.readouterr().out == ""
