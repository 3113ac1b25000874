"""A lesson's file as blocks: a head between two lines of +++, and Markdown below it."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any, NoReturn

from kvviz.sizing.errors import InputError

FENCE = "+++"
TOML_PLACE = re.compile(r" \(at line (\d+), column \d+\)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A head as TOML and the text below it; lines are counted from 1 in the file."""

    head: dict[str, Any]
    head_lines: tuple[str, ...]
    head_line: int
    text: str
    text_line: int

    def line_of(self, key: str) -> int:
        """Return the line where a key of the head stands, its first line where it does not."""
        for offset, line in enumerate(self.head_lines):
            if re.match(rf"\s*\[*[\w.]*\b{re.escape(key)}\b", line):
                return self.head_line + offset
        return self.head_line

    def line_of_text(self, part: str) -> int:
        """Return the line of the text that holds ``part``."""
        before = self.text.partition(part)[0]
        return self.text_line + before.count("\n")


def refuse(name: str, line: int, reason: str) -> NoReturn:
    """Raise InputError that names the place in a lesson's file."""
    raise InputError(f"{name}, line {line}: {' '.join(reason.split()).rstrip('.')}.")


def read_blocks(name: str, content: str) -> list[Block]:
    """Return the blocks of a file; raise InputError with file and line where there are none."""
    lines = content.splitlines()
    fences = [number for number, line in enumerate(lines) if line.strip() == FENCE]
    if not fences or any(line.strip() for line in lines[: fences[0]]):
        refuse(name, 1, f"a lesson begins with a line of {FENCE} and its head")
    if len(fences) % 2:
        refuse(name, fences[-1] + 1, f"this head is not closed by a line of {FENCE}")
    ends = [*fences[2::2], len(lines)]
    return [
        _block(name, lines, start, stop, end)
        for start, stop, end in zip(fences[::2], fences[1::2], ends, strict=True)
    ]


def _block(name: str, lines: list[str], start: int, stop: int, end: int) -> Block:
    head = lines[start + 1 : stop]
    try:
        parsed = tomllib.loads("\n".join(head))
    except tomllib.TOMLDecodeError as error:
        place = TOML_PLACE.search(str(error))
        line = start + 1 + int(place[1]) if place else start + 1
        refuse(name, line, TOML_PLACE.sub("", str(error)))
    body = lines[stop + 1 : end]
    blank = next((number for number, line in enumerate(body) if line.strip()), len(body))
    text = "\n".join(body[blank:]).rstrip()
    return Block(parsed, tuple(head), start + 2, text, stop + 2 + blank)
