"""The families of models whose folders run: from a config to what the one transformer needs.

Sizes are ``kvviz.sizing``'s to read; a family adds norms, activation, RoPE, caps and the names of
its tensors.  No torch.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kvviz.model import family_gemma, family_gpt, family_llama
from kvviz.model.architecture import Architecture
from kvviz.model.config_values import Values
from kvviz.model.weight_names import Source, WeightNames, count_parameters, sources
from kvviz.sizing.config import ModelConfig, read_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.sizing.units import count_text

Read = Callable[[Values, ModelConfig, ModelShape], tuple[ModelShape, Architecture]]

MAX_NAMED = 5  # tensors named in one sentence


@dataclass(frozen=True, slots=True)
class Family:
    """One folder's model: its sizes, its arithmetic, and where each parameter lies in its files.

    ``sources`` has every parameter of the state dict.  ``model_type`` is the config's word.
    """

    model_type: str
    shape: ModelShape
    architecture: Architecture
    sources: Mapping[str, Source]

    def in_file(self, present: Collection[str], where: str) -> "Family":
        """Return the family with its tensors named as a file has them; InputError if one lacks."""
        found: dict[str, Source] = {}
        lacking = []
        for parameter, source in self.sources.items():
            name = next((n for n in (source.name, *source.aliases) if n in present), None)
            if name is None:
                lacking.append(source.name)
            else:
                found[parameter] = replace(source, name=name, aliases=())
        if lacking:
            raise InputError(
                f"{where} lacks {_some(lacking)}, which its config.json asks for: copy or "
                "download the whole folder again."
            )
        return replace(self, sources=found)


# Masks and angles that older files hold besides the weights.
CONSTANTS = (".rotary_emb.inv_freq", ".masked_bias", ".attn.bias", ".attention.bias")


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a family is read; ``ffn_by_default`` where a config may leave 4 x hidden size out."""

    read: Read
    names: WeightNames
    ffn_by_default: bool = False


KINDS: Mapping[str, _Kind] = {
    "llama": _Kind(family_llama.llama, family_llama.NAMES),
    "mistral": _Kind(family_llama.mistral, family_llama.NAMES),
    "qwen2": _Kind(family_llama.qwen2, family_llama.NAMES),
    "qwen3": _Kind(family_llama.qwen3, family_llama.NAMES),
    "gemma2": _Kind(family_gemma.gemma2, family_gemma.NAMES),
    "gemma3_text": _Kind(family_gemma.gemma3, family_gemma.NAMES),
    "phi3": _Kind(family_llama.phi3, family_llama.PHI3_NAMES),
    "gpt2": _Kind(family_gpt.gpt2, family_gpt.GPT2_NAMES, ffn_by_default=True),
    "gpt_neox": _Kind(family_gpt.gpt_neox, family_gpt.GPT_NEOX_NAMES),
    "olmo2": _Kind(family_llama.olmo2, family_llama.OLMO2_NAMES),
}


def family_of(config: Mapping[str, Any], name: str) -> Family:
    """Return what a config.json describes; ``name`` says in errors where it came from.

    Raises InputError for a family that is not supported, and for what a config lacks.
    """
    values = Values(config, name)
    if config.get("auto_map"):
        values.refuse("needs code from the folder (auto_map), and kvviz never runs it")
    model_type = config.get("model_type")
    kind = KINDS.get(model_type) if isinstance(model_type, str) else None
    if kind is None:
        values.refuse(
            f"model_type {str(model_type)[:60]!a} is not a family that runs here: kvviz runs "
            f"{', '.join(KINDS)}"
        )
    if config.get("quantization_config"):
        values.refuse(
            "the weights are quantised (quantization_config), which is not supported: choose "
            "the folder with float32, float16 or bfloat16 weights"
        )
    geometry = read_config(config, name)
    if not kind.ffn_by_default:
        _known(values, "intermediate_size", geometry.intermediate_size)
    shape, architecture = kind.read(values, geometry, _shape(values, geometry))
    shape = replace(shape, parameters=count_parameters(shape, architecture))
    return Family(str(model_type), shape, architecture, sources(kind.names, shape, architecture))


def _shape(values: Values, geometry: ModelConfig) -> ModelShape:
    """Return the sizes that all families share."""
    return ModelShape(
        num_layers=geometry.num_layers,
        num_heads=_known(values, "num_attention_heads", geometry.num_heads),
        num_kv_heads=_known(values, "num_key_value_heads", geometry.num_kv_heads),
        head_dim=_known(values, "head_dim", geometry.head_dim),
        vocab_size=_known(values, "vocab_size", geometry.vocab_size),
        positions=Positions.ROPE,
        hidden_width=_known(values, "hidden_size", geometry.hidden_size),
        ffn_width=geometry.intermediate_size,
        windows=geometry.windows if any(geometry.windows) else (),
        context=geometry.max_positions,
    )


def _known(values: Values, key: str, number: int | None) -> int:
    if number is None:
        values.refuse(f"missing {key}: add it, or choose the whole config.json")
    return number


def _some(names: Collection[str]) -> str:
    ordered = sorted(names)
    shown = ", ".join(name[:80] for name in ordered[:MAX_NAMED])
    rest = len(ordered) - MAX_NAMED
    return f"{shown} and {count_text(rest, 'other tensor')}" if rest > 0 else shown
