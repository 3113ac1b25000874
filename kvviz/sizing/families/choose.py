"""From a config to the reader of its architecture; unknown ones are refused by name."""

from collections.abc import Mapping
from typing import Any

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.errors import InputError
from kvviz.sizing.families.family import Family
from kvviz.sizing.families.table import FAMILIES

NESTED = ("text_config", "llm_config", "language_config")


def choose_family(config: Mapping[str, Any], name: str) -> tuple[Keys, Family]:
    """Return the keys of the text model and its family; raise InputError where there is none."""
    outer = _model_type(config, name)
    nested = next((key for key in NESTED if config.get(key) is not None), None)
    if nested is None:
        model_type, text = outer, config
    else:
        text = config[nested]
        if not isinstance(text, Mapping):
            raise InputError(f"{name}: {nested} must be an object: correct it.")
        name = f"{name}: {nested}"
        model_type = _model_type(text, name, outer)
    family = FAMILIES.get(model_type)
    if family is None:
        raise InputError(
            f"{name}: model_type {model_type[:60]!a} is not known, so its cache cannot be told: "
            "kvviz calc --presets lists models that are."
        )
    keys = Keys(text, name, model_type, family.defaults, nested=nested is not None)
    return keys, family


def _model_type(config: Mapping[str, Any], name: str, fallback: str | None = None) -> str:
    found = config.get("model_type", fallback)
    if found is None:
        raise InputError(f"{name}: missing model_type: choose a model's whole config.json.")
    if not isinstance(found, str):
        raise InputError(f"{name}: model_type must be text: correct it.")
    return found
