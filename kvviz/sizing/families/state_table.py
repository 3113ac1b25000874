"""Model types with latents, states or a source; defaults are those of transformers 5.24."""

from collections.abc import Mapping
from typing import Any

from kvviz.sizing.families import hybrid, latent, seq2seq, states
from kvviz.sizing.families.family import Family, sizes
from kvviz.sizing.families.hybrid import STATES, mixes, zamba

TIED = {"tie_word_embeddings": True}
MLA = frozenset({"kv_lora_rank", "v_head_dim"})
DSA = MLA | {"index_head_dim", "index_topk", "layer_types"}
DELTA = frozenset({"layer_types", "linear_num_value_heads", "full_attention_interval"})
MAMBA = frozenset(
    {"layer_types", "layers_block_type", "mamba_d_state", "ssm_state_size", "state_size"}
    | {"attn_layer_period", "hybrid_override_pattern", "conv_L_cache"}
)


def _mla(latent: int, rope: int, nope: int, value: int | None, **others: Any) -> dict[str, Any]:
    usual = {
        "kv_lora_rank": latent,
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": nope,
        "v_head_dim": value,
    }
    return usual | others


def _delta(key_heads: int, value_heads: int) -> dict[str, Any]:
    return {
        "linear_num_key_heads": key_heads,
        "linear_num_value_heads": value_heads,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4,
    }


def _mamba2(heads: int, groups: int, state: int) -> dict[str, Any]:
    return {
        "mamba_n_heads": heads,
        "mamba_n_groups": groups,
        "mamba_d_state": state,
        "mamba_d_conv": 4,
        "mamba_expand": 2,
    }


V2 = sizes(32, 4096, 32) | _mla(512, 64, 128, 128)
V3 = sizes(61, 7168, 128, 128) | _mla(512, 64, 128, 128, first_k_dense_replace=3)
INDEX = {"index_head_dim": 128}

LATENT: Mapping[str, Family] = {
    "axk1": Family(latent.read_latent, sizes(61, 7168, 64) | _mla(512, 64, 128, 128), MLA),
    "axk2": Family(latent.read_indexed, sizes(48, 2048, 32) | _mla(128, 32, 64, 64) | INDEX, DSA),
    "deepseek_v2": Family(latent.read_latent, V2, MLA),
    "deepseek_v3": Family(latent.read_latent, V3, MLA),
    "deepseek_v32": Family(latent.read_indexed, V3 | INDEX, DSA),
    "glm4_moe_lite": Family(latent.read_latent, sizes(47, 2048, 20) | _mla(512, 64, 192, 256), MLA),
    "glm_moe_dsa": Family(
        latent.read_indexed_by_frequency,
        sizes(78, 6144, 64) | _mla(512, 64, 192, 256, first_k_dense_replace=3) | INDEX,
        DSA,
    ),
    "hy_v4": Family(
        latent.read_indexed_by_four, sizes(34, 2816, 32) | _mla(512, 64, 192, 256) | INDEX, DSA
    ),
    "kimi_k2": Family(latent.read_latent, V3, MLA),
    "longcat_flash": Family(
        latent.read_double_latent, sizes(28, 6144, 64) | _mla(512, 64, 128, 128), MLA
    ),
    "minicpm3": Family(latent.read_latent, sizes(62, 2560, 40) | _mla(256, 32, 64, None), MLA),
    "mistral4": Family(latent.read_latent, sizes(36, 4096, 32) | _mla(256, 64, 64, 128), MLA),
    "sarvam_mla": Family(latent.read_latent, sizes(32, 4096, 64) | _mla(512, 64, 128, 128), MLA),
    "youtu": Family(latent.read_latent, sizes(32, 2048, 16) | _mla(512, 64, 128, 128) | TIED, MLA),
}

QWEN_NEXT = sizes(48, 2048, 16, 2, 256) | _delta(16, 32)
BAMBA = sizes(32, 4096, 32, 8) | _mamba2(128, 1, 256)
GRANITE = sizes(32, 4096, 32) | _mamba2(128, 1, 256)
NEMOTRON = {
    "ssm_state_size": 128, "mamba_num_heads": 128, "mamba_head_dim": 64,
    "n_groups": 8, "conv_kernel": 4, "head_dim": 128, "num_key_value_heads": 8,
}  # fmt: skip
MAMBA2 = {
    "num_heads": 128, "head_dim": 64, "state_size": 128, "n_groups": 8,
    "conv_kernel": 4, "expand": 2,
}  # fmt: skip
ZAMBA2 = {
    "n_mamba_heads": 8, "mamba_ngroups": 1, "mamba_d_state": 64, "mamba_d_conv": 4,
    "mamba_expand": 2,
}  # fmt: skip
LFM2 = sizes(32, 2560, 32, 8, conv_L_cache=3) | TIED

