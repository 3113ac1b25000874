"""The one model in memory."""

from collections.abc import Callable

import torch

from kvviz.engine.devices import device_named
from kvviz.engine.load_watch import UNSEEN, LoadWatch
from kvviz.model.transformer import Transformer
from kvviz.sizing.dtypes import DType
from kvviz.trace.config import ModelSpec, RunConfig

Key = tuple[ModelSpec, DType, str]
Load = Callable[[ModelSpec, DType, torch.device, LoadWatch], Transformer]


class ModelSlot:
    """Holds the model last loaded; the same again is free, another one replaces it."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._key: Key | None = None
        self._model: Transformer | None = None

    @property
    def weight_bytes(self) -> int:
        """Bytes of the weights held."""
        return self._model.weight_bytes if self._model is not None else 0

    def holds(self, config: RunConfig) -> bool:
        """Whether the model of ``config`` is the one held."""
        return self._model is not None and self._key == _key(config)

    def get(self, config: RunConfig, watch: LoadWatch = UNSEEN) -> Transformer:
        """Return the model; the old one is dropped before another is built.

        ``watch`` may raise to stop a load.  Raises InputError where it cannot be loaded.
        """
        if self._model is None or self._key != _key(config):
            self._model = None
            model = self._load(config.model, config.dtype, device_named(config.device), watch)
            self._model, self._key = model, _key(config)
        return self._model


def _key(config: RunConfig) -> Key:
    return config.model, config.dtype, config.device
