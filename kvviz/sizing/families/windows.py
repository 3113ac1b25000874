"""Attention whose layers are full, sliding or chunked, all of the same heads."""

from collections.abc import Callable

from kvviz.sizing import patterns
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.family import Reader
from kvviz.sizing.families.heads import read_heads, windowed
from kvviz.sizing.parts import KIND_OF_LAYER_TYPE, LayerParts
from kvviz.sizing.patterns import CHUNKED, FULL, SLIDING
from kvviz.sizing.shape import CachePart

LayerTypes = Callable[[Keys], tuple[str, ...]]


def read_plain(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers that all keep every token."""
    return layers_of(keys, read_heads(keys), all_full(keys), None)


def slides(layer_types: LayerTypes) -> Reader:
    """Return a reader of layers that slide by ``layer_types``, else by a class's pattern."""

    def read(keys: Keys) -> tuple[LayerParts, ...]:
        kinds = patterns.read_layer_types(keys, (FULL, SLIDING)) or layer_types(keys)
        return layers_of(keys, read_heads(keys), kinds, read_window(keys, kinds))

    return read


def layers_of(
    keys: Keys, heads: CachePart, kinds: tuple[str, ...], window: int | None
) -> tuple[LayerParts, ...]:
    """Return one part a layer by its kind; each kind's object is made once."""
    made = {
        kind: LayerParts((windowed(heads, window, KIND_OF_LAYER_TYPE[kind]),))
        for kind in sorted(set(kinds))
    }
    return tuple(made[kind] for kind in kinds)


def read_window(keys: Keys, kinds: tuple[str, ...]) -> int | None:
    """Return the window of the layers that have one, None where windows are off; or InputError."""
    if SLIDING not in kinds and CHUNKED not in kinds:
        return None
    if not keys.flag("use_sliding_window", default=True):
        keys.assume("sliding_window is not used: use_sliding_window is false")
        return None
    key = "attention_chunk_size" if CHUNKED in kinds else "sliding_window"
    window = keys.whole(key)
    if window is None and "layer_types" in keys.config and key not in keys.config:
        keys.refuse(f"layer_types has sliding layers and {key} is missing: add it")
    if window is None:
        keys.assume(f"{key} is null: all layers keep every token")
    return window


def all_full(keys: Keys) -> tuple[str, ...]:
    """Every layer full; ``layer_types`` may say so too."""
    found = patterns.read_layer_types(keys, (FULL,))
    return found or (FULL,) * keys.needed("num_hidden_layers")


def all_sliding(keys: Keys) -> tuple[str, ...]:
    """Every layer slides if there is a window."""
    return (SLIDING,) * keys.needed("num_hidden_layers")


def upper_sliding(keys: Keys) -> tuple[str, ...]:
    """Layers from ``max_window_layers`` on slide, if ``use_sliding_window`` is true at all."""
    layers = keys.needed("num_hidden_layers")
    if not keys.flag("use_sliding_window", default=False):
        if keys.config.get("sliding_window") is not None:
            keys.assume("sliding_window is not used: use_sliding_window is not true")
        return (FULL,) * layers
    first = keys.usual("max_window_layers", 28, low=0)
    return tuple(SLIDING if layer >= first else FULL for layer in range(layers))


def every_full(period: int, key: str | None = None) -> LayerTypes:
    """Return the pattern with each ``period``-th layer full; ``key`` may hold another period."""

    def kinds(keys: Keys) -> tuple[str, ...]:
        return patterns.every(keys, period, key)

    return kinds
