"""A file's tensors into a model's parameters, one at a time."""

from collections.abc import Callable

import torch
from torch import Tensor

from kvviz.model.families import Family
from kvviz.model.init import empty_transformer
from kvviz.model.transformer import Transformer
from kvviz.model.weight_names import Source
from kvviz.sizing.errors import InputError

Get = Callable[[str], Tensor]


def empty_model(family: Family, *, dtype: torch.dtype, device: torch.device) -> Transformer:
    """Return the family's model with its weights allocated and not set."""
    return empty_transformer(family.shape, family.architecture, dtype=dtype, device=device)


def fill_model(model: Transformer, family: Family, get: Get, check: Callable[[], None]) -> None:
    """Copy every tensor, got by its name once, straight into the parameters that it holds.

    ``check`` is called between tensors and may raise to stop.  Raises InputError where a tensor's
    sizes are not those that the family's config asks for.
    """
    parameters = dict(model.named_parameters())
    held: dict[str, list[str]] = {}
    for parameter in parameters:
        held.setdefault(family.sources[parameter].name, []).append(parameter)
    for name, inside in held.items():
        check()
        tensor = get(name)
        wanted = family.sources[inside[0]].sizes
        if tuple(tensor.shape) != wanted:
            raise InputError(
                f"{name} is {_by(tuple(tensor.shape))} and should be {_by(wanted)} by the "
                "config.json: the two do not belong together."
            )
        for parameter in inside:
            parameters[parameter].copy_(rows_of(tensor, family.sources[parameter]))


def rows_of(tensor: Tensor, source: Source) -> Tensor:
    """Return the part of a file's tensor that is the source's parameter; a view if it can be."""
    if source.transposed:
        tensor = tensor.t()
    if source.stop is None:
        return tensor
    parts = tensor.view(source.groups, -1, *tensor.shape[1:]) if source.groups > 1 else tensor[None]
    return parts[:, source.start : source.stop].flatten(0, 1)


def _by(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes)) or "a single number"
