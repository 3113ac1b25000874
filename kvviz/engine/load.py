"""From a model's description to a model that runs."""

import torch

from kvviz.assets import built_in_model
from kvviz.cache.build import TORCH_DTYPES
from kvviz.engine.fill import fill_from
from kvviz.engine.load_watch import UNSEEN, LoadWatch
from kvviz.model.init import empty_transformer, fill_random
from kvviz.model.transformer import Transformer
from kvviz.model.tutorial_weights import tutorial_shape
from kvviz.model.weights import Weights, folder_weights, tutorial_weights
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSource, ModelSpec


def load_model(
    spec: ModelSpec, dtype: DType, device: torch.device, watch: LoadWatch = UNSEEN
) -> Transformer:
    """Build the model; it needs no file any more once it is there.

    Raises InputError where a file cannot be used.
    """
    torch_dtype = TORCH_DTYPES[dtype]
    if spec.source is ModelSource.RANDOM:
        model = empty_transformer(spec.shape, dtype=torch_dtype, device=device)
        total = model.weight_bytes
        fill_random(model, spec.seed, lambda: watch.progress(0, total))
        return model
    weights = _weights(spec)
    model = empty_transformer(spec.shape, weights.architecture, dtype=torch_dtype, device=device)
    fill_from(model, weights, watch)
    return model


def _weights(spec: ModelSpec) -> Weights:
    if spec.source is ModelSource.BUILT_IN:
        return _unchanged(folder_weights(str(built_in_model())), spec.shape)
    if spec.path is None:
        raise InputError("No weights are named: choose a .safetensors file or a model's folder.")
    if spec.source is ModelSource.FOLDER:
        return _unchanged(folder_weights(spec.path), spec.shape)
    found = tutorial_shape(spec.path, spec.shape.num_heads)
    if _weights_only(found) != _weights_only(spec.shape):
        raise _changed(spec.path)
    return tutorial_weights(spec.path, spec.shape)


def _unchanged(weights: Weights, shape: ModelShape) -> Weights:
    if weights.shape != shape:
        raise _changed(weights.where)
    return weights


def _changed(path: str) -> InputError:
    return InputError(f"{path} has changed since it was opened: open it again.")


def _weights_only(shape: ModelShape) -> tuple[int, ...]:
    """Return what a tutorial's file decides; positions are no weights."""
    return (
        shape.num_layers,
        shape.num_kv_heads,
        shape.head_dim,
        shape.vocab_size,
    )
