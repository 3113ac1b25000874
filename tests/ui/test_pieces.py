import pytest
from hand_made import hand_made_trace

from kvviz.trace.step import Phase
from kvviz.ui.views.pieces import byte_words, feeding_step, is_byte, phase_spans, spoken, visible


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


@pytest.mark.parametrize(
    ("pieces", "place", "words"),
    [
        ("a <E2> <82> <AC>", 1, "UTF-8 byte 1 of 3 of “€”"),
        ("a <E2> <82> <AC>", 3, "UTF-8 byte 3 of 3 of “€”"),
        ("<C3> <A9> <C3>", 1, "UTF-8 byte 2 of 2 of “é”"),
        ("<C3> <A9> <C3>", 2, "the first of a character's 2; the others are not there"),
        ("<F0> <9F> <98> <80>", 2, "UTF-8 byte 3 of 4 of “😀”"),
        ("<E2> x <AC>", 0, "the first of a character's 3; the others are not there"),
        ("<C3> <A9> <AC>", 2, "whose first byte is not before it"),
        ("<9B>", 0, "whose first byte is not before it"),
        ("<08>", 0, "a control character"),
        ("<FF>", 0, "one byte that UTF-8 never uses"),
        ("<C0> <80>", 0, "one byte that UTF-8 never uses"),
    ],
)
def test_a_byte_is_said_to_be_part_of_its_character(pieces, place, words):
    assert byte_words(pieces.split(" "), place).endswith(words)


def test_words_are_no_bytes():
    assert byte_words(["<E2>", "<82>", " cat"], 2) == ""
    assert byte_words(["a"], 0) == ""


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
