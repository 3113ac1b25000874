import re

import pytest
from hand_made import hand_made_trace

from kvviz.session.moment import Moment
from kvviz.ui.lessons.prose import inline, origins, rich_text
from kvviz.ui.theme import DARK


@pytest.fixture
def moment():
    return Moment(hand_made_trace(prompt_tokens=6, new_tokens=4), 2)


def plain(markup):
    return re.sub(r"<[^>]+>", "", markup).replace("&nbsp;", " ")


def test_the_first_paragraph_stands_out():
    markup = rich_text("One\nline.\n\nAnother.", None, DARK)
    assert plain(markup) == "One line.Another."
    assert markup.index(DARK.text) < markup.index("One")
    assert markup.index(DARK.secondary) < markup.index("Another")


def test_marks_become_tags_and_figures_are_stressed(moment):
    markup = inline("**{seq_len} keys** and *more*, `k`", moment, DARK)
    assert plain(markup) == "8 keys and more, k"
    assert "<b><span style='font-weight:600" in markup
    assert "<i>more</i>" in markup


def test_what_the_run_wrote_is_no_markup():
    trace = hand_made_trace(prompt_tokens=20, new_tokens=8)
    index = next(step.index for step in trace.steps if step.piece == "<E2>")
    assert "“" in inline("“{token}”", Moment(trace, index), DARK)
    assert "&lt;E2&gt;" in inline("“{token}”", Moment(trace, index), DARK)


def test_before_the_run_is_there_figures_wait():
    assert plain(inline("{seq_len} keys", None, DARK)) == "… keys"


def test_where_figures_come_from_is_said():
    said = origins("{seq_len} and {score_cells} and {seq_len * 2}, {bytes_used}")
    assert said == "formula: score cells · measured: tokens read, bytes used"
    assert origins("nothing") == ""
