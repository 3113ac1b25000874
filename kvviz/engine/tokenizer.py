"""Text to ids and back; no torch, so that a window can count tokens before it is there."""

import os
import re
import threading
from collections.abc import Sequence
from typing import Protocol

from kvviz.assets import built_in_model
from kvviz.sizing.errors import InputError
from kvviz.trace.config import TokenizerKind

MOST_KEPT = 4
BYTE_VOCABULARY = 256


class Tokenizer(Protocol):
    """Text to ids, ids to what is shown."""

    @property
    def vocab_size(self) -> int | None:
        """How many ids it can give; None where any id may be typed."""

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of ``text``; raise InputError where it has none."""

    def piece(self, token_id: int) -> str:
        """Return one token as a label."""

    def decode(self, ids: Sequence[int]) -> str:
        """Return the ids as text."""


class ByteTokenizer:
    """UTF-8 bytes: ids 0 to 255."""

    vocab_size: int | None = BYTE_VOCABULARY

    def __init__(self) -> None:
        self._pieces = tuple(_byte_label(value) for value in range(BYTE_VOCABULARY))

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the bytes of ``text``; a lone surrogate becomes "?"."""
        return tuple(text.encode("utf-8", errors="replace"))

    def piece(self, token_id: int) -> str:
        """Return a printable ASCII byte's character, an escape for a line's end, else ``<E2>``."""
        return self._pieces[token_id] if token_id < BYTE_VOCABULARY else f"<{token_id}>"

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text; what is not UTF-8, or not a byte at all, becomes U+FFFD."""
        # 0xFF never occurs in UTF-8, so it stands for ids that are not bytes.
        return bytes(i if i < BYTE_VOCABULARY else 0xFF for i in ids).decode(
            "utf-8", errors="replace"
        )


class IdTokenizer:
    """Ids typed as numbers, separated by commas or spaces."""

    vocab_size: int | None = None

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the numbers in ``text``; raise InputError where one is not an id."""
        words = [word for word in re.split(r"[\s,]+", text) if word]
        for word in words:
            # Nine digits are beyond any vocabulary, and int() refuses thousands of them.
            if not re.fullmatch(r"[0-9]{1,9}", word):
                raise InputError(
                    f"{word[:20]!r} is not a token id: write numbers such as 10, 20, 30."
                )
        return tuple(int(word) for word in words)

    def piece(self, token_id: int) -> str:
        """Return the number."""
        return str(token_id)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the numbers, separated by spaces."""
        return " ".join(str(token_id) for token_id in ids)


def build_tokenizer(kind: TokenizerKind, path: str | None = None) -> Tokenizer:
    """Return a run's tokenizer; ``path`` is the folder of a tokenizer.json, None the built-in one.

    Raises InputError where the file cannot be used.
    """
    if kind is TokenizerKind.FILE:
        # What most programs that ask for a tokenizer never need.
        from kvviz.engine.file_tokenizer import FileTokenizer

        return FileTokenizer(str(built_in_model()) if path is None else path)
    return ByteTokenizer() if kind is TokenizerKind.BYTES else IdTokenizer()


class Shelf:
    """Tokenizers kept for the next who asks, the last few; usable from any thread.

    One whose file has changed is made anew, one whose file is gone stays.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[TokenizerKind, str | None], tuple[object, Tokenizer]] = {}

    def get(self, kind: TokenizerKind, path: str | None = None) -> Tokenizer:
        """Return what ``build_tokenizer`` does; raise InputError as it does."""
        with self._lock:
            stamp = _stamp(path)
            kept = self._kept.pop((kind, path), None)
            if kept is None or stamp not in (None, kept[0]):
                kept = stamp, build_tokenizer(kind, path)
            self._kept[kind, path] = kept
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            return kept[1]


tokenizer_for = Shelf().get


def further_ids(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    """Return the ids of text that follows other tokens; raise InputError where it has none.

    What the tokenizer puts before a text is in front of the first tokens already.
    """
    start, ids = tokenizer.encode(""), tokenizer.encode(text)
    return ids[len(start) :] if ids[: len(start)] == start else ids


def _stamp(path: str | None) -> object:
    """Return what changes when the file in ``path`` does; None where there is none."""
    try:
        found = os.stat(os.path.join(path or str(built_in_model()), "tokenizer.json"))
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _byte_label(value: int) -> str:
    if value in (0x09, 0x0A, 0x0D):
        return {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}[value]
    return chr(value) if 0x20 <= value < 0x7F else f"<{value:02X}>"
