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
USUAL_TEXT = {
    "mistral3": "mistral",
    "llava": "llama",
    "llava_next": "llama",
    "vipllava": "llama",
    "idefics2": "mistral",
}
# Models around a text model that add no cache to it.
CONTAINERS = frozenset(
    {
        "apertus1p5", "aria", "audioflamingo3", "aya_vision", "cohere2_vision", "cosmos3_edge",
        "deepseek_ocr2", "deepseek_vl", "deepseek_vl_hybrid", "deepseek_vl_v2", "emu3",
        "ernie4_5_vl_moe", "exaone4_5", "fast_vlm", "fuyu", "gemma3", "gemma3n", "gemma4",
        "gemma4_unified", "glm46v", "glm4v", "glm4v_moe", "glm_ocr", "glmasr", "got_ocr2",
        "granite4_vision", "granite_docling", "granite_speech", "hunyuan_vl", "idefics2",
        "idefics3", "internvl", "internvl_chat", "janus", "kimi_k25", "kimi_k3", "kimi_vl",
        "lfm2_vl", "lighton_ocr", "llama4", "llava", "llava_next", "llava_next_video",
        "llava_onevision", "minicpmv4_6", "minimax_m3_vl", "mistral3", "mistral4", "mllama",
        "muse_glimmer", "muse_spark", "ovis2", "paddleocr_vl", "paligemma", "perception_lm",
        "qianfan_ocr", "qwen2_5_omni", "qwen2_5_vl", "qwen2_audio", "qwen2_vl", "qwen3_5",
        "qwen3_5_moe", "qwen3_asr", "qwen3_omni_moe", "qwen3_vl", "qwen3_vl_moe", "shieldgemma2",
        "smolvlm", "step3_vl", "step3p7", "t5gemma", "video_llama_3", "video_llava", "vipllava",
        "voxtral", "voxtral_realtime",
    }
)  # fmt: skip
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
    if keys.nested and outer not in CONTAINERS:
        keys.warn(f"{outer[:60]!a} is not known: its text model is sized as any {model_type} is")
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
