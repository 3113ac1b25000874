"""How many weights a model has, where its architecture is known; of a nested config, the text's."""

from collections.abc import Mapping
from typing import Any

from kvviz.sizing.config import ModelConfig, open_config
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.errors import InputError
from kvviz.sizing.experts import Block, expert_matrices, feed_forward
from kvviz.sizing.own_weights import OWN_WEIGHTS
from kvviz.sizing.parts import AttentionPart, LatentPart, LayerParts, StatePart
from kvviz.sizing.recipes import Recipe, biases, recipe_of
from kvviz.sizing.state_weights import delta, mamba1, mamba2

# A layer of these is a mixer, or a feed-forward part, but never both.
ONE_A_LAYER = ("falcon_mamba", "mamba", "nemotron_h")


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
    keys, _ = open_config(config, name)
    recipe, hidden = recipe_of(keys), model.hidden_size
    if recipe is None or hidden is None:
        return 0
    block = Block(recipe.gated, recipe.mlp_bias, active)
    layers = range(model.num_layers)
    return sum(expert_matrices(keys, layer, hidden, block) for layer in layers)


def _count(config: Mapping[str, Any], model: ModelConfig, name: str, *, active: bool) -> int | None:
    keys, _ = open_config(config, name)
    own, recipe = OWN_WEIGHTS.get(keys.model_type), recipe_of(keys)
    try:
        if own is not None:
            return own(keys, model, active)
        return _by_recipe(keys, recipe, model, active)
    except InputError:
        return None


def _by_recipe(keys: Keys, recipe: Recipe | None, model: ModelConfig, active: bool) -> int | None:
    if recipe is None or model.hidden_size is None or model.vocab_size is None:
        return None
    block = Block(recipe.gated, recipe.mlp_bias, active)
    layers = sum(
        _layer(keys, recipe, block, model.hidden_size, layer, parts)
        for layer, parts in enumerate(model.layers)
    )
    return layers + _outside(keys, recipe, model)


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
    alone = parts.parts and keys.model_type in ONE_A_LAYER
    return mixers + norms + (0 if alone else feed_forward(keys, layer, hidden, block))


def _mixer(keys: Keys, recipe: Recipe, hidden: int, part: object) -> int:
    match part:
        case AttentionPart():
            return _attention(keys, recipe, hidden, part)
        case LatentPart():
            return _latent(keys, hidden, part)
        case StatePart(name="Gated DeltaNet"):
            return delta(hidden, part)
        case StatePart(name="Mamba"):
            return mamba1(keys, hidden, part)
        case StatePart(name="Mamba 2"):
            return mamba2(keys, hidden, part)
    return keys.missing("a known layer")


def _attention(keys: Keys, recipe: Recipe, hidden: int, part: AttentionPart) -> int:
    heads, width = keys.needed("num_attention_heads"), part.heads.k_width
    query, key = heads * width, part.heads.kv_heads * width
    asked = query * (2 if recipe.query_gate else 1)
    qkv_bias, out_bias = biases(keys, recipe)
    added = (asked + 2 * key if qkv_bias else 0) + (hidden if out_bias else 0)
    norms = 2 * width if recipe.head_norms else query + key if recipe.wide_norms else 0
    sinks = heads if recipe.sinks else 0
    return hidden * (asked + 2 * key + query) + added + norms + sinks


def _latent(keys: Keys, hidden: int, part: LatentPart) -> int:
    heads, query, value = part.heads.kv_heads, part.heads.k_width, part.heads.v_width
    rank = keys.whole("q_lora_rank")
    asked = hidden * heads * query if rank is None else rank * (hidden + 1 + heads * query)
    made = hidden * (part.latent + part.rope) + part.latent
    expanded = part.latent * heads * (query - part.rope + value)
    index = _indexer(keys, hidden, rank, part.index_width) if part.index_width else 0
    biases = (rank or 0) + part.latent + part.rope + hidden
    added = biases if keys.flag("attention_bias", default=False) else 0
    return asked + made + expanded + heads * value * hidden + index + added


def _indexer(keys: Keys, hidden: int, rank: int | None, width: int) -> int:
    heads = keys.needed_or_class("index_n_heads")
    return (rank or hidden) * heads * width + hidden * width + 2 * width + hidden * heads
