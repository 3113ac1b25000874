"""How many weights a model has, where its architecture is known; of a nested config, the text's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kvviz.sizing.config import ModelConfig, open_config
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.errors import InputError
from kvviz.sizing.experts import Block, expert_matrices, feed_forward
from kvviz.sizing.parts import AttentionPart, LatentPart, LayerParts, StatePart


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a layer is made of beside its projections.

    ``norms`` a layer, each of ``norm_weights`` vectors; biases of q, k and v, and of the output;
    ``head_norms`` are on each head of q and k, ``wide_norms`` on all of them together; ``gated``
    feed-forward has three matrices instead of two; ``query_gate`` doubles the query projection;
    ``sinks`` is one number a query head.
    """

    norms: int = 2
    norm_weights: int = 1
    qkv_bias: bool = False
    out_bias: bool = False
    head_norms: bool = False
    wide_norms: bool = False
    gated: bool = True
    mlp_bias: bool = False
    head_bias: bool = False
    query_gate: bool = False
    sinks: bool = False
    positions: bool = False


LLAMA = Recipe()
GPT = Recipe(
    norm_weights=2, qkv_bias=True, out_bias=True, gated=False, mlp_bias=True, positions=False
)
RECIPES: Mapping[str, Recipe] = {
    "deepseek_v2": LLAMA,
    "deepseek_v3": LLAMA,
    "deepseek_v32": LLAMA,
    "gemma": LLAMA,
    "gemma2": Recipe(norms=4),
    "gemma3_text": Recipe(norms=4, head_norms=True),
    "glm": Recipe(qkv_bias=True),
    "glm4": Recipe(norms=4, qkv_bias=True),
    "glm_moe_dsa": LLAMA,
    "gpt2": Recipe(
        norm_weights=2, qkv_bias=True, out_bias=True, gated=False, mlp_bias=True, positions=True
    ),
    "gpt_neox": GPT,
    "gpt_oss": Recipe(qkv_bias=True, out_bias=True, sinks=True, mlp_bias=True),
    "granite": LLAMA,
    "kimi_k2": LLAMA,
    "llama": LLAMA,
    "minimax_m2": Recipe(wide_norms=True),
    "mistral": LLAMA,
    "mixtral": LLAMA,
    "olmo2": Recipe(wide_norms=True),
    "olmo3": Recipe(wide_norms=True),
    "olmoe": Recipe(wide_norms=True),
    "phi": Recipe(
        norms=1, norm_weights=2, qkv_bias=True, out_bias=True, gated=False, mlp_bias=True,
        head_bias=True,
    ),
    "phi3": LLAMA,
    "qwen2": Recipe(qkv_bias=True),
    "qwen3": Recipe(head_norms=True),
    "qwen3_moe": Recipe(head_norms=True),
    "qwen3_vl_text": Recipe(head_norms=True),
    "qwen3_vl_moe_text": Recipe(head_norms=True),
    "qwen3_5_text": Recipe(head_norms=True, query_gate=True),
    "qwen3_5_moe_text": Recipe(head_norms=True, query_gate=True),
    "qwen3_next": Recipe(head_norms=True, query_gate=True),
    "seed_oss": Recipe(qkv_bias=True),
    "smollm3": LLAMA,
}  # fmt: skip


def count_parameters(config: Mapping[str, Any], model: ModelConfig, name: str) -> int | None:
    """Return the weights of the text model, None where the architecture or a size is not known."""
    return _count(config, model, name, active=False)


def count_active(config: Mapping[str, Any], model: ModelConfig, name: str) -> int | None:
    """Return the weights that one token is multiplied with: no embedding, the chosen experts."""
    found = _count(config, model, name, active=True)
    if found is None or model.tie_word_embeddings:
        return found
    return found - (model.vocab_size or 0) * (model.hidden_size or 0)


