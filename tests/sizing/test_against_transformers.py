"""What is read from a config, against the cache and the weights of transformers' own model.

Tiny models with random weights; what engines keep otherwise than transformers is not among them.
"""

import pytest
import torch
from tiny_configs import tiny
from transformers import AutoModelForCausalLM

from kvviz.sizing.config import read_config
from kvviz.sizing.own_weights import OWN_WEIGHTS
from kvviz.sizing.parameters import count_parameters
from kvviz.sizing.parts import AttentionPart, LatentPart, StatePart
from kvviz.sizing.recipes import RECIPES
from kvviz.sizing.shape import CachePart

TOKENS = 9
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
    if model_type in RECIPES or model_type in OWN_WEIGHTS:
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
