import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from pixels import has_color, painted
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from kvviz.trace.config import Sampling
from kvviz.ui.views.candidate_bars import bars
from kvviz.ui.views.next_token import NextToken, rules


@pytest.fixture
def make(qtbot, look):
    def build(trace=None, cursor=None):
        view = NextToken(FakeStore(trace, cursor=cursor), look)
        qtbot.addWidget(view)
        view.resize(344, view.sizeHint().height())
        view.show()
        return view

    return build


def test_bars_are_likeliest_first_and_the_taken_one_is_marked(make, look):
    view = make(hand_made_trace(steps=12))
    shown = view.bars.candidates
    assert [bar.taken for bar in shown] == [True, False, False, False, False]
    chances = [bar.candidate.probability for bar in shown]
    assert chances == sorted(chances, reverse=True)
    assert has_color(painted(view.bars), QColor(look.theme.decode))
    assert view.rule.text == "greedy takes the first"


def test_a_token_taken_from_further_down_is_among_the_bars():
    sampled = hand_made_trace(steps=2, sampling=Sampling(temperature=0.8)).steps[1]
    assert [bar.taken for bar in bars(sampled, 5)] == [False, False, True, False, False]
    assert [bar.taken for bar in bars(sampled, 2)] == [False, True]
    assert bars(sampled, 2)[1].candidate.token_id == sampled.token_id


def test_a_prefill_chunk_that_chose_nothing_says_so(make, look):
    view = make(hand_made_trace(20, 10, steps=1, chunk=8))
    assert view.bars.candidates == []
    assert has_color(painted(view.bars), QColor(look.theme.secondary))


def test_before_the_first_step_it_explains_itself(make, look):
    view = make(hand_made_trace(steps=3), cursor=-1)
    assert view.bars.candidates == []
    assert has_color(painted(view.bars), QColor(look.theme.secondary))
    view.bars.store.seek(0)
    assert view.bars.candidates


def test_how_a_token_is_chosen_is_said_in_less_where_there_is_less_room():
    ways = ["".join(text for text, _ in way) for way in rules(Sampling(0.8, 40, 0.95))]
    assert ways[0] == "sampled: temperature 0.8, top-k 40, top-p 0.95"
    assert [len(way) for way in ways] == sorted((len(way) for way in ways), reverse=True)


def test_pointing_at_a_bar_tells_its_id_and_probability(make):
    view = make(hand_made_trace(steps=12))
    assert "id 17: probability 0.4600; this one was taken" in view.bars.explained(QPointF(50, 5))
    assert view.bars.explained(QPointF(50, 1000)) == ""


def test_without_a_run_it_is_empty(make):
    view = make()
    painted(view.bars)
    assert view.rule.text == ""
