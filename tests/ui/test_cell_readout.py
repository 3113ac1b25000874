import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace

from kvviz.session.attention import cell_facts, chosen_weights
from kvviz.session.selection import Aggregate, Pointer
from kvviz.ui.views.cell_readout import cell_in_question, read_out, variants


@pytest.fixture
def shown(qapp):
    return FakeStore(hand_made_trace(steps=12))


def test_a_cell_says_tokens_score_and_weight(shown):
    shown.select(layer=2, head=3)
    facts = cell_facts(shown.trace, 2, 3, 8, 2)
    text = read_out(shown, (8, 2)).text
    assert text.startswith("row said → key cat")
    assert f"score {facts.score:.2f}" in text
    assert f"weight {facts.weight:.2f}" in text


def test_heads_together_have_a_weight_and_no_score(shown):
    shown.select(head=Aggregate.MEAN)
    mean = chosen_weights(shown.trace, 0, Aggregate.MEAN, 8, 9)[0, 2]
    text = read_out(shown, (8, 2)).text
    assert f"mean weight {mean:.2f}" in text
    assert "score" not in text


def test_masked_and_not_yet_say_so(shown):
    assert "masked" in read_out(shown, (2, 8)).text
    assert "cat never sees" in read_out(shown, (2, 8)).text
    assert read_out(shown, (2, 25)).text.endswith("never sees token 25")
    assert "Row 2, key 8" in read_out(shown, (2, 8)).explanation
    assert "not computed yet" in read_out(shown, (20, 3)).text
    shown.seek(3)
    assert "not computed yet" in read_out(shown, (12, 3)).text


def test_the_figures_are_said_to_be_recomputed(shown):
    assert "recomputed" in read_out(shown, (8, 2)).explanation
    assert "recomputed" not in read_out(shown, (2, 8)).explanation


@pytest.mark.parametrize("head", [3, Aggregate.MAX])
def test_figures_carry_their_tag(shown, head):
    shown.select(head=head)
    readout = read_out(shown, (8, 2))
    assert readout.text.endswith(" · measured")
    assert all(way[-1][0] == " · measured" for way in variants(readout))


def test_a_byte_is_explained(shown):
    shown.trace._fed[2] = shown.trace._fed[2]._replace(piece="<9B>")
    assert " 9B is one UTF-8 byte of a character" in read_out(shown, (8, 2)).explanation
    assert "UTF-8" not in read_out(shown, (8, 3)).explanation


def test_shorter_ways_keep_the_weight(shown):
    ways = variants(read_out(shown, (8, 2)))
    lengths = [sum(len(text) for text, _ in way) for way in ways]
    assert lengths == sorted(lengths, reverse=True)
    assert all(way[-2:] == ways[0][-2:] for way in ways)


def test_long_names_are_cut_where_room_is_short(shown):
    shown.trace._fed[2] = shown.trace._fed[2]._replace(piece="grandmother")
    full, short, *_ = variants(read_out(shown, (8, 2)))
    assert full[3] == ("grandmother", True)
    assert short[2] == ("grandmo…", True)


def test_the_mouse_goes_before_the_cell_cursor(shown):
    assert cell_in_question(shown) is None
    shown.select(cell=(8, 2))
    assert cell_in_question(shown) == (8, 2)
    shown.point(Pointer(5))  # a token alone, pointed at elsewhere
    assert cell_in_question(shown) == (8, 2)
    shown.point(Pointer(9, 9))
    assert cell_in_question(shown) == (9, 9)


def test_without_a_run_there_is_nothing_to_say(qapp):
    assert read_out(FakeStore(), (0, 0)) is None


def test_names_give_way_before_the_score_does(shown):
    shown.select(layer=2, head=3)
    facts = cell_facts(shown.trace, 2, 3, 8, 2)
    *_, figures, weight = variants(read_out(shown, (8, 2)))
    said = "".join(text for text, _ in figures)
    assert said == f"score {facts.score:.2f}  weight {facts.weight:.2f} · measured"
    assert "".join(text for text, _ in weight) == f"weight {facts.weight:.2f} · measured"
