"""A folder's model on paper: what its config asks for, and where its files have each tensor."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from kvviz.model.architecture import TUTORIAL, Architecture
from kvviz.model.families import CONSTANTS, Family, family_of
from kvviz.model.shards import file_inside, folder_tensors, names_in, some
from kvviz.model.stored_tensors import FLOAT_NAMES, StoredTensor, by, check_float, stored_tensors
from kvviz.model.tutorial_weights import check_tensors, expected_sizes
from kvviz.model.weight_names import Source
from kvviz.sizing.errors import InputError
from kvviz.sizing.json_file import read_json_object
from kvviz.sizing.shape import ModelShape

CONFIG = "config.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything that loading needs: each parameter's source and the tensors that are read.

    ``unused`` are tensors that the model does not have, ``kind`` is the family's name.
    """

    where: str
    kind: str
    shape: ModelShape
    architecture: Architecture
    sources: Mapping[str, Source]
    tensors: Mapping[str, StoredTensor]
    unused: tuple[str, ...] = ()

    @property
    def num_bytes(self) -> int:
        """Bytes that are read."""
        return sum(tensor.num_bytes for tensor in self.tensors.values())

    @property
    def dtypes(self) -> tuple[str, ...]:
        """What the numbers are stored as, most bytes first."""
        sizes: dict[str, int] = {}
        for tensor in self.tensors.values():
            name = FLOAT_NAMES[tensor.dtype]
            sizes[name] = sizes.get(name, 0) + tensor.num_bytes
        return tuple(sorted(sizes, key=lambda name: -sizes[name]))


def folder_weights(folder: str) -> Weights:
    """Return the weights of a Hugging Face folder, every tensor's presence and sizes checked.

    Raises InputError where config and files are not those of a model that runs.
    """
    if not os.path.lexists(os.path.join(folder, CONFIG)):
        held = some(names_in(folder)) or "nothing"
        raise InputError(f"No {CONFIG} in {folder} (it has {held}): choose a model's folder.")
    path = file_inside(folder, CONFIG)
    family = family_of(read_json_object(path), path)
    return _checked(family, folder_tensors(folder), folder)


def tutorial_weights(path: str, shape: ModelShape) -> Weights:
    """Return the weights in a tutorial's file; raise InputError where they are not of ``shape``."""
    tensors = stored_tensors(path)
    for name, tensor in tensors.items():
        check_float(name, tensor)
    check_tensors({name: tensor.sizes for name, tensor in tensors.items()}, shape, path)
    sources = {name: Source(name, sizes) for name, sizes in expected_sizes(shape).items()}
    return Weights(path, "tutorial", shape, TUTORIAL, sources, tensors)


def _checked(family: Family, tensors: Mapping[str, StoredTensor], folder: str) -> Weights:
    known = {n for source in family.sources.values() for n in (source.name, *source.aliases)}
    found = family.in_file(tensors.keys() & known, folder)
    used = {source.name: tensors[source.name] for source in found.sources.values()}
    for source in found.sources.values():
        tensor = used[source.name]
        check_float(source.name, tensor)
        if tensor.sizes != source.sizes:
            raise InputError(
                f"{tensor.path}: {source.name} is {by(tensor.sizes)} and should be "
                f"{by(source.sizes)} by config.json: the two do not belong together."
            )
    unused = sorted(n for n in tensors if n not in used and not n.endswith(CONSTANTS))
    return Weights(
        where=folder,
        kind=found.model_type,
        shape=found.shape,
        architecture=found.architecture,
        sources=found.sources,
        tensors=used,
        unused=tuple(unused),
    )
