"""What a person prefers, kept between starts in a JSON file of our own."""

import contextlib
import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kvviz.engine.system_report import settings_path
from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import write_atomically
from kvviz.ui.theme import ThemeChoice

VERSION = 1
LARGEST_FILE = 2 * 2**20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Coordinate = Annotated[int, Field(ge=-65536, le=65536)]


class Preferences(BaseModel):
    """The fields of the file; keys this version does not know are kept as they are.

    width, height, left, top and columns are logical pixels; pace is steps a second, None as fast
    as it goes.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True, strict=True)

    version: Annotated[int, Field(ge=1)] = VERSION
    theme: ThemeChoice = ThemeChoice.SYSTEM
    zoom: Annotated[float, Field(ge=0.75, le=2.0, allow_inf_nan=False)] = 1.0
    colour_map: Literal["viridis", "cividis"] = "viridis"
    pace: Annotated[float, Field(ge=0.1, le=1e6, allow_inf_nan=False)] | None = 4.0
    width: Annotated[int, Field(ge=640, le=16384)] = 1440
    height: Annotated[int, Field(ge=480, le=16384)] = 900
    left: Coordinate | None = None
    top: Coordinate | None = None
    columns: Annotated[list[Annotated[int, Field(ge=0, le=65536)]], Field(max_length=3)] = []
    last_folder: str = ""


class PreferencesFile:
    """Reads the file once and writes it whole; ``notice`` says what is wrong with it, if anything.

    Whatever the file is, a window can be opened: a damaged one is kept as ``.bad`` and what of it
    can be read is used; one of a newer version keeps its number and the keys unknown here.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = settings_path() if path is None else path
        self.notice = ""
        self.values = self._read()
        if not self.notice and not _can_write(self.path):
            self.notice = f"Preferences will not be kept: {self.path} cannot be written."

    def save(self) -> None:
        """Write what is preferred now; a place that cannot be written changes nothing."""
        text = json.dumps(self.values.model_dump(mode="json"), indent=1, ensure_ascii=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, text.encode("utf-8", "replace"))
        except (InputError, OSError):
            self.notice = f"Preferences were not kept: {self.path} cannot be written."

    def _read(self) -> Preferences:
        try:
            if not self.path.exists():
                return Preferences()
            if not self.path.is_file():
                raise OSError("not a file")
            with self.path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1).removeprefix(BYTE_ORDER_MARK)
        except OSError:
            self.notice = f"Preferences could not be read from {self.path}: defaults are used."
            return Preferences()
        try:
            return Preferences.model_validate_json(data)
        except ValidationError:
            return self._put_aside(data)

    def _put_aside(self, data: bytes) -> Preferences:
        aside = self.path.with_name(self.path.name + ".bad")
        kept = self.path
        with contextlib.suppress(OSError):
            os.replace(self.path, aside)
            kept = aside
        usable = _usable_keys(data)
        rest = "the rest is used" if usable else "defaults are used"
        self.notice = f"The preferences were damaged: {rest}, the old file is {kept}."
        return Preferences.model_validate_json(json.dumps(usable))


def _usable_keys(data: bytes) -> dict[str, Any]:
    """Return the keys of a damaged file whose values are good by themselves."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in pairs if _is_good(key, value)}


def _is_good(key: str, value: object) -> bool:
    try:
        Preferences.model_validate_json(json.dumps({key: value}))
    except (ValidationError, RecursionError):
        return False
    return True


def _can_write(path: Path) -> bool:
    """Whether the file, or the first folder above it that exists, can be written."""
    with contextlib.suppress(OSError):
        there = next(place for place in (path, *path.parents) if place.exists())
        return os.access(there, os.W_OK) and (there == path or there.is_dir())
    return False
