import csv
import io

import pytest

from kvviz.trace.table import HEADER, steps_table


def rows(trace):
    return list(csv.DictReader(io.StringIO(steps_table(trace), newline="")))


def test_a_step_is_a_line_of_plain_integers(make_trace):
    trace = make_trace(chunks=(2, 1))

    table = rows(trace)

    assert list(table[0]) == list(HEADER)
    assert [int(row["seq_len_tokens"]) for row in table] == trace.column("seq_len").tolist()
    assert [int(row["latency_ns"]) for row in table] == trace.column("latency_ns").tolist()
    assert int(table[-1]["predicted_bytes_peak"]) == trace.steps[-1].predicted.peak
    assert [row["phase"] for row in table] == ["prefill", "prefill", "decode", "decode"]
    assert (table[0]["token_id"], table[0]["probability"]) == ("", "")
    assert table[0]["tokens_added"] == "<5><6>"


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@x", "\tx", "\rx"])
def test_a_text_that_a_spreadsheet_would_run_is_held_back(make_trace, text):
    table = rows(make_trace(pieces=lambda _: text))

    assert table[0]["token"] == f"'{text}"
    assert table[1]["tokens_added"] == f"'{text}"


@pytest.mark.parametrize("text", ["a=1", "7", ' "quoted", \n line', ""])
def test_other_texts_are_as_they_are(make_trace, text):
    assert rows(make_trace(pieces=lambda _: text))[0]["token"] == text
