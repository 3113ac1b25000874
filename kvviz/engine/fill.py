"""The weights of files into a model's parameters, a piece at a time."""

from math import prod

from torch import Tensor

from kvviz.engine.load_watch import LoadWatch
from kvviz.engine.weight_reader import WeightReader, check_overflow
from kvviz.model.fill import rows_of
from kvviz.model.transformer import Transformer
from kvviz.model.weight_names import Source
from kvviz.model.weights import Weights


def fill_from(model: Transformer, weights: Weights, watch: LoadWatch) -> None:
    """Set every parameter; beside them never more than one tensor of a file is in memory.

    Raises InputError where a file is not any more what its header said, and for numbers that are
    too large for the model's dtype; numbers that are none are warned of.
    """
    total, done = weights.num_bytes, 0

    def on_bytes(count: int) -> None:
        nonlocal done
        done += count
        watch.progress(done, total)

    watch.progress(0, total)
    with WeightReader(on_bytes) as reader:
        for name, held in _by_tensor(model, weights).items():
            _fill_tensor(held, name, weights, reader)
    if reader.num_bad:
        watch.warn(
            f"{weights.where}: {reader.num_bad:,} weights are not finite (NaN or infinity), the "
            f"first in {reader.bad_name}: what the model says may make no sense."
        )


def _by_tensor(model: Transformer, weights: Weights) -> dict[str, list[tuple[Source, Tensor]]]:
    """Return the parameters that each stored tensor holds, in the order of the files."""
    held: dict[str, list[tuple[Source, Tensor]]] = {name: [] for name in weights.tensors}
    for parameter, weight in model.named_parameters():
        source = weights.sources[parameter]
        held[source.name].append((source, weight.detach()))
    return held


def _fill_tensor(
    held: list[tuple[Source, Tensor]], name: str, weights: Weights, reader: WeightReader
) -> None:
    stored = weights.tensors[name]
    if all(_lies_alike(source, weight) for source, weight in held):
        for source, weight in held:
            reader.read_into(weight, name, stored, source.start * prod(source.sizes[1:]))
        return
    whole = reader.read(name, stored)
    for source, weight in held:
        rows = rows_of(whole, source)
        weight.copy_(rows)
        check_overflow(weight, rows, name, stored.path)


def _lies_alike(source: Source, weight: Tensor) -> bool:
    """Whether the parameter's numbers lie together in the file, in its own order."""
    return source.groups == 1 and not source.transposed and weight.is_contiguous()
