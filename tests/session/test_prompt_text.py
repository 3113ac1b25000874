import pytest

from kvviz.session.prompt_text import MOST_CHARACTERS, fit_for_prompt


@pytest.mark.parametrize("text", ["", "The cat", "Ein Käse, 猫 🐈\n\tzwei", "a" * MOST_CHARACTERS])
def test_ordinary_text_stays_as_it_is(text):
    fitted = fit_for_prompt(text)
    assert (fitted.text, fitted.notice) == (text, "")


def test_ten_megabytes_are_cut_to_a_stated_length():
    fitted = fit_for_prompt("x" * 10_000_000)
    assert len(fitted.text) == MOST_CHARACTERS
    assert "10,000,000" in fitted.notice
    assert "8,192" in fitted.notice


@pytest.mark.parametrize("strange", ["\x00", "\ud800"])
def test_what_is_not_text_is_replaced_and_said(strange):
    fitted = fit_for_prompt(f"a{strange}b")
    assert fitted.text == "a\ufffdb"
    assert "1 character is" in fitted.notice
    fitted.text.encode()


def test_both_are_said_in_one_notice():
    fitted = fit_for_prompt("\x00" * (MOST_CHARACTERS + 1))
    assert fitted.text == "\ufffd" * MOST_CHARACTERS
    assert "8,193" in fitted.notice
    assert "8,192 characters are not text" in fitted.notice
