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
LETTERS = {"L": SLIDING, "G": FULL}


def read_plain(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers that all keep every token."""
    return layers_of(keys, read_heads(keys), all_full(keys), None)


def slides(layer_types: LayerTypes) -> Reader:
    """Return a reader of layers that slide by ``layer_types``, else by a class's pattern."""

    def read(keys: Keys) -> tuple[LayerParts, ...]:
        kinds = patterns.read_layer_types(keys, (FULL, SLIDING)) or layer_types(keys)
        return layers_of(keys, read_heads(keys), kinds, read_window(keys, kinds))

    return read


def read_chunked(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers with RoPE as chunked and those without as full, as Llama 4 has them."""
    kinds = patterns.read_layer_types(keys, (FULL, CHUNKED)) or rope_chunked(keys)
    return layers_of(keys, read_heads(keys), kinds, read_window(keys, kinds))


def layers_of(
    keys: Keys, heads: CachePart, kinds: tuple[str, ...], window: int | None
) -> tuple[LayerParts, ...]:
    """Return one part a layer by its kind; each kind's object is made once."""
    made = {
        kind: LayerParts((windowed(heads, window, KIND_OF_LAYER_TYPE[kind]),))
        for kind in set(kinds)
    }
    return tuple(made[kind] for kind in kinds)


def read_window(keys: Keys, kinds: tuple[str, ...]) -> int | None:
    """Return the window of the layers that have one, None where windows are off; or InputError."""
    if SLIDING not in kinds and CHUNKED not in kinds:
        return None
    if keys.config.get("use_sliding_window") is False:
        keys.assume("sliding_window is not used: use_sliding_window is false")
        return None
    key = "attention_chunk_size" if CHUNKED in kinds else "sliding_window"
    window = keys.whole(key)
    if window is None and keys.config.get("layer_types") is not None:
        keys.refuse(f"layer_types has layers with a window and {key} is missing: add it")
    if window is None and key in keys.config:
        keys.assume(f"{key} is null: all layers keep every token")
    return window


def all_full(keys: Keys) -> tuple[str, ...]:
    """Every layer full; ``layer_types`` may say so too."""
    found = patterns.read_layer_types(keys, (FULL,))
    return found or (FULL,) * keys.needed("num_hidden_layers")


def listed(keys: Keys) -> tuple[str, ...]:
    """Refuse what does not list its layers: the class's pattern depends on more than is here."""
    keys.missing("layer_types")


def all_sliding(keys: Keys) -> tuple[str, ...]:
    """Every layer slides if there is a window."""
    return (SLIDING,) * keys.needed("num_hidden_layers")


def upper_sliding(keys: Keys) -> tuple[str, ...]:
    """Layers from ``max_window_layers`` on slide, if ``use_sliding_window`` is true at all."""
    layers = keys.needed("num_hidden_layers")
    if not _asks_for_window(keys):
        return (FULL,) * layers
    first = keys.usual("max_window_layers", 28, low=0)
    return tuple(SLIDING if layer >= first else FULL for layer in range(layers))


def above_max_window(keys: Keys) -> tuple[str, ...]:
    """Layers from ``max_window_layers`` on slide wherever there is a window."""
    layers = keys.needed("num_hidden_layers")
    first = keys.whole("max_window_layers", low=0)
    if first is None:
        first = layers
    return tuple(SLIDING if layer >= first else FULL for layer in range(layers))


def sliding_if_used(keys: Keys) -> tuple[str, ...]:
    """Every layer slides if ``use_sliding_window`` is true."""
    kind = SLIDING if _asks_for_window(keys) else FULL
    return (kind,) * keys.needed("num_hidden_layers")


def lower_alternating(keys: Keys) -> tuple[str, ...]:
    """Every other layer below ``max_window_layers`` slides, if windows are used at all."""
    layers = keys.needed("num_hidden_layers")
    if not _asks_for_window(keys):
        return (FULL,) * layers
    last = keys.usual("max_window_layers", 28, low=0)
    return tuple(FULL if n % 2 or n >= last else SLIDING for n in range(layers))


def every_full(period: int, key: str | None = None) -> LayerTypes:
    """Return the pattern with each ``period``-th layer full; ``key`` may hold another period."""

    def kinds(keys: Keys) -> tuple[str, ...]:
        value = keys.config.get(key) if key else None
        if isinstance(value, str):
            return _lettered(keys, str(key), value)
        if keys.config.get("sliding_window", 0) is None:
            return (FULL,) * keys.needed("num_hidden_layers")
        return patterns.every(keys, period, key)

    return kinds


def first_full(period: int, key: str | None = None) -> LayerTypes:
    """Return the pattern with layers 0, ``period``, ... full, as layers are numbered from 0."""

    def kinds(keys: Keys) -> tuple[str, ...]:
        step = (keys.whole(key) if key else None) or period
        rule = f"full is every layer whose number, from 0, is a multiple of {step}"
        return patterns.pattern(keys, lambda layer: layer % step == 0, rule)

    return kinds


def ruled(is_full: Callable[[int, int], bool], rule: str) -> LayerTypes:
    """Return a class's own pattern: which layer of how many is full, and that in words."""

    def kinds(keys: Keys) -> tuple[str, ...]:
        layers = keys.needed("num_hidden_layers")
        return patterns.pattern(keys, lambda layer: is_full(layer, layers), rule)

    return kinds


def rope_chunked(keys: Keys) -> tuple[str, ...]:
    """Layers with RoPE are chunked: ``no_rope_layers`` has 1 for them, else three of four."""
    layers = keys.needed("num_hidden_layers")
    if "attention_chunk_size" in keys.config and keys.config["attention_chunk_size"] is None:
        return (FULL,) * layers
    found = keys.wholes("no_rope_layers", low=0, high=1)
    if found:
        patterns.check_length(keys, "no_rope_layers", found)
        return tuple(CHUNKED if rope else FULL for rope in found)
    step = keys.usual("no_rope_layer_interval", 4)
    return tuple(CHUNKED if (layer + 1) % step else FULL for layer in range(layers))


def _lettered(keys: Keys, key: str, letters: str) -> tuple[str, ...]:
    """Return the pattern that letters such as LLLG repeat: L local, G global."""
    if not letters or not set(letters) <= set(LETTERS):
        keys.refuse(f"{key} {letters[:40]!a} is not known: its letters must be L and G")
    layers = keys.needed("num_hidden_layers")
    return tuple(LETTERS[letters[layer % len(letters)]] for layer in range(layers))


def _asks_for_window(keys: Keys) -> bool:
    asked = keys.flag("use_sliding_window", default=False)
    if not asked and keys.config.get("sliding_window") is not None:
        keys.assume("sliding_window is not used: use_sliding_window is not true")
    return asked
