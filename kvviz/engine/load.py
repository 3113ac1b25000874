"""From a model's description to a model that runs."""

from collections.abc import Callable

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from torch import Tensor

from kvviz.cache.build import TORCH_DTYPES
from kvviz.model.init import empty_transformer, fill_random
from kvviz.model.transformer import Transformer
from kvviz.model.tutorial_weights import check_tensors, tutorial_shape
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSource, ModelSpec


def load_model(
    spec: ModelSpec,
    dtype: DType,
    device: torch.device,
    check: Callable[[], None] = lambda: None,
) -> Transformer:
    """Build the model; ``check`` is called between tensors and may raise to stop.

    Raises InputError where a file cannot be used.
    """
    tensors = _read_tutorial(spec) if spec.source is ModelSource.TUTORIAL else None
    model = empty_transformer(spec.shape, dtype=TORCH_DTYPES[dtype], device=device)
    if tensors is None:
        fill_random(model, spec.seed, check)
    else:
        _fill(model, tensors, dtype, str(spec.path), check)
    return model


def _read_tutorial(spec: ModelSpec) -> dict[str, Tensor]:
    """Read the file whole, so that it may be changed or deleted afterwards."""
    if spec.path is None:
        raise InputError("No weights file is named: choose a .safetensors file.")
    # The header is checked first: what is not the tutorial's model is never read whole.
    found = tutorial_shape(spec.path, spec.shape.num_heads)
    if _weights_only(found) != _weights_only(spec.shape):
        raise InputError(f"{spec.path} has changed since it was opened: open it again.")
    with open_plain(spec.path) as file:
        data = file.read()
    try:
        tensors = load_tensors(data)
    except SafetensorError as error:
        raise InputError(f"{spec.path} is damaged ({error}): copy or download it again.") from error
    check_tensors({n: tuple(t.shape) for n, t in tensors.items()}, spec.shape, spec.path)
    return tensors


def _fill(
    model: Transformer,
    tensors: dict[str, Tensor],
    dtype: DType,
    path: str,
    check: Callable[[], None],
) -> None:
    for name, weight in model.named_parameters():
        check()
        source = tensors.pop(name)
        weight.copy_(source)
        bad = weight.numel() - int(torch.isfinite(weight).sum())
        if not bad:
            continue
        if torch.isfinite(source).all():
            raise InputError(
                f"{path}: {bad:,} numbers of {name} are too large for {dtype}: choose bfloat16 "
                "or float32."
            )
        raise InputError(
            f"{path}: {bad:,} numbers of {name} are not finite (NaN or infinity): the training "
            "that made it went wrong, use an earlier file."
        )


def _weights_only(shape: ModelShape) -> tuple[int, ...]:
    """Return what a file decides; positions are no weights."""
    return (
        shape.num_layers,
        shape.num_kv_heads,
        shape.head_dim,
        shape.vocab_size,
    )
