import pytest
from hand_made import hand_made_trace

from kvviz.trace.step import Phase
from kvviz.ui.views.pieces import feeding_step, is_byte, phase_spans, spoken, visible


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        (" ", "␣"),
        ("  ", "␣␣"),
        (" cat", "␣cat"),
        ("\n", "\\n"),
        ("\\n", "\\n"),
        ("<E2>", "E2"),
        ("<s>", "<s>"),
        ("", "∅"),
    ],
)
def test_blanks_and_bytes_can_be_seen(piece, shown):
    assert visible(piece) == shown


def test_only_hex_pairs_are_bytes():
    assert is_byte("<E2>")
    assert not is_byte("<s>")
    assert not is_byte("<e2>")


def test_a_sentence_leaves_out_the_space_before_a_word_but_not_a_space_itself():
    assert spoken(" cat") == "cat"
    assert spoken(" ") == "␣"


def test_spans_join_steps_of_one_phase_up_to_the_cursor():
    trace = hand_made_trace(20, 10, steps=6, chunk=8)
    assert phase_spans(trace, -1) == []
    assert phase_spans(trace, 1) == [(Phase.PREFILL, 0, 16)]
    assert phase_spans(trace, 5) == [(Phase.PREFILL, 0, 20), (Phase.DECODE, 20, 23)]
    assert phase_spans(None, 3) == []


def test_the_step_that_fed_a_token_is_known_once_it_was_fed():
    trace = hand_made_trace(6, 10, steps=3)
    assert feeding_step(trace, 5) == 0
    assert feeding_step(trace, 7) == 2
    assert feeding_step(trace, 8) is None
    assert feeding_step(None, 0) is None
