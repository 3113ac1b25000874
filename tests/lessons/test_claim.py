import pytest
from hand_made import hand_made_trace

from kvviz.lessons.claim import parse_claim
from kvviz.session.moment import Moment


@pytest.fixture
def moment():
    trace = hand_made_trace(prompt_tokens=6, new_tokens=4)
    return Moment(trace, 2, trace)


@pytest.mark.parametrize(
    "text",
    [
        "seq_len = 8",
        "seq_len > prompt_tokens",
        "prompt_tokens<seq_len",
        "seq_len = prompt_tokens + 2",
        "seq_len * 2 >= 16",
        "seq_len != prompt_tokens",
        "logit_gap <= 1e-6",
        "same_tokens = yes",
        "token != second_token",
    ],
)
def test_what_is_so_holds(moment, text):
    assert parse_claim(text).problem(moment) == ""


def test_what_is_not_so_says_both_sides(moment):
    assert parse_claim("seq_len = 9").problem(moment) == "'seq_len = 9' does not hold: 8 and 9.0"
    assert "does not hold: True and False" in parse_claim("same_tokens = no").problem(moment)


def test_what_cannot_be_told_does_not_hold():
    alone = Moment(hand_made_trace(), 2)
    assert "a figure is missing" in parse_claim("same_tokens = yes").problem(alone)


@pytest.mark.parametrize("text", ["", "seq_len", "= 3", "seq_len = token", "seq_len = yes"])
def test_what_is_no_claim_is_refused(text):
    with pytest.raises(ValueError, match=r"is no|are not alike|no figure"):
        parse_claim(text)
