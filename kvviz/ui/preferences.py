"""What a person prefers, kept between starts in a JSON file of our own."""

import contextlib
import json
import os
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import write_atomically
from kvviz.ui.theme import ThemeChoice

VERSION = 1
LARGEST_FILE = 2 * 2**20
MOST_RECENT = 9


class Preferences(BaseModel):
    """The fields of the file; keys this version does not know are kept as they are."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    version: int = VERSION
    theme: ThemeChoice = ThemeChoice.SYSTEM
    zoom: Annotated[float, Field(ge=0.75, le=2.0, allow_inf_nan=False)] = 1.0
    colour_map: str = "viridis"
    reduce_motion: bool = False
    pace: Annotated[float, Field(ge=0.1, le=1e6, allow_inf_nan=False)] | None = 4.0
    width: Annotated[int, Field(ge=640, le=16384)] = 1440
    height: Annotated[int, Field(ge=480, le=16384)] = 900
    columns: list[int] = Field(default_factory=list, max_length=3)
    last_folder: str = ""
    recent: list[str] = Field(default_factory=list, max_length=MOST_RECENT)


class PreferencesFile:
    """Reads the file once and writes it whole; ``notice`` says what was wrong with it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = preferences_path() if path is None else path
        self.notice = ""
        self.values = self._read()

    def save(self) -> None:
        """Write what is preferred now; a folder that cannot be written is said once."""
        text = json.dumps(self.values.model_dump(mode="json"), indent=1, ensure_ascii=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, text.encode())
        except (InputError, OSError):
            self.notice = f"Preferences cannot be saved: {self.path} cannot be written."

    def _read(self) -> Preferences:
        try:
            if self.path.stat().st_size > LARGEST_FILE:
                raise ValueError("the file is too large")
            return Preferences.model_validate(json.loads(self.path.read_bytes()))
        except OSError:
            return Preferences()
        except (ValueError, ValidationError, RecursionError):
            return self._put_aside()

    def _put_aside(self) -> Preferences:
        aside = self.path.with_suffix(self.path.suffix + ".bad")
        with contextlib.suppress(OSError):
            os.replace(self.path, aside)
        self.notice = f"The preferences were damaged: defaults are used, the old file is {aside}."
        return Preferences()


def preferences_path() -> Path:
    """Return where the file is: KVVIZ_SETTINGS, or the system's folder for such files."""
    if named := os.environ.get("KVVIZ_SETTINGS"):
        return Path(named)
    return Path(platformdirs.user_config_dir("kvviz", appauthor=False)) / "settings.json"
