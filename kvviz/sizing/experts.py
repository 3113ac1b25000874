"""Weights of a layer's feed-forward part: one block, or experts with a router and shared ones."""

from dataclasses import dataclass, replace

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.hybrid import nemotron_kinds

WITH_ROUTER_BIAS = (
    "deepseek_v3", "deepseek_v32", "dots1", "glm4_moe", "glm4_moe_lite", "glm_moe_dsa", "gpt_oss",
    "kimi_k2", "mimo_v2_flash", "minimax_m2", "nemotron_h",
)  # fmt: skip
CHOSEN = ("num_experts_per_tok", "experts_per_token", "top_k_experts")
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
# Where one of these is given there are experts, though their number may have a name of its own.
SIGNS_OF_EXPERTS = ("moe_intermediate_size", "num_experts_per_tok", "first_k_dense_replace")


@dataclass(frozen=True, slots=True)
class Block:
    """How a feed-forward block is built; ``active`` counts only what one token goes through."""

    gated: bool
    bias: bool
    active: bool = False

    def weights(self, hidden: int, width: int) -> int:
        """Return its weights."""
        matrices = 3 if self.gated else 2
        biases = (matrices - 1) * width + hidden if self.bias else 0
        return matrices * hidden * width + biases


WITH_INNER = ("codegen", "gpt2", "gpt_bigcode", "gptj")  # four times as wide where it is not said


def feed_forward(keys: Keys, layer: int, hidden: int, block: Block) -> int:
    """Return the weights of one layer's feed-forward part; raise InputError for a missing size."""
    experts = _first(keys, EXPERTS)
    if experts is None and any(keys.config.get(key) for key in SIGNS_OF_EXPERTS):
        keys.missing(EXPERTS[0])
    if experts and is_sparse(keys, layer):
        return _experts(keys, hidden, experts, block)
    return block.weights(hidden, _dense_width(keys, hidden))


def expert_matrices(keys: Keys, layer: int, hidden: int, block: Block) -> int:
    """Return the weights of one layer's experts alone, without router, biases and shared ones."""
    experts = _first(keys, EXPERTS)
    if not experts or not is_sparse(keys, layer):
        return 0
    width = keys.whole("moe_intermediate_size") or keys.needed("intermediate_size")
    inside = keys.whole("moe_latent_size") or hidden
    return _chosen(keys, experts, block) * replace(block, bias=False).weights(inside, width)


def is_sparse(keys: Keys, layer: int) -> bool:
    """Return whether a layer has experts, in a model that has them somewhere."""
    if keys.model_type == "nemotron_h":
        return nemotron_kinds(keys)[layer] == "moe"
    if keys.config.get("moe_layers"):
        return layer in (keys.wholes("moe_layers", low=0) or ())
    listed = keys.items("mlp_layer_types")
    if listed is not None and layer < len(listed):
        return bool(listed[layer] == "sparse")
    if isinstance(often := keys.config.get("moe_layer_freq"), list) and layer < len(often):
        return bool(often[layer])
    if (period := keys.whole("expert_layer_period")) is not None:
        offset = keys.whole("expert_layer_offset", low=0) or 0
        return layer % period == offset and keys.whole("num_experts") != 1
    if layer in (keys.wholes("mlp_only_layers", low=0) or ()):
        return False
    first = keys.whole("first_k_dense_replace", low=0) or 0
    step = keys.whole("decoder_sparse_step") or keys.whole("interleave_moe_layer_step") or 1
    return layer >= first and (layer + 1) % step == 0


def _experts(keys: Keys, hidden: int, experts: int, block: Block) -> int:
    width = keys.whole("moe_intermediate_size") or keys.needed("intermediate_size")
    router = hidden * experts
    if keys.model_type in WITH_ROUTER_BIAS:
        router += experts
    latent = keys.whole("moe_latent_size")  # experts may work in fewer dimensions
    weights = _chosen(keys, experts, block) * block.weights(latent or hidden, width)
    return router + weights + 2 * hidden * (latent or 0) + _shared(keys, hidden, block)


def _chosen(keys: Keys, experts: int, block: Block) -> int:
    return _first(keys, CHOSEN) or experts if block.active else experts


def _shared(keys: Keys, hidden: int, block: Block) -> int:
    plain = replace(block, bias=False)
    if keys.model_type == "llama4_text":
        return plain.weights(hidden, keys.needed("intermediate_size"))
    one = keys.whole("moe_shared_expert_intermediate_size", low=0)
    if one:
        return plain.weights(hidden, one)
    number = keys.whole("n_shared_experts", low=0)
    if number:
        width = number * keys.needed_or_class("moe_intermediate_size")
        return plain.weights(hidden, width)
    shared = keys.whole("shared_expert_intermediate_size", low=0)
    return plain.weights(hidden, shared) + hidden if shared else 0


def _dense_width(keys: Keys, hidden: int) -> int:
    """Return the width as it was read: a class's default would be another model's."""
    if keys.model_type == "llama4_text":
        return keys.needed("intermediate_size_mlp")
    name = keys.present("intermediate_size")
    if name is not None:
        return keys.checked(name, keys.config[name])
    return 4 * hidden if keys.model_type in WITH_INNER else keys.missing("intermediate_size")


def _first(keys: Keys, names: tuple[str, ...]) -> int | None:
    return next((value for name in names if (value := keys.whole(name, low=0))), None)
