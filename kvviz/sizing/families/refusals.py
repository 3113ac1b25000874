"""What must never be taken for plain attention: keys that say a cache is kept in another way."""

import re
from functools import lru_cache
from typing import Any

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.family import Family

TELLTALES = frozenset(
    (
        "kv_lora_rank",
        "index_head_dim",
        "index_topk",
        "sliding_window",
        "sliding_window_size",
        "sliding_window_pattern",
        "attention_chunk_size",
        "attention_window_size",
        "layer_types",
        "layers_block_type",
        "hybrid_override_pattern",
        "hybrid_layer_pattern",
        "num_kv_shared_layers",
        "use_cla",
        "cla_share_factor",
        "block_configs",
        "per_layer_config",
        "linear_attn_config",
        "linear_num_value_heads",
        "full_attention_interval",
        "attn_layer_period",
        "attn_type_list",
        "mamba_d_state",
        "ssm_state_size",
        "state_size",
        "conv_L_cache",
        "cross_attention_layers",
        "add_cross_attention",
        "is_encoder_decoder",
        "global_head_dim",
        "num_global_key_value_heads",
        "swa_num_key_value_heads",
        "swa_head_dim",
        "v_head_dim",
        "multi_query",
        "multi_query_attention",
        "multi_query_group_num",
        "compress_ratios",
        "compress_rates",
        "attn_config",
        "group_query_attention",
        "n_query_groups",
        "num_key_value_groups",
        "num_query_groups",
        "conv_window",
        "sliding_window_layers",
        "sparse_attention",
        "sparse_attention_config",
        "sparse_config",
    )
)

# What a key that changes the cache is likely to be called, and such keys that are read elsewhere or
# have no say in it.
SUSPECT = re.compile(
    "window|kv_|_kv|latent|compress|hybrid|recurrent|rank|head_dim|shared_layers|swa|layer_types|"
    "layer_pattern|attn_pattern|share_factor|sparse|chunk|cross"
)
HARMLESS = frozenset(
    {
        "_sliding_window_pattern", "adapter_rank", "add_swa_attention_sink_bias",
        "attention_head_dim", "attention_window", "chunk_size", "d_kv", "decoder_sparse_step",
        "encoder_sparse_step", "gated_norm_rank", "head_dim", "hybrid_layer_ids", "kv_channels",
        "latent_moe_use_norm", "laurel_rank", "linear_head_dim", "linear_key_head_dim",
        "linear_value_head_dim", "mamba_chunk_size", "mamba_dt_rank", "mamba_head_dim",
        "max_window_layers", "mlp_layer_types", "moe_latent_size", "mtp_hybrid_override_pattern",
        "n_head_kv", "n_kv_head", "n_kv_heads", "num_kv_heads", "num_sparse_decoder_layers",
        "num_sparse_encoder_layers", "prefix_dense_sliding_window_pattern", "q_lora_rank",
        "qk_head_dim", "qk_nope_head_dim", "qk_rope_head_dim", "qkv_bias",
        "swa_num_attention_heads", "swa_rope_theta", "swa_v_head_dim", "time_step_rank",
        "use_sliding_window", "window_size",
    }
)  # fmt: skip


def warn_of_unread(keys: Keys) -> None:
    """Warn of each key that is not read here though its name sounds as if it changed the cache."""
    for key, value in keys.config.items():
        if value and _is_suspect(key):
            name = key if key.isidentifier() and len(key) <= 60 else ascii(key[:60])
            keys.warn(f"{name} is not read: if it changes what is kept, this answer is wrong")


@lru_cache(1024)
def _is_suspect(key: str) -> bool:
    return bool(SUSPECT.search(key)) and key not in HARMLESS and key not in TELLTALES


def check_telltales(keys: Keys, family: Family) -> None:
    """Raise InputError for a key that means another cache than ``family`` reads."""
    for key in sorted(TELLTALES.intersection(keys.config)):
        value = keys.config[key]
        if value and key not in family.understands and not _is_plain(keys, key, value):
            keys.refuse(
                f"{key} is not known for {keys.model_type}, so its cache cannot be told: remove "
                "the key if the model does not use it"
            )


def _is_plain(keys: Keys, key: str, value: Any) -> bool:
    """Return whether a key says that attention is plain after all."""
    if key == "sliding_window":
        return keys.config.get("use_sliding_window") is False
    if key in ("kv_lora_rank", "v_head_dim"):
        return keys.config.get("use_mla") is False
    if key == "cla_share_factor":
        return value == 1 or not keys.config.get("use_cla")
    every = {"layer_types": "full_attention", "attn_type_list": 1}.get(key)
    return isinstance(value, list) and all(item == every for item in value)
