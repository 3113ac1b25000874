"""From a model's description to a model that runs."""

from collections.abc import Callable

import torch

from kvviz.cache.build import TORCH_DTYPES
from kvviz.model.init import empty_transformer, fill_random
from kvviz.model.transformer import Transformer
from kvviz.sizing.dtypes import DType
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
    model = empty_transformer(spec.shape, dtype=TORCH_DTYPES[dtype], device=device)
    if spec.source is ModelSource.RANDOM:
        fill_random(model, spec.seed, check)
    return model