def count_packed(config: Mapping[str, Any], model: ModelConfig, name: str, *, active: bool) -> int:
    """Return the weights of the experts' matrices, of all or of those that one token meets."""
    recipe, hidden = RECIPES.get(model.model_type), model.hidden_size
    if recipe is None or hidden is None:
        return 0
    keys, _ = open_config(config, name)
    block = Block(recipe.gated, recipe.mlp_bias, active)
    layers = range(model.num_layers)
    return sum(expert_matrices(keys, layer, hidden, block) for layer in layers)


def _count(config: Mapping[str, Any], model: ModelConfig, name: str, *, active: bool) -> int | None:
    recipe = RECIPES.get(model.model_type)
    if recipe is None or model.hidden_size is None or model.vocab_size is None:
        return None
    keys, _ = open_config(config, name)
    block = Block(recipe.gated, recipe.mlp_bias, active)
    try:
        layers = sum(
            _layer(keys, recipe, block, model.hidden_size, layer, parts)
            for layer, parts in enumerate(model.layers)
        )
        return layers + _outside(keys, recipe, model)
    except InputError:
        return None


def _outside(keys: Keys, recipe: Recipe, model: ModelConfig) -> int:
    """Count embedding, head, positions and the last norm."""
    hidden, vocabulary = model.hidden_size or 0, model.vocab_size or 0
    matrices = 1 if model.tie_word_embeddings else 2
    positions = (model.max_positions or keys.missing("n_positions")) if recipe.positions else 0
    head_bias = vocabulary if recipe.head_bias else 0
    return (matrices * vocabulary + positions + recipe.norm_weights) * hidden + head_bias


def _layer(
    keys: Keys, recipe: Recipe, block: Block, hidden: int, layer: int, parts: LayerParts
) -> int:
    mixers = sum(_mixer(keys, recipe, hidden, part) for part in parts.parts)
    norms = recipe.norms * recipe.norm_weights * hidden
    return mixers + feed_forward(keys, layer, hidden, block) + norms


def _mixer(keys: Keys, recipe: Recipe, hidden: int, part: object) -> int:
    match part:
        case AttentionPart():
            return _attention(keys, recipe, hidden, part)
        case LatentPart():
            return _latent(keys, hidden, part)
        case StatePart(name="Gated DeltaNet"):
            return _delta(hidden, part)
    return keys.missing("a known layer")


def _attention(keys: Keys, recipe: Recipe, hidden: int, part: AttentionPart) -> int:
    heads, width = keys.needed("num_attention_heads"), part.heads.k_width
    query, key = heads * width, part.heads.kv_heads * width
    asked = query * (2 if recipe.query_gate else 1)
    given = keys.flag("attention_bias", default=False)
    qkv_bias = asked + 2 * key if recipe.qkv_bias or given else 0
    out_bias = hidden if recipe.out_bias or (given and not recipe.qkv_bias) else 0
    norms = 2 * width if recipe.head_norms else query + key if recipe.wide_norms else 0
    sinks = heads if recipe.sinks else 0
    return hidden * (asked + 2 * key + query) + qkv_bias + out_bias + norms + sinks


def _latent(keys: Keys, hidden: int, part: LatentPart) -> int:
    heads, query, value = part.heads.kv_heads, part.heads.k_width, part.heads.v_width
    rank = keys.whole("q_lora_rank")
    asked = hidden * heads * query if rank is None else rank * (hidden + 1 + heads * query)
    made = hidden * (part.latent + part.rope) + part.latent
    expanded = part.latent * heads * (query - part.rope + value)
    index = _indexer(keys, hidden, rank, part.index_width) if part.index_width else 0
    return asked + made + expanded + heads * value * hidden + index


def _indexer(keys: Keys, hidden: int, rank: int | None, width: int) -> int:
    heads = keys.needed_or_class("index_n_heads")
    return (rank or hidden) * heads * width + hidden * width + 2 * width + hidden * heads


def _delta(hidden: int, part: StatePart) -> int:
    values = part.heads * part.conv_head_width
    channels = values + part.conv_groups * part.conv_group_width
    inward = hidden * (channels + values + 2 * part.heads)
    conv = channels * part.conv_kernel
    return inward + conv + 2 * part.heads + part.conv_head_width + values * hidden
