import csv
import io

import pytest

from kvviz.session.calculator.calculator import Calculator
from kvviz.session.calculator.model import from_preset
from kvviz.session.calculator.texts import csv_text, markdown_text, plain_text
from kvviz.session.calculator.words import (
    figure_rows,
    short_tokens,
    time_text,
    verdict,
)
from kvviz.sizing.presets import load_presets


@pytest.fixture
def calculator():
    return Calculator()


def test_markdown_has_total_formula_and_source(calculator):
    text = markdown_text(calculator)
    assert "| total | 2.00 GiB = 2.15 GB (2,147,483,648 B) |" in text
    assert "| one more token | 512 KiB = 524 kB (524,288 B) |" in text
    assert "- 32 layers full: 32 x 4,096 cells" in text
    assert text.endswith("the rest as in Llama-2-7B\n")


def test_text_has_a_line_a_figure(calculator):
    lines = plain_text(calculator).splitlines()
    assert (
        lines[0]
        == "KV cache of The tutorial's example: 1 sequence of 4,096 tokens, bfloat16, exact"
    )
    assert any(line.startswith("total ") and "2,147,483,648 B" in line for line in lines)


def test_csv_can_be_read_back(calculator):
    calculator.change(
        calculator.sheet.with_model(from_preset(load_presets().find("gpt-oss-20b"))), "m"
    )
    rows = list(csv.reader(io.StringIO(csv_text(calculator))))
    assert rows[0] == ["figure", "value"]
    assert {len(row) for row in rows} == {2}
    values = dict(rows)
    parts = [int(value) for name, value in rows if name.startswith("layer ")]
    assert sum(parts) == int(values["total_bytes"])
    assert values["layer 0 sliding k_bytes"] == str(128 * 8 * 64 * 2)


def test_other_numbers():
    assert time_text(15_176_541) == "15.2 ms"
    assert time_text(999) == "999 ns"
    assert [short_tokens(n) for n in (512, 4096, 2**20, 5000)] == ["512", "4 k", "1 M", "5,000"]


def test_verdicts(calculator):
    assert verdict(calculator)[1:] == ("fits", "good")
    calculator.change(calculator.sheet.asking(tokens=100_000), "tokens")
    assert verdict(calculator)[1:] == ("does not fit", "error")
    calculator.change(calculator.sheet.asking(memory=2**30), "memory")
    assert verdict(calculator)[0] == "the weights alone do not fit"


def test_figures_name_both_sides(calculator):
    calculator.change(calculator.sheet.asking(block_size=16, tp=2, sequences=2), "all")
    takes, fits = (dict(rows) for rows in figure_rows(calculator))
    assert takes["each of 2 GPUs"] == "2.00 GiB"
    assert takes["16-token blocks"] == "512"
    # 6,738,415,616 weights but the embedding of 2 bytes each, two caches, and their next tokens
    assert takes["a step moves at least"] == "16.3 GiB"
    assert fits["blocks that fit"]
    assert "longest context, 2 sequences" in fits
