"""Which layer is of which kind: read from ``layer_types``, else by the class's own pattern."""

from collections.abc import Callable, Collection, Sized

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.units import count_text

FULL, SLIDING, CHUNKED = "full_attention", "sliding_attention", "chunked_attention"
LINEAR = "linear_attention"


def read_layer_types(
    keys: Keys, known: Collection[str], key: str = "layer_types"
) -> tuple[str, ...] | None:
    """Return each layer's kind as the config lists it, None where it does not; or InputError."""
    found = keys.items(key)
    if found is None:
        return None
    check_length(keys, key, found)
    for layer, kind in enumerate(found):
        if kind not in known:
            keys.refuse(
                f"{key}[{layer}] is {str(kind)[:40]!a}, which is not known for "
                f"{keys.model_type}: known are {', '.join(sorted(known))}"
            )
    return tuple(found)


def check_length(keys: Keys, key: str, found: Sized) -> None:
    """Raise InputError unless what was found under ``key`` is one for each layer."""
    layers = keys.needed("num_hidden_layers")
    if len(found) != layers:
        keys.refuse(
            f"{key} lists {count_text(len(found), 'layer')}, num_hidden_layers is {layers:,}"
        )


def pattern(keys: Keys, is_full: Callable[[int], bool], rule: str) -> tuple[str, ...]:
    """Return full or sliding for each layer by a class's rule, written down as assumed."""
    keys.assume(f"layer_types absent: {rule}, the default of {keys.model_type}")
    return tuple(FULL if is_full(n) else SLIDING for n in range(keys.needed("num_hidden_layers")))


def every(keys: Keys, period: int, key: str | None = None) -> tuple[str, ...]:
    """Return a pattern in which each ``period``-th layer is full and the others slide.

    ``key`` is where a config may write another period; 1 leaves all full.
    """
    read = keys.whole(key) if key else None
    number = read or period
    rule = f"full is every layer whose number, from 1, is a multiple of {number}"
    if read is None:
        return pattern(keys, lambda layer: (layer + 1) % number == 0, rule)
    layers = keys.needed("num_hidden_layers")
    return tuple(SLIDING if (layer + 1) % number else FULL for layer in range(layers))
