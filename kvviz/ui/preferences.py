"""What a person prefers, kept between starts in a JSON file of our own.

Checked by hand: importing pydantic takes longer than all else that is done before the window.
"""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kvviz.engine.system_report import settings_path
from kvviz.session.selection import ColorMap
from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import write_atomically
from kvviz.ui.theme import ThemeChoice

VERSION = 1
LARGEST_FILE = 2 * 2**20
MOST_LESSONS = 200
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Check = Callable[[Any], bool]


def _whole(low: int, high: int) -> Check:
    return lambda value: type(value) is int and low <= value <= high


def _number(low: float, high: float) -> Check:
    # Neither NaN nor an infinity is between two numbers.
    return lambda value: type(value) in (int, float) and low <= value <= high


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def _some(check: Check, most: int) -> Check:
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(check, value))


def _places(value: Any) -> bool:
    whole = _whole(0, 99)
    return (
        isinstance(value, dict)
        and len(value) <= MOST_LESSONS
        and all(isinstance(name, str) and whole(place) for name, place in value.items())
    )


COORDINATE = _or_none(_whole(-65536, 65536))
CHECKS: dict[str, Check] = {
    "version": _whole(1, 2**31),
    "theme": _one_of(*ThemeChoice),
    "zoom": _number(0.75, 2.0),
    "colour_map": _one_of(*ColorMap),
    "pace": _or_none(_number(0.1, 1e6)),
    "width": _whole(640, 16384),
    "height": _whole(480, 16384),
    "left": COORDINATE,
    "top": COORDINATE,
    "columns": _some(_whole(0, 65536), 3),
    "last_folder": lambda value: isinstance(value, str),
    "reduce_motion": lambda value: isinstance(value, bool),
    "lessons_done": _some(lambda name: isinstance(name, str), MOST_LESSONS),
    "lesson_places": _places,
}


@dataclass
class Preferences:
    """The fields of the file; a wrong value raises ValueError, wherever it comes from.

    width, height, left, top and columns are logical pixels; pace is steps a second, None as fast
    as it goes.  ``lesson_places`` are the steps at which lessons were left, by their names.
    """

    version: int = VERSION
    theme: ThemeChoice = ThemeChoice.SYSTEM
    zoom: float = 1.0
    colour_map: str = ColorMap.VIRIDIS.value
    pace: float | None = 4.0
    width: int = 1440
    height: int = 900
    left: int | None = None
    top: int | None = None
    columns: list[int] = field(default_factory=list)
    last_folder: str = ""
    reduce_motion: bool = False
    lessons_done: list[str] = field(default_factory=list)
    lesson_places: dict[str, int] = field(default_factory=dict)

    def __setattr__(self, name: str, value: object) -> None:
        if not CHECKS[name](value):
            raise ValueError(f"{name} cannot be {value!r}")
        super().__setattr__(name, value)


class PreferencesFile:
    """Reads the file once and writes it whole; ``notice`` says what is wrong with it, if anything.

    Whatever the file is, a window can be opened: a damaged one is kept as ``.bad`` and what of it
    can be read is used; keys this version does not know are kept as they are.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = settings_path() if path is None else path
        self.notice = ""
        self._unknown: dict[str, Any] = {}
        self.values = self._read()
        self._before = asdict(self.values)
        if not self.notice and not _can_write(self.path):
            self.notice = f"Preferences will not be kept: {self.path} cannot be written."

    def save(self) -> None:
        """Write what is preferred now; a place that cannot be written changes nothing.

        What was left alone here stays as another window may have written it since.
        """
        mine = asdict(self.values)
        text = json.dumps(self._unknown | self._merged(mine), indent=1, ensure_ascii=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, text.encode("utf-8", "replace"))
            self._before = mine
        except (InputError, OSError):
            self.notice = f"Preferences were not kept: {self.path} cannot be written."

    def _merged(self, mine: dict[str, Any]) -> dict[str, Any]:
        theirs: dict[str, Any] = {}
        with contextlib.suppress(OSError):
            theirs = known(parsed(self._bytes()) or {})
        done, places = theirs.get("lessons_done", []), theirs.get("lesson_places", {})
        both = mine | merged(self._before, mine, theirs)
        both["lessons_done"] = list(dict.fromkeys([*done, *mine["lessons_done"]]))[:MOST_LESSONS]
        both["lesson_places"] = merged(self._before["lesson_places"], mine["lesson_places"], places)
        return both

    def _bytes(self) -> bytes:
        if not self.path.is_file():
            raise OSError("not a file")
        with self.path.open("rb") as file:
            return file.read(LARGEST_FILE + 1).removeprefix(BYTE_ORDER_MARK)

    def _read(self) -> Preferences:
        try:
            if not self.path.exists():
                return Preferences()
            data = self._bytes()
        except OSError:
            self.notice = f"Preferences could not be read from {self.path}: defaults are used."
            return Preferences()
        found = parsed(data)
        good = {key: value for key, value in (found or {}).items() if _is_good(key, value)}
        if found is None or len(good) < len(found):
            self._put_aside("the rest is used" if good else "defaults are used")
        self._unknown = {key: value for key, value in good.items() if key not in CHECKS}
        values = known(good)
        if "theme" in values:
            values["theme"] = ThemeChoice(values["theme"])
        return Preferences(**values)

    def _put_aside(self, used: str) -> None:
        aside = self.path.with_name(self.path.name + ".bad")
        kept = self.path
        with contextlib.suppress(OSError):
            os.replace(self.path, aside)
            kept = aside
        self.notice = f"The preferences were damaged: {used}, the old file is {kept}."


def parsed(data: bytes) -> dict[str, Any] | None:
    """Return the file's keys, None where it is not a JSON object in UTF-8."""
    try:
        found = json.loads(data.decode("utf-8")) if len(data) <= LARGEST_FILE else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def known(found: dict[str, Any]) -> dict[str, Any]:
    """Return what this version knows of a file's keys, wrong values left out."""
    return {key: value for key, value in found.items() if key in CHECKS and CHECKS[key](value)}


def merged(before: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return ``theirs`` with what changed from ``before`` to ``mine``, keys that went included."""
    new = {key: value for key, value in mine.items() if key not in before or before[key] != value}
    return {key: value for key, value in (theirs | new).items() if key in mine or key not in before}


def _is_good(key: str, value: object) -> bool:
    return key not in CHECKS or CHECKS[key](value)


def _can_write(path: Path) -> bool:
    """Whether the file, or the first folder above it that exists, can be written."""
    with contextlib.suppress(OSError):
        there = next(place for place in (path, *path.parents) if place.exists())
        return os.access(there, os.W_OK) and (there == path or there.is_dir())
    return False
