"""From a config to the reader of its architecture; unknown ones are refused by name."""

from collections.abc import Mapping
from typing import Any

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.errors import InputError
from kvviz.sizing.families.family import Family
from kvviz.sizing.families.plain_table import GROUPED, PLAIN
from kvviz.sizing.families.state_table import LATENT, STATEFUL, WITH_SOURCE
from kvviz.sizing.families.unknown import reason
from kvviz.sizing.families.window_table import WINDOWED

FAMILIES: Mapping[str, Family] = {
    **PLAIN,
    **GROUPED,
    **WINDOWED,
    **LATENT,
    **STATEFUL,
    **WITH_SOURCE,
}
NESTED = ("text_config", "llm_config", "language_config", "thinker_config")
# What a container's text model is where its own object does not say.
USUAL_TEXT = {"llava": "llama", "llava_next": "llama", "vipllava": "llama", "idefics2": "mistral"}
SEVERAL_MODELS = ("talker_config", "depth_decoder_config", "code2wav_config")


def choose_family(config: Mapping[str, Any], name: str) -> tuple[Keys, Family]:
    """Return the keys of the text model and its family; raise InputError where there is none."""
    outer = _model_type(config, name)
    model_type, text, place = outer, config, name
    while (
        key := next((k for k in _nested(model_type) if text.get(k) is not None), None)
    ) is not None:
        text, place = _object(text, key, place), f"{place}: {key}"
        model_type = _model_type(text, place, USUAL_TEXT.get(model_type, model_type))
    family = FAMILIES.get(model_type) or FAMILIES.get(f"{model_type}_text")
    if family is None:
        raise InputError(f"{place}: model_type {model_type[:60]!a} {reason(model_type)}.")
    keys = Keys(text, place, model_type, family.defaults, nested=text is not config)
    if any(config.get(key) for key in SEVERAL_MODELS):
        keys.warn("the model has further decoders with caches of their own, which are not counted")
    return keys, family


def _nested(model_type: str) -> tuple[str, ...]:
    return ("decoder",) if model_type == "t5gemma" else NESTED


def _object(config: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    value = config[key]
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: {key} must be an object: correct it.")
    return value


def _model_type(config: Mapping[str, Any], name: str, fallback: str | None = None) -> str:
    found = config.get("model_type", fallback)
    if found is None:
        raise InputError(f"{name}: missing model_type: choose a model's whole config.json.")
    if not isinstance(found, str):
        raise InputError(f"{name}: model_type must be text: correct it.")
    return found
