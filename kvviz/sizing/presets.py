"""Models that come with kvviz: real configs, each with its source, in files that fail alone."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kvviz.assets import assets_dir
from kvviz.sizing.config import ModelConfig, read_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.json_file import read_json_object


@dataclass(frozen=True, slots=True)
class Preset:
    """A model's config and where it is from; ``parameters`` as published, None where unknown."""

    name: str
    source: str
    config: Mapping[str, Any]
    parameters: int | None = None

    def read(self) -> ModelConfig:
        """Return its geometry."""
        return read_config(self.config, self.name)


@dataclass(frozen=True, slots=True)
class Presets:
    """All that could be loaded, by lower-case name; ``problems`` are the files that could not."""

    by_name: Mapping[str, Preset]
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> Preset:
        """Return a preset by its name, whatever the case; raise InputError with near names."""
        found = self.by_name.get(name.lower())
        if found is not None:
            return found
        near = difflib.get_close_matches(name.lower(), self.by_name, n=3, cutoff=0.5)
        near += [key for key in self.by_name if name.lower() in key and key not in near][:3]
        said = ", ".join(self.by_name[key].name for key in near[:4])
        hint = f"did you mean {said}?" if said else "kvviz calc --presets lists them."
        raise InputError(f"{name[:60]!a} is no file here and no preset: {hint}")


def load_presets(folder: Path | None = None) -> Presets:
    """Return every preset of ``folder``, the shipped one unless said; a bad file is a problem."""
    return _load(assets_dir() / "presets" if folder is None else folder)


@cache
def _load(folder: Path) -> Presets:
    found: dict[str, Preset] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            presets = _read(path)
        except InputError as error:
            problems.append(str(error))
            continue
        found |= {preset.name.lower(): preset for preset in presets}
    return Presets(dict(sorted(found.items())), tuple(problems))


def _read(path: Path) -> list[Preset]:
    models = read_json_object(str(path)).get("models")
    if not isinstance(models, list):
        raise InputError(f"{path}: models must be a list: restore the file.")
    return [_preset(path, entry) for entry in models]


def _preset(path: Path, entry: object) -> Preset:
    match entry:
        case {"name": str() as name, "source": str() as source, "config": dict() as config, **rest}:
            parameters = rest.get("parameters")
        case _:
            raise InputError(f"{path}: a model needs name, source and config: restore the file.")
    if parameters is not None and type(parameters) is not int:
        raise InputError(f"{path}: parameters of {name[:60]!a} must be an integer: restore it.")
    return Preset(name, source, config, parameters)
