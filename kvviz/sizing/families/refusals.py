"""What must never be taken for plain attention: keys that say a cache is kept in another way."""

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


def check_telltales(keys: Keys, family: Family) -> None:
    """Raise InputError for a key that means another cache than ``family`` reads."""
    for key in sorted(TELLTALES & keys.config.keys()):
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
