"""Tiny folders in Hugging Face's layout with random weights, and what transformers says of them."""

import importlib
import inspect
import os
import warnings

import torch
from engine_runs import CPU

from kvviz.engine.load import load_model
from kvviz.model.weights import folder_weights
from kvviz.sizing.dtypes import DType
from kvviz.trace.config import ModelSource, ModelSpec

SIZES = {
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 128,
}
GPT2_SIZES = {"vocab_size": 61, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}
NEOX_SIZES = {key: SIZES[key] for key in SIZES if key not in ("head_dim", "num_key_value_heads")}
ROPE = {"rope_theta": 1000.0}
YARN = {**ROPE, "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}

# Scalings that treat pairs one by one have heads with pairs of every kind.
CASES = {
    "llama": ("llama", {}),
    "llama-tied-mha": ("llama", {"num_key_value_heads": 4, "tie_word_embeddings": True}),
    "llama-wide-heads-mqa": ("llama", {"head_dim": 12, "num_key_value_heads": 1}),
    "llama-biases": ("llama", {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu"}),
    "llama-linear": (
        "llama",
        {"rope_parameters": {**ROPE, "rope_type": "linear", "factor": 3.0}},
    ),
    "llama-dynamic": (
        "llama",
        {
            "max_position_embeddings": 16,
            "rope_parameters": {**ROPE, "rope_type": "dynamic", "factor": 2.0},
        },
    ),
    "llama-llama3": (
        "llama",
        {
            "head_dim": 32,
            "rope_parameters": {
                **ROPE,
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 0.5,
                "high_freq_factor": 2.0,
                "original_max_position_embeddings": 16,
            },
        },
    ),
    "llama-yarn": (
        "llama",
        {"head_dim": 32, "rope_parameters": {**YARN, "beta_fast": 4.0, "beta_slow": 0.5}},
    ),
    "qwen2-yarn": (
        "qwen2",
        {
            "rope_parameters": {
                **YARN,
                "beta_fast": 2.0,
                "beta_slow": 0.25,
                "truncate": False,
                "mscale": 1.5,
                "mscale_all_dim": 0.5,
            }
        },
    ),
    "mistral": ("mistral", {"sliding_window": 6}),
    "mistral-everything": ("mistral", {"sliding_window": None}),
    "qwen2": ("qwen2", {"tie_word_embeddings": True}),
    "qwen2-upper-window": (
        "qwen2",
        {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1},
    ),
    "qwen3": ("qwen3", {"head_dim": 12, "tie_word_embeddings": True}),
    "gemma2": ("gemma2", {"sliding_window": 7, "query_pre_attn_scalar": 20}),
    "gemma2-low-caps": (
        "gemma2",
        {
            "sliding_window": 7,
            "attn_logit_softcapping": 2.0,
            "final_logit_softcapping": 3.0,
            "head_dim": 12,
        },
    ),
    "gemma3": (
        "gemma3_text",
        {"sliding_window": 5, "layer_types": ["sliding_attention", "full_attention"]},
    ),
    "gemma3-longer": (
        "gemma3_text",
        {
            "sliding_window": 5,
            "num_hidden_layers": 6,
            "head_dim": 12,
            "rope_parameters": {
                "full_attention": {"rope_theta": 5000.0, "rope_type": "linear", "factor": 8.0},
                "sliding_attention": {"rope_theta": 100.0, "rope_type": "default"},
            },
        },
    ),
    "phi3": ("phi3", {}),
    "phi3-part-window": ("phi3", {"partial_rotary_factor": 0.5, "sliding_window": 9}),
    "gpt2": ("gpt2", {}),
    "gpt2-untied": ("gpt2", {"tie_word_embeddings": False, "n_inner": 40}),
    "gpt_neox": ("gpt_neox", {"rotary_pct": 0.5}),
    "gpt_neox-in-turn": ("gpt_neox", {"use_parallel_residual": False, "hidden_act": "gelu_new"}),
    "olmo2": ("olmo2", {}),
    "olmo2-mha": ("olmo2", {"num_key_value_heads": 4, "tie_word_embeddings": True}),
}
# Keys keep the angles of the length they were written at, so an uncached pass has others.
FOLLOWS_LENGTH = "llama-dynamic"


def transformers_module():
    """The library itself, whose own warnings are not ours; it asks nobody anything."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers = importlib.import_module("transformers")
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        return transformers


def write_case(case, folder):
    """Write a case's folder; return transformers' own model of it."""
    model_type, options = CASES[case]
    sizes = {"gpt2": GPT2_SIZES, "gpt_neox": NEOX_SIZES}.get(model_type, SIZES)
    ids = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    transformers = transformers_module()
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        config = transformers.AutoConfig.for_model(model_type, **{**ids, **sizes, **options})
        eager = model_type == "gemma2"  # which has no other way
        model = transformers.AutoModelForCausalLM.from_config(
            config, attn_implementation="eager" if eager else "sdpa"
        ).eval()
        torch.manual_seed(0)
        randomise(model)
        model.save_pretrained(folder)
    return model


def feeder(model):
    """Return what feeds ids [1, T] behind a cache of the model's own, and that cache."""
    transformers = transformers_module()
    cache = transformers.DynamicCache(config=model.config)
    named = inspect.signature(model.forward).parameters
    key = "cache" if "cache" in named else "past_key_values"

    def feed(ids):
        return model(ids, use_cache=True, **{key: cache}).logits[:, -1]

    return feed, cache


def randomise(model):
    """Weights that make every part count: what a library starts from is too near to nothing."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            around = 0.0 if weight.dim() > 1 or name.endswith("bias") else float(weight.mean())
            weight.normal_(around, 0.25)


def read_folder(folder, dtype=DType.FLOAT32):
    """Return a folder's model on paper and the model itself."""
    weights = folder_weights(str(folder))
    spec = ModelSpec(weights.shape, ModelSource.FOLDER, path=str(folder))
    return weights, load_model(spec, dtype, CPU)
