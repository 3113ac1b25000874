"""Text to ids by whatever tokenizer a run has; the window never waits for a slow one."""

import threading
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from kvviz.engine.preload import LOADING
from kvviz.engine.tokenizer import Tokenizer, build_tokenizer, further_ids, tokenizer_for
from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError
from kvviz.trace.config import RunConfig, TokenizerKind

SOON_S = 0.01  # a text counted within this is as good as counted at once
MOST_KEPT = 16
PLAIN = {kind: build_tokenizer(kind) for kind in (TokenizerKind.BYTES, TokenizerKind.IDS)}


@dataclass(frozen=True, slots=True)
class Question:
    """Texts and the tokenizer they are for; ``further`` text follows other tokens."""

    kind: TokenizerKind
    path: str | None
    texts: tuple[str, ...]
    further: bool = False


Key = tuple[TokenizerKind, str | None]
Ids = tuple[int, ...]
Answer = tuple[Ids, ...] | InputError


class Tokens(QObject):
    """Counts texts; ``counted`` says that something asked for in vain is known now.

    Bytes and typed ids are known at once.  A tokenizer.json is read and asked on a thread, from
    ``start`` on: before the first paint its library would only be in the way.
    """

    counted = Signal()
    # What a thread emits goes to a method of a QObject only: PySide would call any other method
    # after its object is gone.
    _answered = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answered.connect(self._on_answered)
        self._change = threading.Condition()
        self._answers: dict[Question, Answer] = {}
        self._tokenizers: dict[Key, Tokenizer] = {(kind, None): t for kind, t in PLAIN.items()}
        self._wanted: list[Question] = []
        self._late: set[Question] = set()
        self._stopped = False
        self._thread = threading.Thread(target=self._loop, name="tokens", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """End the thread after the text it is at."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def prompts(self, settings: Settings) -> tuple[Ids, ...] | None:
        """Return each prompt's ids, None while they are counted; raise InputError without any."""
        return self._ask(Question(settings.tokenizer, settings.tokenizer_path, settings.prompts))

    def further(self, config: RunConfig, text: str) -> Ids | None:
        """Return the ids of text that follows a run's tokens, as ``prompts`` does."""
        if not text:
            return ()
        question = Question(config.tokenizer, config.tokenizer_path, (text,), further=True)
        answer = self._ask(question)
        return None if answer is None else answer[0]

    def text(self, config: RunConfig, ids: Ids) -> str:
        """Return what a run's ids say; empty where its tokenizer was never read."""
        tokenizer = self._tokenizers.get((config.tokenizer, config.tokenizer_path))
        return tokenizer.decode(ids) if tokenizer else ""

    def pieces(self, config: RunConfig) -> tuple[str, ...]:
        """Return the labels of a prompt that was counted."""
        tokenizer = self._tokenizers.get((config.tokenizer, config.tokenizer_path))
        return tuple(map((tokenizer or PLAIN[TokenizerKind.IDS]).piece, config.prompt_ids))

    def forget(self) -> None:
        """Ask again for everything: files may have changed."""
        with self._change:
            self._answers.clear()
            self._late.clear()

    def _ask(self, question: Question) -> tuple[Ids, ...] | None:
        if question.kind is not TokenizerKind.FILE:
            return self._answer_to(question)
        with self._change:
            if question not in self._answers:
                self._want(question)
            answer = self._answers.get(question)
        if isinstance(answer, InputError):
            raise answer
        return answer

    def _want(self, question: Question) -> None:
        # The newest text of its kind only: whoever types does not care for what was there before.
        others = (other for other in self._wanted if other.further != question.further)
        self._wanted = [*others, question]
        self._change.notify_all()
        if self._thread.is_alive() and question not in self._late:
            self._change.wait_for(lambda: question in self._answers, SOON_S)
        if question not in self._answers:
            self._late.add(question)

    def _answer_to(self, question: Question) -> tuple[Ids, ...]:
        key = question.kind, question.path
        tokenizer = PLAIN.get(question.kind) or tokenizer_for(*key)
        self._tokenizers[key] = tokenizer
        if question.further:
            return tuple(further_ids(tokenizer, text) for text in question.texts)
        return tuple(map(tokenizer.encode, question.texts))

    def _loop(self) -> None:
        while (question := self._next()) is not None:
            try:
                with LOADING:  # a tokenizer comes with a library and threads of its own
                    answer: Answer = self._answer_to(question)
            except InputError as error:
                answer = error
            except Exception as error:  # noqa: BLE001 - it must not end the thread
                answer = InputError(f"The text has no tokens ({type(error).__name__}: {error}).")
            with self._change:
                self._answers[question] = answer
                while len(self._answers) > MOST_KEPT:
                    del self._answers[next(iter(self._answers))]
                late = question in self._late
                self._late.discard(question)
                self._change.notify_all()
                if late and not self._stopped:  # once stopped, this object may be gone
                    self._answered.emit()

    @Slot()
    def _on_answered(self) -> None:
        self.counted.emit()

    def _next(self) -> Question | None:
        with self._change:
            self._change.wait_for(lambda: self._wanted or self._stopped)
            return None if self._stopped else self._wanted.pop(0)
