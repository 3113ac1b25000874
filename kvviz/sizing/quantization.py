"""What a quantised model's config says: how its weights were packed, and what its cache is."""

from collections.abc import Mapping
from typing import Any

from kvviz.sizing.config_keys import Keys

CACHE_KEYS = ("kv_cache_scheme", "kv_cache_quant_algo")


def quantization(keys: Keys, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a config or its text model says of it, empty where that is nothing."""
    for source in (keys.config, config):
        found = source.get("quantization_config")
        if found is not None and isinstance(found, Mapping):
            return found
    return {}


def packing(found: Mapping[str, Any]) -> str | None:
    """Return how the weights were packed, None where they were not."""
    if not found:
        return None
    return str(found.get("quant_method") or found.get("quant_algo") or "some way")


def cache_dtype(keys: Keys, found: Mapping[str, Any]) -> str | None:
    """Return the type that K and V were calibrated for, None for the model's own.

    A way that is not known here is a warning: the answer is then for the model's own type.
    """
    scheme = next((found[key] for key in CACHE_KEYS if found.get(key)), None)
    match scheme:
        case None:
            return None
        case {"type": "float", "num_bits": 8} | "FP8" | "fp8":
            return "fp8"
    keys.warn("quantization_config has a kind of cache that is not known: give the KV dtype")
    return None
