"""A model to be sized: its config as written, what was read of it, and where it is from."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kvviz.sizing.config import ModelConfig, read_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.json_file import parse_json_object, read_json_object
from kvviz.sizing.parameters import count_active, count_parameters
from kvviz.sizing.presets import Preset
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.stored_weights import Stored, stored_weights

TUTORIAL_SHAPE = ModelShape(
    num_layers=32, num_heads=32, num_kv_heads=32, head_dim=128, vocab_size=32_000
)
TUTORIAL = "The tutorial's example"
PASTED = "pasted text"
EXPERTS = (
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "moe_num_experts",
    "num_routed_experts",
)


@dataclass(frozen=True, slots=True)
class SizedModel:
    """``raw`` is the config, ``config`` its geometry.

    ``parameters`` are the weights and ``active`` those that one token meets, ``stored`` the bytes
    of both where some are packed; None if not known.
    """

    name: str
    source: str
    raw: Mapping[str, Any]
    config: ModelConfig
    parameters: int | None = None
    active: int | None = None
    stored: Stored | None = None

    def with_value(self, path: tuple[str, ...], value: object) -> "SizedModel":
        """Return the model with one value of its config changed; InputError where it is not one.

        Its weights are counted anew; a published number was of another model.
        """
        raw = copy.deepcopy(dict(self.raw))
        place = raw
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        name = self.name.removesuffix(", changed") + ", changed"
        return _sized(name, self.source, raw)

    @property
    def has_experts(self) -> bool:
        """Whether a token meets only some of the weights."""
        parts = (self.raw, *(v for v in self.raw.values() if isinstance(v, Mapping)))
        counts = (part.get(key) for part in parts for key in EXPERTS)
        return any(isinstance(count, int) and count > 1 for count in counts)


def from_preset(preset: Preset) -> SizedModel:
    """Return a model that comes along; raise InputError where it cannot be sized."""
    model = _sized(preset.name, preset.source, preset.config)
    return model if model.parameters else replace(model, parameters=preset.parameters)


def from_file(path: str) -> SizedModel:
    """Return the model of a config.json; raise InputError, one sentence, for anything else."""
    raw = read_json_object(path)
    return _sized(_short_name(path, raw), path, raw, said=path)


def from_text(text: str) -> SizedModel:
    """Return the model of a config.json's text; raise InputError for anything else."""
    raw = parse_json_object(text.encode(errors="replace"), PASTED)
    return _sized(_own_name(raw) or PASTED, PASTED, raw, said=PASTED)


def tutorial_model() -> SizedModel:
    """Return the tutorial's example: 32 layers of 32 KV heads, 128 wide."""
    shape = TUTORIAL_SHAPE
    raw = {
        "model_type": "llama",
        "num_hidden_layers": shape.num_layers,
        "num_attention_heads": shape.num_heads,
        "num_key_value_heads": shape.num_kv_heads,
        "head_dim": shape.head_dim,
        "hidden_size": shape.hidden_size,
        "intermediate_size": 11_008,
        "vocab_size": shape.vocab_size,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
    }
    source = "32 layers, 32 KV heads, head size 128, bfloat16; the rest as in Llama-2-7B"
    return _sized(TUTORIAL, source, raw)


def _sized(name: str, source: str, raw: Mapping[str, Any], said: str = "") -> SizedModel:
    """Return what ``raw`` describes; ``said`` names it in a refusal."""
    said = said or name
    config = read_config(raw, said)
    return SizedModel(
        name,
        source,
        raw,
        config,
        count_parameters(raw, config, said),
        count_active(raw, config, said),
        stored_weights(raw, config, said),
    )


def read_value(typed: str) -> object:
    """Return what was typed into a field of a config: JSON, or else text."""
    typed = typed.strip()
    if len(typed) > 10_000:
        raise InputError("That is too long for one value of a config: paste the whole file.")
    try:
        return parse_json_object(f'{{"value": {typed}}}'.encode(), "the value")["value"]
    except InputError as error:
        if typed[:1] in '[{"-0123456789':
            raise InputError(
                f"{typed[:40]!a} is no JSON value: type a number, a word, true, null or a list."
            ) from error
        return typed


def write_value(value: object) -> str:
    """Write one value of a config as it is typed."""
    return value if isinstance(value, str) else json.dumps(value)


def _short_name(path: str, raw: Mapping[str, Any]) -> str:
    parts = path.replace("\\", "/").rstrip("/").split("/")
    if parts[-1].lower() != "config.json":
        return parts[-1]
    return _own_name(raw) or (parts[-2] if len(parts) > 1 and parts[-2] else parts[-1])


def _own_name(raw: Mapping[str, Any]) -> str:
    name = raw.get("_name_or_path")
    if isinstance(name, str) and name.strip(". /"):
        return name.replace("\\", "/").rstrip("/").split("/")[-1][:60]
    return ""


def kind_of(config: ModelConfig) -> str:
    """Say how a model keeps its cache: GQA 32/8, 12 window, 12 full, MLA."""
    counts: dict[str, int] = {}
    for layer in config.layers:
        word = "+".join(_word(part.kind.value) for part in layer.parts) or "none"
        if layer.shares_with is not None:
            word = "shared"
        counts[word] = counts.get(word, 0) + 1
    if set(counts) == {"full"} and config.num_heads and config.num_kv_heads:
        return _grouped(config.num_heads, config.num_kv_heads)
    if set(counts) == {"MLA"}:
        return "MLA"
    counts.pop("none", None)
    return ", ".join(f"{count} {word}" for word, count in counts.items()) or "no cache"


def _word(kind: str) -> str:
    return {"sliding": "window", "mla": "MLA", "recurrent": "state"}.get(kind, kind)


def _grouped(heads: int, kv_heads: int) -> str:
    if heads == kv_heads:
        return f"MHA {heads}"
    return f"{'MQA' if kv_heads == 1 else 'GQA'} {heads}/{kv_heads}"
