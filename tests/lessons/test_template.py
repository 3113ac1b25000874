import pytest
from hand_made import hand_made_trace

from kvviz.lessons.template import fill, missing, parse_reference
from kvviz.session.moment import Moment


@pytest.fixture
def moment():
    return Moment(hand_made_trace(prompt_tokens=6, new_tokens=4), 2)


def test_figures_are_put_in(moment):
    assert fill("{prompt_tokens} and {seq_len} tokens", moment) == "6 and 8 tokens"
    assert fill("nothing here", moment) == "nothing here"


def test_a_figure_may_be_counted_with(moment):
    text = "{seq_len * 2}, {seq_len/2}, {seq_len + 1}, {seq_len - 1}, {seq_len / 3}"
    assert fill(text, moment) == "16, 4, 9, 7, 2.6666666666666665"


def test_each_figure_can_be_dressed(moment):
    dressed = fill("a {seq_len} b", moment, lambda ref, text: f"<{ref.figure.name}:{text}>")
    assert dressed == "a <seq_len:8> b"


def test_what_is_not_there_yet_is_named():
    before = Moment(hand_made_trace(), -1)
    assert missing("{seq_len} of {prompt_tokens}", before) == ["seq_len"]
    assert fill("{seq_len} of {prompt_tokens}", before) == "… of 6"


def test_words_are_not_counted_with():
    with pytest.raises(ValueError, match="is no number"):
        parse_reference("token * 2")
