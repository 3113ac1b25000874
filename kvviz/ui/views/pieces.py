"""Tokens as people can read them: spaces made visible, bytes that are no letter as hex."""

import re
from collections.abc import Sequence
from itertools import pairwise

from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace

SPACE = "␣"
BYTE = re.compile(r"<([0-9A-F]{2})>")
OTHER_BLANKS = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r", "\xa0": SPACE})


def visible(piece: str) -> str:
    """Return ``piece`` with its blanks made visible; never an empty text."""
    if not piece:
        return "∅"
    byte = BYTE.fullmatch(piece)
    return byte.group(1) if byte else piece.replace(" ", SPACE).translate(OTHER_BLANKS)


def is_byte(piece: str) -> bool:
    """Whether the token is one byte that is no character of its own."""
    return BYTE.fullmatch(piece) is not None


def byte_words(pieces: Sequence[str], place: int) -> str:
    """Return what the byte token at ``place`` is of its text; "" for a token that is no byte."""
    value = _byte(pieces[place])
    if value is None or not is_byte(pieces[place]):
        return ""
    for first in range(max(0, place - 3), place + 1):
        values = [_byte(piece) for piece in pieces[first : first + _length(_byte(pieces[first]))]]
        character = _decoded(values)
        if character and place < first + len(values):
            return f"UTF-8 byte {place - first + 1} of {len(values)} of “{character}”"
    if value < 0x80:
        return "one UTF-8 byte, a control character"
    if value < 0xC0:
        return "one UTF-8 byte of a character whose first byte is not before it"
    if (length := _length(value)) > 1:
        return f"one UTF-8 byte, the first of a character's {length}; the others are not there"
    return "one byte that UTF-8 never uses"


def spoken(piece: str) -> str:
    """Return ``piece`` for a sentence: a space in front of a word is left out."""
    return visible(piece.strip(" ") or piece)


def phase_spans(trace: Trace | None, cursor: int, first: int = 0) -> list[tuple[Phase, int, int]]:
    """Return (phase, first row, row after the last) of steps ``first``..``cursor``.

    Neighbours of one phase are joined.
    """
    if trace is None:
        return []
    steps, end = trace.steps, min(cursor + 1, len(trace))
    starts = [first, *(start for start in trace.phase_starts if first < start < end)]
    return [
        (steps[start].phase, steps[start].first_row, steps[after - 1].seq_len)
        for start, after in pairwise([*starts, end])
        if start < after
    ]


def feeding_step(trace: Trace | None, token: int) -> int | None:
    """Return the index of the step that fed token ``token``; None where none has."""
    if trace is None or not 0 <= token < trace.seq_len:
        return None
    return int(trace.row_steps()[token])


def _byte(piece: str) -> int | None:
    byte = BYTE.fullmatch(piece)
    if byte:
        return int(byte.group(1), 16)
    return ord(piece) if len(piece) == 1 and piece.isascii() else None


def _length(first: int | None) -> int:
    """How many bytes the character takes that a byte begins; 1 where it begins no longer one."""
    if first is None or not 0xC2 <= first <= 0xF4:
        return 1
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _decoded(values: list[int | None]) -> str:
    """Return the character that several bytes are; "" where they are none."""
    whole = [value for value in values if value is not None]
    if len(whole) < max(2, len(values)):
        return ""
    try:
        return bytes(whole).decode()
    except UnicodeDecodeError:
        return ""
