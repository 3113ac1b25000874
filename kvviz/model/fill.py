"""A file's tensor as the parameters that it holds."""

from torch import Tensor

from kvviz.model.weight_names import Source


def rows_of(tensor: Tensor, source: Source) -> Tensor:
    """Return the part of a file's tensor that is the source's parameter; a view if it can be."""
    if source.transposed:
        tensor = tensor.t()
    if source.stop is None:
        return tensor
    parts = tensor.view(source.groups, -1, *tensor.shape[1:]) if source.groups > 1 else tensor[None]
    return parts[:, source.start : source.stop].flatten(0, 1)
