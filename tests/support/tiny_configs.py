"""Configs of transformers' own classes, small enough to build and run."""

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

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
    "n_layer": 4, "n_embd": 64, "n_head": 4, "n_positions": 128, "rotary_dim": 8,
    "intermediate_size_mlp": 96, "moe_shared_expert_intermediate_size": 48,
}  # fmt: skip
OWN = {
    "gemma4_text": {"num_hidden_layers": 14},
    "deepseek_v3": {"num_key_value_heads": 4},
    "glm_moe_dsa": {"num_key_value_heads": 4},
    "nemotron_h": {"hybrid_override_pattern": "M*M-*M-E", "sliding_window": None},
    "zamba2": {"n_mamba_heads": 8, "layers_block_type": ["mamba", "hybrid"] * 4},
}


def tiny(model_type, **changes):
    kind = CONFIG_MAPPING[model_type]
    names = set(kind.__dataclass_fields__)
    wanted = {name: value for name, value in SMALL.items() if name in names}
    config = kind(**wanted | OWN.get(model_type, {}) | changes)
    config._attn_implementation = "eager"
    return config
