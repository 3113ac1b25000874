"""What is read from a config, against the cache and the weights of transformers' own model.

Tiny models with random weights; what engines keep otherwise than transformers is not among them.
"""

import pytest
import torch
from transformers import AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from kvviz.sizing.config import read_config
from kvviz.sizing.parameters import RECIPES, count_parameters
from kvviz.sizing.parts import AttentionPart, LatentPart, StatePart
from kvviz.sizing.shape import CachePart

TOKENS = 9
SMALL = {
    "num_hidden_layers": 8, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 16, "intermediate_size": 64, "vocab_size": 100, "sliding_window": 5,
    "max_position_embeddings": 128, "pad_token_id": 0, "moe_intermediate_size": 32,
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "num_experts_per_tok": 2,
    "n_group": 1, "topk_group": 1, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8, "v_head_dim": 8, "index_head_dim": 16, "index_n_heads": 2,
    "index_topk": 4, "index_topk_freq": 3, "mamba_n_heads": 8, "mamba_d_head": 16,
    "mamba_d_state": 8, "mamba_n_groups": 2, "mamba_d_ssm": 128, "mamba_num_heads": 8,
    "mamba_head_dim": 16, "ssm_state_size": 8, "n_groups": 2, "linear_num_key_heads": 2,
    "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "attention_chunk_size": 6, "num_kv_shared_layers": 3, "vocab_size_per_layer_input": 100,
    "hidden_size_per_layer_input": 8, "laurel_rank": 4, "global_head_dim": 32,
    "shared_expert_intermediate_size": 32, "first_k_dense_replace": 1, "n_shared_experts": 1,
}  # fmt: skip
OWN = {
    "gemma4_text": {"num_hidden_layers": 14},
    "deepseek_v3": {"num_key_value_heads": 4},
    "glm_moe_dsa": {"num_key_value_heads": 4},
    "nemotron_h": {"hybrid_override_pattern": "M*M-*M-E", "sliding_window": None},
    "zamba2": {"n_mamba_heads": 8, "layers_block_type": ["mamba", "hybrid"] * 4},
}
TYPES = (
    "llama", "qwen3", "gemma2", "gpt_oss", "llama4_text", "gemma3n_text", "gemma4_text",
    "mimo_v2_flash", "deepseek_v3", "glm_moe_dsa", "minimax_m3_vl_text", "qwen3_next",
    "nemotron_h", "falcon_h1", "zamba2",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def tiny(model_type):
    kind = CONFIG_MAPPING[model_type]
    names = set(kind.__dataclass_fields__)
    wanted = {name: value for name, value in SMALL.items() if name in names}
    config = kind(**wanted | OWN.get(model_type, {}))
    config._attn_implementation = "eager"
    return config


@pytest.mark.parametrize("model_type", TYPES)
def test_each_layer_keeps_what_transformers_keeps(model_type):
    config = tiny(model_type)
    ours = read_config(config.to_dict() | {"model_type": model_type}, model_type)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        cache = model(torch.arange(3, 3 + TOKENS)[None], use_cache=True).past_key_values

    assert len(cache.layers) <= len(ours.layers)
    for theirs, layer in zip(cache.layers, ours.layers, strict=False):
        check_layer(theirs, layer)
    if model_type in RECIPES:
        biases = (b for name, b in model.named_buffers() if "correction_bias" in name)
        weights = [*model.parameters(), *biases]
        counted = count_parameters(config.to_dict() | {"model_type": model_type}, ours, model_type)
        assert counted == sum(weight.numel() for weight in weights)


def check_layer(theirs, layer):
    keys, values = getattr(theirs, "keys", None), getattr(theirs, "values", None)
    kept = [part for part in layer.parts if not isinstance(part, StatePart)]
    assert bool(kept) == (keys is not None and keys.numel() > 0)
    for part in kept:
        heads = part.heads
        if isinstance(part, LatentPart):
            heads = CachePart(1, part.latent, part.rope)
        assert (keys.shape[1], keys.shape[3]) == (heads.kv_heads, heads.k_width)
        assert (values.shape[1], values.shape[3]) == (heads.kv_heads, heads.v_width)
        index = getattr(theirs, "indexer_keys", None)
        assert part.index_width == (0 if index is None else index.shape[-1])
        if isinstance(part, AttentionPart):
            # transformers leaves out the one key that the next query does not see any more
            assert keys.shape[2] in (TOKENS, part.window, (part.window or 0) - 1)
            assert (part.window or TOKENS) >= keys.shape[2]
    states = [part for part in layer.parts if isinstance(part, StatePart)]
    assert numbers(getattr(theirs, "recurrent_states", None)) == sum(
        part.heads * part.head_elements for part in states
    )
    for part in states:
        channels = part.heads * part.conv_head_width + part.conv_groups * part.conv_group_width
        assert numbers(theirs.conv_states) in (
            channels * part.conv_kernel,
            channels * (part.conv_kernel - 1),
        )


def numbers(states):
    """Count what is kept, whatever it is kept in."""
    if states is None:
        return 0
    if torch.is_tensor(states):
        return states.numel()
    found = states.values() if isinstance(states, dict) else states
    return sum(state.numel() for state in found if state is not None)
