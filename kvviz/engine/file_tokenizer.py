"""A tokenizer.json, read by the library that made it; nothing else of its folder is run."""

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kvviz.engine.guard import Guard, RejectedError
from kvviz.engine.piece_labels import PieceLabels
from kvviz.engine.special_tokens import start_token_id
from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain
from kvviz.sizing.json_file import parse_json_object

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

FILE_NAME = "tokenizer.json"
SIZE_LIMIT = 64 * 10**6
ENCODE_LIMIT_S = 5.0
PROBE = "a"


class FileTokenizer:
    """The tokenizer in ``folder``; it needs no file any more once it is there.

    Special tokens are put where the file says, and before a text where only the configs do.
    Raises InputError for a file that is damaged or that the library rejects.
    """

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE_NAME)
        self._library = _read(self.path)
        self._guard: Guard[list[int]] = Guard()
        self._labels = PieceLabels(_decoder(self._library))
        added = self._library.get_added_tokens_decoder()
        self._added = {token.content: token_id for token_id, token in added.items()}
        ids = self._library.get_vocab(with_added_tokens=False).values()
        self.vocab_size = max(ids, default=-1) + 1
        self._start: tuple[int, ...] = ()
        start, probed = start_token_id(folder, self.token_id), self._probe()
        if start is not None and probed[:1] != (start,):
            self._start = (start,)
        self._adds_space = self._text(probed).startswith(" ")

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of ``text``; a lone surrogate becomes "?".

        Raises InputError where the library fails, or needs more than five seconds.
        """
        if self._guard.is_stuck:
            raise InputError(
                f"{self.path}: the tokenizer is still busy with an earlier text: wait, or give "
                "token ids."
            )
        try:
            return (*self._start, *self._ids(text))
        except RejectedError as error:
            raise InputError(
                f"{self.path}: this text made the tokenizer fail ({error}): change the text, or "
                "give token ids."
            ) from error
        except TimeoutError:
            raise InputError(
                f"{self.path}: the tokenizer was given up after {ENCODE_LIMIT_S:g} s, it goes "
                "round in circles on this text: shorten or change it, or give token ids."
            ) from None

    def piece(self, token_id: int) -> str:
        """Return the token as a label: its space kept, bytes of half a character as ``<E2>``."""
        token = self._library.id_to_token(token_id)
        if token is None:
            return f"<{token_id}>"
        return token if token in self._added else self._labels.label(token)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the ids as text, special tokens left out; what is not UTF-8 becomes U+FFFD."""
        text = self._text(ids)
        return text.removeprefix(" ") if self._adds_space else text

    def token_id(self, token: str) -> int | None:
        """Return the id of a token as the file spells it, None where there is none."""
        return self._library.token_to_id(token)

    def added_beyond(self, vocab_size: int) -> tuple[str, ...]:
        """Return the special tokens whose ids a model of ``vocab_size`` does not have."""
        return tuple(token for token, token_id in self._added.items() if token_id >= vocab_size)

    def _ids(self, text: str) -> list[int]:
        plain = text.encode("utf-8", errors="replace").decode()
        # Unlike encode, encode_batch lets other threads run meanwhile.
        return self._guard.call(
            lambda: list(self._library.encode_batch([plain])[0].ids), ENCODE_LIMIT_S
        )

    def _probe(self) -> tuple[int, ...]:
        """Encode a letter, so that a tokenizer that can do nothing is found out at once."""
        try:
            return tuple(self._ids(PROBE))
        except (RejectedError, TimeoutError) as error:
            raise _rejected(self.path, error) from error

    def _text(self, ids: Sequence[int]) -> str:
        try:
            return Guard[str]().call(lambda: self._library.decode(list(ids)))
        except RejectedError:
            return "".join(map(self.piece, ids))


def _read(path: str) -> "Library":
    # One text at a time needs no threads of the library's own.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer

    with open_plain(path) as file:
        data = file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise InputError(f"{path} is larger than {SIZE_LIMIT // 10**6} MB: it is no tokenizer.")
    try:
        library = Guard[Tokenizer]().call(lambda: Tokenizer.from_buffer(data))
    except RejectedError as error:
        parse_json_object(data, path, SIZE_LIMIT)  # says line and column where it is no JSON
        raise _rejected(path, error) from error
    library.no_truncation()
    library.no_padding()
    return library


def _rejected(path: str, error: Exception) -> InputError:
    reason = str(error) or "it does not end"
    return InputError(
        f"{path}: the tokenizer was rejected by the library ({reason}): copy or download it again."
    )


def _decoder(library: "Library") -> dict[str, Any] | None:
    if library.decoder is None:
        return None
    found: dict[str, Any] = json.loads(library.decoder.__getstate__())
    return found
