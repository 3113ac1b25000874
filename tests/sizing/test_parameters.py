"""Weights counted from a config, against transformers' own model on no device."""

import pytest
import torch
from configs import read
from huggingface_hub.errors import StrictDataclassError
from tiny_configs import tiny
from transformers import AutoModelForCausalLM, DbrxConfig, T5ForConditionalGeneration
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
from transformers.models.mllama.modeling_mllama import MllamaForCausalLM

from kvviz.sizing.errors import InputError
from kvviz.sizing.own_weights import OWN_WEIGHTS
from kvviz.sizing.parameters import count_active, count_parameters
from kvviz.sizing.presets import load_presets
from kvviz.sizing.recipes import RECIPES

NOT_SO_BUILT = {"dbrx", "t5"}  # by tests of their own below
KNOWN = {*RECIPES, *OWN_WEIGHTS} - NOT_SO_BUILT
TYPES = sorted(KNOWN.intersection(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES))
WITHOUT_WEIGHTS = {"use_cache", "is_decoder", "is_encoder_decoder", "torchscript", "return_dict"}


def counted(config, model_type):
    """Count them, None for a config that is refused or whose weights are not known."""
    raw = config.to_dict() | {"model_type": model_type}
    try:
        return count_parameters(raw, read(raw), model_type)
    except InputError:
        return None


def built(config, kind=None):
    with torch.device("meta"):
        make = AutoModelForCausalLM.from_config if kind is None else kind._from_config
        model = make(config)
    biases = [b for name, b in model.named_buffers() if "correction_bias" in name]
    return sum(weight.numel() for weight in [*model.parameters(), *biases])


# What transformers raises for a flag that goes with others, or that it has no code for itself.
REFUSALS = (ValueError, TypeError, NotImplementedError, StrictDataclassError)


def flags_of(config):
    names = set(type(config).__dataclass_fields__) - WITHOUT_WEIGHTS
    values = config.to_dict()
    return sorted(name for name in names if isinstance(values.get(name), bool))


@pytest.mark.parametrize("model_type", TYPES)
def test_every_flag_of_a_config_is_counted_or_refused(model_type):
    config = tiny(model_type)
    assert counted(config, model_type) == built(config)
    for flag in flags_of(config):
        try:
            other = tiny(model_type, **{flag: not getattr(config, flag)})
            weights = built(other)
        except REFUSALS:
            continue
        assert counted(other, model_type) in (weights, None), flag


@pytest.mark.parametrize(
    "changes",
    [{"moe_latent_size": 24}, {"use_bias": True, "use_conv_bias": False}, {"n_routed_experts": 6}],
)
def test_layers_that_are_one_thing_each(changes):
    config = tiny("nemotron_h", **changes)
    assert counted(config, "nemotron_h") == built(config)


@pytest.mark.parametrize("changes", [{"moe_layers": [1, 2, 6]}, {"interleave_moe_layer_step": 2}])
def test_experts_in_some_layers(changes):
    config = tiny("llama4_text", **changes)
    assert counted(config, "llama4_text") == built(config)


MOE = {"enable_moe_block": True, "num_experts": 4, "top_k_experts": 2}


@pytest.mark.parametrize("shared", [0, 3])
@pytest.mark.parametrize("own_inputs", [0, 8])
@pytest.mark.parametrize("changes", [{}, MOE, MOE | {"attention_k_eq_v": True}])
def test_gemma_4(shared, own_inputs, changes):
    sizes = {"num_kv_shared_layers": shared, "hidden_size_per_layer_input": own_inputs}
    config = tiny("gemma4_text", **sizes | changes)
    assert counted(config, "gemma4_text") == built(config)


IN_TURN = ["full_attention", "minimax_m3_sparse"] * 4


@pytest.mark.parametrize(
    ("model_type", "changes"),
    [
        ("falcon", {"new_decoder_architecture": True, "num_kv_heads": 2}),
        ("falcon", {"new_decoder_architecture": True, "num_ln_in_parallel_attn": 1}),
        ("falcon", {"bias": True, "multi_query": False}),
        ("jamba", {"mamba_proj_bias": True, "mamba_conv_bias": False, "num_experts": 1}),
        ("jamba", {"expert_layer_period": 3, "expert_layer_offset": 2}),
        ("gemma3n_text", {"num_kv_shared_layers": 0, "altup_num_inputs": 3}),
        ("gemma3n_text", {"intermediate_size": [32, 64] * 4}),
        ("laguna", {"num_attention_heads_per_layer": [4, 8] * 4, "attention_bias": True}),
        ("mimo_v2_flash", {"mlp_layer_types": ["dense"] * 3 + ["sparse"] * 5}),
        ("minimax_m3_vl_text", {"layer_types": IN_TURN}),
        ("minimax_m3_vl_text", {"mlp_layer_types": ["dense"] * 3 + ["sparse"] * 5}),
    ],
)
def test_families_of_their_own(model_type, changes):
    config = tiny(model_type, **changes)
    assert counted(config, model_type) == built(config)


def test_mllama_text():
    config = tiny("mllama_text_model", cross_attention_layers=[1, 4])
    assert counted(config, "mllama_text_model") == built(config, MllamaForCausalLM)


@pytest.mark.parametrize("changes", [{}, {"feed_forward_proj": "gated-gelu"}])
def test_t5(changes):
    config = tiny("t5", num_decoder_layers=3, **changes)
    assert counted(config, "t5") == built(config, T5ForConditionalGeneration)


def test_dbrx():
    attention = {"kv_n_heads": 2, "rope_theta": 10_000.0}
    experts = {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2}
    sizes = {"d_model": 64, "n_heads": 4, "n_layers": 3, "vocab_size": 100}
    config = DbrxConfig(**sizes, attn_config=attention, ffn_config=experts)
    assert counted(config, "dbrx") == built(config)


# What the makers' own files hold, as their indexes of weights say.
STORED = {
    "chatglm3-6b": 6_243_584_000,
    "dbrx-instruct": 131_596_523_520,
    "Llama-3_3-Nemotron-Super-49B-v1": 49_867_145_216,
    "t5-small": 60_506_624,
}


@pytest.mark.parametrize("name", STORED)
def test_a_presets_weights_as_they_are_stored(name):
    preset = load_presets().find(name)
    assert count_parameters(preset.config, preset.read(), name) == STORED[name]


# What the makers publish, which rounds, in thousand millions: all weights, those of one token.
PUBLISHED = {
    "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": (31.6, 3.2),
    "NVIDIA-Nemotron-3-Super-120B-A12B": (120.7, 12.2),
    "Llama-4-Maverick-17B-128E-Instruct": (400.7, 16.2),
    "AI21-Jamba-1.5-Mini": (51.6, 11.8),
    "MiMo-V2-Flash": (308.8, 14.8),
    "Laguna-S-2.1-FP8": (117.6, 8.1),
    "falcon-mamba-7b": (7.3, 7.0),
    "gemma-4-26B-A4B": (25.2, 3.8),
    "Gemma-4-31B-IT": (30.7, 30.7),
    "starcoder": (15.5, 15.5),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_presets_weights(name):
    preset = load_presets().find(name)
    found = [
        count(preset.config, preset.read(), name) for count in (count_parameters, count_active)
    ]
    assert tuple(round(number / 1e9, 1) for number in found) == PUBLISHED[name]
