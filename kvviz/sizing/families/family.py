"""What a model type's reader is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import LayerParts

Reader = Callable[[Keys], tuple[LayerParts, ...]]


@dataclass(frozen=True, slots=True)
class Family:
    """How a model type's layers are read, and what its class takes for absent keys.

    ``understands`` are the keys beyond plain attention that the reader handles, or that are known
    to leave the cache alone; any other of them in a config is refused.
    """

    read: Reader
    defaults: Mapping[str, Any] = field(default_factory=dict)
    understands: frozenset[str] = frozenset()
