import os
import socket
import subprocess
import sys
import threading

import pytest
from tokenizer_files import (
    NEVER_ENDS,
    PANICS_AT_LOAD,
    ROUND_IN_CIRCLES,
    byte_level,
    raw_tokenizer,
    sentence_piece,
    write_json,
    write_tokenizer,
)

from kvviz.engine import file_tokenizer
from kvviz.engine.file_tokenizer import FileTokenizer
from kvviz.engine.tokenizer import Shelf, build_tokenizer, tokenizer_for
from kvviz.sizing.errors import InputError
from kvviz.trace.config import TokenizerKind

TEXTS = ["a cat", "ein Öl ☃ 🐈", "a\n\tb", "two  spaces"]


@pytest.fixture(params=["bytes", "bytes with a space first", "sentence piece"])
def tokenizer(request, tmp_path):
    made = {
        "bytes": byte_level,
        "bytes with a space first": lambda: byte_level(prefix_space=True),
        "sentence piece": sentence_piece,
    }[request.param]()
    return FileTokenizer(write_tokenizer(tmp_path, made))


def raw(folder, text):
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("text", TEXTS)
def test_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_pieces_keep_their_space_and_show_half_characters_as_bytes(tokenizer):
    labels = [tokenizer.piece(i) for i in tokenizer.encode("b cat Ö\n")]
    assert " cat" in labels
    assert labels[-3:] == ["<C3>", "<96>", "\n"]


def test_many_ids_are_decoded_across_half_characters(tokenizer):
    ids = tokenizer.encode("☃☃")
    assert tokenizer.decode(ids[:-1]).endswith("\ufffd")
    assert tokenizer.decode(ids) == "☃☃"


def test_special_tokens_are_pieces_and_no_text(tokenizer):
    end = tokenizer.token_id("</s>")
    assert tokenizer.piece(end) == "</s>"
    assert tokenizer.encode("</s>")[-1] == end
    assert tokenizer.decode([*tokenizer.encode("a"), end]) == "a"


def test_ids_beyond_the_vocabulary_are_numbers(tokenizer):
    assert tokenizer.piece(10**6) == "<1000000>"
    assert tokenizer.decode([10**6]) == ""


def test_a_lone_surrogate_becomes_a_question_mark(tokenizer):
    assert tokenizer.encode("a\ud800") == tokenizer.encode("a?")


def test_control_characters_are_shown_as_bytes(tokenizer):
    assert [tokenizer.piece(i) for i in tokenizer.encode("a\x1b")][-1] == "<1B>"


def test_truncation_and_padding_of_the_file_are_ignored(tmp_path):
    made = byte_level()
    made.enable_truncation(2)
    made.enable_padding(length=40)
    assert len(FileTokenizer(write_tokenizer(tmp_path, made)).encode("abcdef")) == 6


def test_the_vocabulary_is_counted_without_added_tokens(tmp_path):
    tokenizer = FileTokenizer(write_tokenizer(tmp_path, byte_level()))
    assert tokenizer.vocab_size == 259
    assert tokenizer.token_id("</s>") == 260


# What is put first


def started(folder, made=None, config=None, **tokenizer_config):
    write_tokenizer(folder, made or byte_level(), **tokenizer_config)
    if config is not None:
        write_json(folder / "config.json", config)
    tokenizer = FileTokenizer(str(folder))
    start = tokenizer.token_id("<s>")
    return tokenizer.encode("ab").count(start), tokenizer.encode("ab")[0] == start


def test_the_file_itself_puts_a_token_first(tmp_path):
    assert started(tmp_path, byte_level(start=True)) == (1, True)


@pytest.mark.parametrize("token", ["<s>", {"content": "<s>", "lstrip": False}])
@pytest.mark.parametrize("in_file", [True, False])
def test_the_config_asks_for_a_token_first_and_gets_it_once(tmp_path, token, in_file):
    made = byte_level(start=in_file)
    assert started(tmp_path, made, add_bos_token=True, bos_token=token) == (1, True)


@pytest.mark.parametrize("family", ["llama", "gemma3_text"])
def test_a_llama_without_a_tokenizer_config_starts_with_its_token(tmp_path, family):
    assert started(tmp_path, config={"model_type": family, "bos_token_id": 259}) == (1, True)


@pytest.mark.parametrize(
    ("config", "tokenizer_config"),
    [
        ({"model_type": "gpt2", "bos_token_id": 259}, {}),
        ({"model_type": "llama", "bos_token_id": True}, {}),
        ({"model_type": "llama", "bos_token_id": 259}, {"add_bos_token": False}),
        (
            {"model_type": "llama", "bos_token_id": 259},
            {"tokenizer_class": "GPT2Tokenizer", "bos_token": "<s>"},
        ),
    ],
)
def test_nothing_is_put_first_unasked(tmp_path, config, tokenizer_config):
    assert started(tmp_path, config=config, **tokenizer_config) == (0, False)


