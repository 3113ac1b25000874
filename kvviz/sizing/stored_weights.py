"""What weights take as they are stored, where some are packed and others are not."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.parameters import count_active, count_packed, count_parameters

PLAIN_BYTES = 2  # bfloat16
PACKED, PACKED_BYTES = 32, 17  # mxfp4: 32 weights of 4 bit and one scale of 8


class Stored(NamedTuple):
    """Bytes of all weights, and of those that one token is multiplied with."""

    every: int
    active: int


def stored_weights(config: Mapping[str, Any], model: ModelConfig, name: str) -> Stored | None:
    """Return what mxfp4 leaves of a model: its experts' matrices are packed, nothing else is.

    None where the weights are packed in another way, or not at all, or cannot be counted.
    """
    if model.quantization != "mxfp4":
        return None
    every, active = count_parameters(config, model, name), count_active(config, model, name)
    if every is None or active is None:
        return None
    packed = [count_packed(config, model, name, active=some) for some in (False, True)]
    return Stored(*(_bytes(n, p) for n, p in zip((every, active), packed, strict=True)))


def _bytes(weights: int, packed: int) -> int:
    return packed * PACKED_BYTES // PACKED + (weights - packed) * PLAIN_BYTES
