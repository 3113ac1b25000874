"""What a token of a tokenizer.json looks like on screen."""

import re
from collections.abc import Mapping
from typing import Any

SPACE_MARK = "▁"
BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class PieceLabels:
    """Turns the vocabulary's spelling into text: spaces as spaces, half characters as bytes.

    ``decoder`` is the decoder's entry in tokenizer.json, None where there is none.
    """

    def __init__(self, decoder: Mapping[str, Any] | None) -> None:
        steps = _steps(decoder)
        kinds = {step.get("type") for step in steps}
        self._spells_bytes = "ByteLevel" in kinds
        self._falls_back = "ByteFallback" in kinds
        self._marks_spaces = "Metaspace" in kinds or any(
            step.get("pattern") == {"String": SPACE_MARK} for step in steps
        )
        self._suffix = next((s.get("suffix") for s in steps if s.get("type") == "BPEDecoder"), None)

    def label(self, token: str) -> str:
        """Return ``token``, as the vocabulary spells it, for people."""
        return CONTROLS.sub(lambda found: f"<{ord(found[0]):02X}>", self._text(token))

    def _text(self, token: str) -> str:
        if self._spells_bytes:
            # A special token is spelled as it is, and may hold what spells no byte.
            data = [BYTE_OF.get(character) for character in token]
            return token if None in data else text_of(bytes(b for b in data if b is not None))
        if self._falls_back and (found := BYTE_TOKEN.fullmatch(token)):
            return text_of(bytes.fromhex(found[1]))
        if self._suffix:
            return token.replace(self._suffix, " ")
        return token.replace(SPACE_MARK, " ") if self._marks_spaces else token


def text_of(data: bytes) -> str:
    """Return UTF-8 as text; bytes that are no whole character are written ``<E2>``."""
    parts = []
    while data:
        try:
            parts.append(data.decode())
            break
        except UnicodeDecodeError as error:
            parts.append(data[: error.start].decode())
            parts += [f"<{value:02X}>" for value in data[error.start : error.end]]
            data = data[error.end :]
    return "".join(parts)


def _steps(decoder: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    if decoder is None:
        return []
    if decoder.get("type") != "Sequence":
        return [decoder]
    return [step for part in decoder.get("decoders", ()) for step in _steps(part)]


def _byte_spelling() -> dict[str, int]:
    """Return which byte each character of a byte-level vocabulary stands for.

    Printable bytes of Latin-1 stand for themselves, the rest for the characters from U+0100 on.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [value for value in range(256) if value not in printable]
    return {chr(value): value for value in printable} | {
        chr(0x100 + index): value for index, value in enumerate(others)
    }


BYTE_OF = _byte_spelling()