def test_a_llama_tokenizer_starts_with_its_token(tmp_path):
    made = {"tokenizer_class": "LlamaTokenizerFast", "bos_token": "<s>"}
    assert started(tmp_path, **made) == (1, True)


# Files and texts that cannot be used


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ('{\n  "a": ,}', "is not valid JSON: line 2, column 8"),
        ("[]", "expected an object"),
        ("<!doctype html><p>Not found", "is a web page"),
        ("version https://git-lfs.github.com/spec/v1\noid", "Git LFS pointer"),
        (raw_tokenizer(model={"type": "Odd"}), "rejected by the library"),
        (PANICS_AT_LOAD, "rejected by the library"),
        (
            raw_tokenizer(pre_tokenizer={"type": "FixedLength", "length": 0}),
            "rejected by the library (chunk size must be non-zero)",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path, capfd, text, said):
    with pytest.raises(InputError) as caught:
        FileTokenizer(raw(tmp_path, text))
    assert said in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert capfd.readouterr().err == ""


def test_a_file_too_large_is_never_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(file_tokenizer, "SIZE_LIMIT", 100)
    with pytest.raises(InputError, match="larger than"):
        FileTokenizer(write_tokenizer(tmp_path, byte_level()))


def test_a_text_that_makes_the_library_panic_is_one_sentence(tmp_path, capfd):
    tokenizer = FileTokenizer(raw(tmp_path, NEVER_ENDS))
    with pytest.raises(InputError, match=r"made the tokenizer fail .*retry-limit"):
        tokenizer.encode("a" * 40 + "b")
    assert tokenizer.encode("ab") == (0, 1)
    assert capfd.readouterr().err == ""


def test_a_text_without_an_end_is_given_up_and_others_run_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setattr(file_tokenizer, "ENCODE_LIMIT_S", 0.2)
    tokenizer = FileTokenizer(raw(tmp_path, NEVER_ENDS))
    with pytest.raises(InputError, match=r"given up after 0\.2 s"):
        tokenizer.encode(ROUND_IN_CIRCLES)
    with pytest.raises(InputError, match="still busy with an earlier text"):
        tokenizer.encode("ab")
    for thread in threading.enumerate():
        if thread.name == "guarded":
            thread.join(60)
    assert tokenizer.encode("ab") == (0, 1)


def test_a_decoder_that_panics_leaves_the_pieces(tmp_path):
    text = raw_tokenizer(decoder={"type": "Strip", "content": "a", "start": 5, "stop": 5})
    assert FileTokenizer(raw(tmp_path, text)).decode([0, 1]) == "ab"


# The shelf


def test_a_tokenizer_is_kept_until_its_file_changes(tmp_path):
    shelf, folder = Shelf(), write_tokenizer(tmp_path, byte_level())
    first = shelf.get(TokenizerKind.FILE, folder)
    assert shelf.get(TokenizerKind.FILE, folder) is first
    write_tokenizer(tmp_path, sentence_piece())
    second = shelf.get(TokenizerKind.FILE, folder)
    assert second is not first
    os.remove(second.path)
    assert shelf.get(TokenizerKind.FILE, folder) is second


def test_only_the_last_few_are_kept(tmp_path):
    shelf = Shelf()
    folders = [write_tokenizer(tmp_path / name, byte_level()) for name in "abcde"]
    first, *_ = [shelf.get(TokenizerKind.FILE, folder) for folder in folders]
    assert shelf.get(TokenizerKind.FILE, folders[0]) is not first


def test_threads_get_the_same_one(tmp_path):
    shelf, folder, found = Shelf(), write_tokenizer(tmp_path, byte_level()), []
    threads = [
        threading.Thread(target=lambda: found.append(shelf.get(TokenizerKind.FILE, folder)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_plain_kinds_need_no_file():
    assert tokenizer_for(TokenizerKind.BYTES) is tokenizer_for(TokenizerKind.BYTES, None)
    assert build_tokenizer(TokenizerKind.IDS).encode("1 2") == (1, 2)


def test_the_library_is_imported_when_it_is_needed_and_never_calls_out(tmp_path):
    folder = write_tokenizer(tmp_path, byte_level())
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a network call')\n"
        "socket.socket = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from kvviz.engine.tokenizer import TokenizerKind, tokenizer_for\n"
        "assert 'tokenizers' not in sys.modules and 'torch' not in sys.modules\n"
        f"print(tokenizer_for(TokenizerKind.FILE, {folder!r}).encode('ab'))\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "(64, 65)\n"
    assert socket.socket is not None