STATEFUL: Mapping[str, Family] = {
    "bailing_hybrid": Family(
        hybrid.read_bailing_hybrid,
        sizes(42, 2560, 32, 32, 128)
        | _mla(512, 64, 128, 128, layer_group_size=6, short_conv_kernel_size=4),
        MLA | DELTA,
    ),
    "bamba": Family(mixes(STATES["bamba"], hybrid.by_indices), BAMBA, MAMBA),
    "falcon_h1": Family(hybrid.read_falcon_h1, BAMBA, MAMBA),
    "falcon_mamba": Family(mixes(STATES["mamba"], hybrid.all_linear), TIED, MAMBA),
    "granitemoehybrid": Family(mixes(STATES["bamba"], hybrid.all_linear), GRANITE, MAMBA),
    "jamba": Family(mixes(STATES["jamba"], hybrid.by_period), sizes(32, 4096, 32, 8), MAMBA),
    "kimi_linear": Family(
        hybrid.read_kimi_linear,
        sizes(27, 2304, 32)
        | _mla(512, 64, 128, 128, linear_head_dim=128, linear_num_heads=32)
        | {"linear_conv_kernel_dim": 4},
        MLA | DELTA | {"linear_attn_config"},
    ),
    "lfm2": Family(mixes(states.short_convolution, hybrid.by_convolution), LFM2, MAMBA),
    "lfm2_moe": Family(mixes(states.short_convolution, hybrid.by_convolution), LFM2, MAMBA),
    "lfm3": Family(
        hybrid.read_lfm3,
        sizes(24, 2048, 16, 4, 128, sliding_window=256, conv_L_cache=7) | TIED,
        MAMBA | {"sliding_window"},
    ),
    "mamba": Family(mixes(STATES["mamba"], hybrid.all_linear), TIED, MAMBA),
    "mamba2": Family(mixes(STATES["mamba2"], hybrid.all_linear), MAMBA2, MAMBA),
    "minimax": Family(
        mixes(states.lightning, hybrid.by_attention_list),
        sizes(32, 4096, 32, 8),
        DELTA | {"attn_type_list"},
    ),
    "minimax_m1": Family(
        mixes(states.lightning, hybrid.by_attention_list), {}, DELTA | {"attn_type_list"}
    ),
    "minimax_text_01": Family(
        mixes(states.lightning, hybrid.by_attention_list), {}, DELTA | {"attn_type_list"}
    ),
    "nemotron_h": Family(hybrid.read_nemotron_h, NEMOTRON, MAMBA),
    "olmo_hybrid": Family(
        mixes(states.gated_delta, hybrid.by_interval), {"linear_conv_kernel_dim": 4}, DELTA
    ),
    "qwen3_5_text": Family(
        mixes(states.gated_delta, hybrid.by_interval),
        sizes(32, 4096, 16, 4, 256) | _delta(16, 32),
        DELTA,
    ),
    "qwen3_5_moe_text": Family(
        mixes(states.gated_delta, hybrid.by_interval),
        sizes(40, 2048, 16, 2, 256) | _delta(16, 32),
        DELTA,
    ),
    "qwen3_next": Family(mixes(states.gated_delta, hybrid.by_interval), QWEN_NEXT, DELTA),
    "recurrent_gemma": Family(
        hybrid.read_recurrent_gemma,
        sizes(26, 2560, 10) | TIED,
        MAMBA | {"attention_window_size"},
    ),
    "zamba": Family(
        zamba(STATES["jamba"], hybrid.by_zamba_period),
        sizes(76, 3712, 16, 16) | TIED,
        MAMBA,
    ),
    "zamba2": Family(
        zamba(STATES["zamba2"], hybrid.by_hybrid_ids),
        sizes(54, 2560, 32) | ZAMBA2 | TIED,
        MAMBA | {"num_query_groups"},
    ),
}

BOTH = frozenset({"is_encoder_decoder"})
BART_LIKE = (
    "bart", "bigbird_pegasus", "blenderbot", "blenderbot-small", "fsmt", "led", "m2m_100",
    "marian", "mbart", "mvp", "nllb-moe", "nllb_moe", "pegasus", "pegasus_x", "plbart",
    "speech_to_text", "whisper",
)  # fmt: skip
T5_LIKE = ("longt5", "mt5", "pop2piano", "switch_transformers", "t5", "umt5")

WITH_SOURCE: Mapping[str, Family] = {
    **{name: Family(seq2seq.read_bart, TIED, BOTH) for name in BART_LIKE},
    **{name: Family(seq2seq.read_t5, {}, BOTH) for name in T5_LIKE},
    "mllama_text_model": Family(
        seq2seq.read_mllama, sizes(40, 4096, 32, 8), frozenset({"cross_attention_layers"})
    ),
    "moonshine": Family(seq2seq.read_moonshine, TIED, BOTH),
    "t5_gemma_module": Family(
        seq2seq.read_t5gemma,
        sizes(26, 2304, 8, 4, 256, sliding_window=4096),
        BOTH | {"sliding_window", "layer_types"},
    ),
}
