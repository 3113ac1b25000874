"""What a model type's reader is, and the sizes its class has for absent keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import LayerParts

Reader = Callable[[Keys], tuple[LayerParts, ...]]


@dataclass(frozen=True, slots=True)
class Family:
    """How a model type's layers are read, and what its class takes for absent keys.

    ``understands`` are the keys beyond plain attention that the reader handles; any other of
    them in a config is refused.
    """

    read: Reader
    defaults: Mapping[str, Any] = field(default_factory=dict)
    understands: frozenset[str] = frozenset()


def sizes(
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int | None = None,
    head_dim: int | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Return a class's defaults: None for what it derives."""
    usual = {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": head_dim,
    }
    return usual | others
