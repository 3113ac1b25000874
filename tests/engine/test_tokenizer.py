import subprocess
import sys

import pytest

from kvviz.engine.tokenizer import ByteTokenizer, IdTokenizer, build_tokenizer
from kvviz.sizing.errors import InputError
from kvviz.trace.config import TokenizerKind


@pytest.mark.parametrize("text", ["The cat", "naïve 猫 🐈", "", "a\x00b\n\t"])
def test_bytes_come_back_as_the_text_they_were(text):
    tokenizer = ByteTokenizer()
    assert tokenizer.encode(text) == tuple(text.encode())
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_lone_surrogate_becomes_a_question_mark():
    assert ByteTokenizer().encode("a\ud800b") == tuple(b"a?b")


def test_what_is_no_text_is_shown_as_replacement():
    assert ByteTokenizer().decode([0xE7, 0x61, 300]) == "\ufffda\ufffd"


def test_pieces_are_one_line_labels():
    piece = ByteTokenizer().piece
    labels = [piece(i) for i in (0x61, 0x20, 0x0A, 0x09, 0x0D, 0x00, 0x7F, 0xE7, 300)]
    assert labels == ["a", " ", "\\n", "\\t", "\\r", "<00>", "<7F>", "<E7>", "<300>"]


@pytest.mark.parametrize("text", ["10,20,30", " 10 20\t30 ", "10, 20,\n30,"])
def test_ids_are_separated_by_commas_or_spaces(text):
    assert IdTokenizer().encode(text) == (10, 20, 30)


@pytest.mark.parametrize("text", ["10,x", "-1", "1.5", "\u0661", "9" * 5000])
def test_what_is_no_id_is_named(text):
    with pytest.raises(InputError, match="is not a token id: write numbers such as 10, 20, 30"):
        IdTokenizer().encode(text)


def test_ids_are_their_own_text():
    tokenizer = IdTokenizer()
    assert tokenizer.piece(7) == "7"
    assert tokenizer.encode(tokenizer.decode([7, 8])) == (7, 8)
    assert tokenizer.encode("  ") == ()


def test_a_run_gets_the_tokenizer_of_its_kind():
    assert build_tokenizer(TokenizerKind.BYTES).vocab_size == 256
    assert build_tokenizer(TokenizerKind.IDS).vocab_size is None


@pytest.mark.parametrize("module", ["tokenizer", "memory", "mailbox"])
def test_what_the_window_needs_before_torch_does_not_import_it(module):
    code = f"import sys, kvviz.engine.{module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
