"""Tokens as people can read them: spaces made visible, bytes that are no letter as hex."""

import re

from kvviz.trace.step import Phase
from kvviz.trace.trace import Token, Trace

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


def spoken(piece: str) -> str:
    """Return ``piece`` for a sentence: a space in front of a word is left out."""
    return visible(piece.strip(" ") or piece)


def phase_spans(trace: Trace | None, cursor: int, first: int = 0) -> list[tuple[Phase, int, int]]:
    """Return (phase, first row, row after the last) of steps ``first``..``cursor``.

    Neighbours of one phase are joined.
    """
    spans: list[tuple[Phase, int, int]] = []
    for step in trace.steps[first : cursor + 1] if trace else ():
        if spans and spans[-1][0] is step.phase:
            spans[-1] = (step.phase, spans[-1][1], step.seq_len)
        else:
            spans.append((step.phase, step.first_row, step.seq_len))
    return spans


def feeding_step(trace: Trace | None, token: int) -> int | None:
    """Return the index of the step that fed token ``token``; None where none has."""
    if trace is None or not 0 <= token < trace.seq_len:
        return None
    return int(trace.row_steps()[token])


def phase_tone(token: Token) -> str:
    """The colour token of the phase that fed ``token``; ``muted`` where none has."""
    return "muted" if token.phase is None else token.phase.value
