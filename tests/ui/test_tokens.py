import threading
from dataclasses import replace

import pytest
from engine_runs import config_of
from PySide6.QtWidgets import QApplication

from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError
from kvviz.trace.config import TokenizerKind
from kvviz.ui.tokens import Tokens

WAIT_S = 20
FOLDER = "/models/some"


class Slow:
    """A tokenizer of one id a word behind a start token, which waits until it may go on."""

    def __init__(self):
        self.may_go_on = threading.Event()
        self.asked = []

    def encode(self, text):
        self.asked.append(text)
        assert self.may_go_on.wait(WAIT_S)
        if "bad" in text:
            raise InputError("This text made the tokenizer fail.")
        return (1, *(len(word) for word in text.split()))

    def piece(self, token_id):
        return f"p{token_id}"


@pytest.fixture
def slow(monkeypatch):
    slow = Slow()
    monkeypatch.setattr("kvviz.ui.tokens.tokenizer_for", lambda kind, path=None: slow)
    return slow


@pytest.fixture
def tokens(qapp):
    tokens = Tokens()
    yield tokens
    tokens.stop()


def asking(text):
    return replace(Settings(), prompt=text, tokenizer=TokenizerKind.FILE, tokenizer_path=FOLDER)


def run_of(*ids):
    return config_of(prompt_ids=ids, tokenizer=TokenizerKind.FILE, tokenizer_path=FOLDER)


def test_bytes_are_known_at_once(tokens):
    assert tokens.prompts(replace(Settings(), prompt="ab")) == ((97, 98),)


def test_typed_ids_are_known_at_once_or_refused(tokens):
    settings = replace(Settings(), prompt="1 2", tokenizer=TokenizerKind.IDS)
    assert tokens.prompts(settings) == ((1, 2),)
    with pytest.raises(InputError, match="not a token id"):
        tokens.prompts(replace(settings, prompt="one"))


def test_nothing_is_asked_before_the_start(qtbot, tokens, slow):
    slow.may_go_on.set()
    assert tokens.prompts(asking("a bb")) is None
    assert slow.asked == []
    with qtbot.waitSignal(tokens.counted):
        tokens.start()
    assert tokens.prompts(asking("a bb")) == ((1, 1, 2),)


def test_a_quick_tokenizer_answers_at_once(tokens, slow, monkeypatch):
    monkeypatch.setattr("kvviz.ui.tokens.SOON_S", WAIT_S)
    slow.may_go_on.set()
    tokens.start()
    assert tokens.prompts(asking("a bb")) == ((1, 1, 2),)
    assert tokens.pieces(run_of(1, 1, 2)) == ("p1", "p1", "p2")


def test_a_slow_one_is_not_waited_for_and_only_the_newest_text_counts(qtbot, tokens, slow):
    tokens.start()
    with qtbot.waitSignal(tokens.counted):
        for text in ("a", "a b", "a b c"):
            assert tokens.prompts(asking(text)) is None
        slow.may_go_on.set()
    qtbot.waitUntil(lambda: tokens.prompts(asking("a b c")) is not None)
    assert slow.asked == ["a", "a b c"]


def test_that_it_counted_is_said_in_the_windows_thread(qtbot, tokens, slow):
    threads = []
    tokens.counted.connect(lambda: threads.append(threading.current_thread()))
    tokens.start()
    assert tokens.prompts(asking("a")) is None
    slow.may_go_on.set()
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [threading.main_thread()]


def test_a_text_that_fails_says_so_and_the_next_one_counts(qtbot, tokens, slow):
    slow.may_go_on.set()
    tokens.start()

    def said():
        try:
            return tokens.prompts(asking("bad")) and None
        except InputError as error:
            return str(error)

    qtbot.waitUntil(lambda: said() is not None)
    assert said() == "This text made the tokenizer fail."
    qtbot.waitUntil(lambda: tokens.prompts(asking("good")) == ((1, 4),))


def test_text_that_follows_has_no_start_token(qtbot, tokens, slow):
    slow.may_go_on.set()
    tokens.start()
    qtbot.waitUntil(lambda: tokens.further(run_of(1, 2), "and then") == (3, 4))
    assert tokens.further(run_of(1, 2), "") == ()


def test_what_was_forgotten_is_asked_again(qtbot, tokens, slow):
    slow.may_go_on.set()
    tokens.start()
    qtbot.waitUntil(lambda: tokens.prompts(asking("a")) is not None)
    tokens.forget()
    qtbot.waitUntil(lambda: tokens.prompts(asking("a")) is not None)
    assert slow.asked == ["a", "a"]


def test_a_run_waits_for_its_tokens(qtbot, store, worker, slow):
    store.start()
    store.apply(asking("a bb"))
    store.run()
    assert worker.started == []
    assert store.controls.problem == ""
    slow.may_go_on.set()
    qtbot.waitUntil(lambda: len(worker.started) == 1)
    assert worker.started[0].config.prompt_ids == (1, 1, 2)
    assert store.prompt_pieces == ("p1", "p1", "p2")


def test_once_stopped_it_emits_nothing_for_it_may_be_gone(qapp, slow):
    tokens = Tokens()
    heard = []
    tokens.counted.connect(lambda: heard.append(True))
    tokens.start()
    assert tokens.prompts(asking("a")) is None
    tokens.stop()
    slow.may_go_on.set()
    tokens._thread.join(WAIT_S)
    QApplication.processEvents()
    assert heard == []
