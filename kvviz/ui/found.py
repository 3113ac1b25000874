"""What a path turns out to be, by its content: the one door for everything that is opened."""

import os
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Union

from kvviz.model.tutorial_weights import possible_shapes
from kvviz.sizing.foreign import open_plain, read_header
from kvviz.sizing.shape import ModelShape
from kvviz.trace.file import is_trace, load_trace
from kvviz.trace.trace import Trace

if TYPE_CHECKING:
    from kvviz.engine.folder import ModelFolder
    from kvviz.session.calculator.model import SizedModel

CONFIG_NAME, BOM = "config.json", b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of tutorial weights and the shapes it can have, by number of heads."""

    path: str
    shapes: dict[int, ModelShape]


@dataclass(frozen=True, slots=True)
class Config:
    """A config.json, sized."""

    model: "SizedModel"


Found = Union[Trace, Weights, Config, "ModelFolder"]


class Kind(Enum):
    """What can be opened."""

    FOLDER = auto()
    RUN = auto()
    CONFIG = auto()
    WEIGHTS = auto()


def kind_of(path: str) -> Kind:
    """Return what ``path`` is to be read as; raise InputError where it is no file.

    A config.json is a config wherever it lies; another of a model folder's own files stands for
    the folder, any other JSON is a config.
    """
    # A hundred families of models are nothing that the first paint should wait for.
    from kvviz.engine.folder import folder_of

    if os.path.isdir(path):
        return Kind.FOLDER
    if os.path.basename(path).lower() == CONFIG_NAME:
        return Kind.CONFIG
    if folder_of(path) is not None:
        is_run = path.endswith(".safetensors") and is_trace(path)
        return Kind.RUN if is_run else Kind.FOLDER
    if _is_json(path):
        return Kind.CONFIG
    return Kind.RUN if is_trace(path) else Kind.WEIGHTS


def read_path(path: str) -> Found:
    """Return the run, the tutorial's weights or the config in a file, or the model in a folder.

    Raises InputError, one sentence, for the rest.
    """
    path = os.path.abspath(path)
    match kind_of(path):
        case Kind.FOLDER:
            from kvviz.engine.folder import open_folder

            return open_folder(path)
        case Kind.CONFIG:
            from kvviz.session.calculator.model import from_file

            return Config(from_file(path))
        case Kind.RUN:
            return load_trace(path)
        case Kind.WEIGHTS:
            return Weights(path, possible_shapes(path))


def check_path(path: str) -> None:
    """Raise the InputError of ``read_path``, without reading more than headers of large files."""
    if kind_of(path) in (Kind.FOLDER, Kind.CONFIG):
        read_path(path)
        return
    with open_plain(path) as file:
        read_header(file, path)


def _is_json(path: str) -> bool:
    if path.lower().endswith(".json"):
        return True
    with open_plain(path) as file:
        return file.read(200).removeprefix(BOM).lstrip().startswith(b"{")
