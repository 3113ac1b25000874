"""Gemma 2 and Gemma 3's text model.  No torch."""

import math
from dataclasses import replace

from kvviz.model.architecture import Architecture, HeadNorm, Norm, Residual, Rotation
from kvviz.model.config_values import Values
from kvviz.model.family_llama import NAMES as LLAMA_NAMES
from kvviz.model.rope_config import read_rotation, read_two_rotations
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.shape import ModelShape

NAMES = replace(
    LLAMA_NAMES,
    inside={
        **LLAMA_NAMES.inside,
        "attn_post_norm": "post_attention_layernorm",
        "ffn_norm": "pre_feedforward_layernorm",
        "ffn_post_norm": "post_feedforward_layernorm",
    },
)


def gemma2(
    values: Values, geometry: ModelConfig, shape: ModelShape
) -> tuple[ModelShape, Architecture]:
    """Read gemma2: norms before and behind, capped scores and logits, a scaled embedding."""
    rope = read_rotation(values, shape.head_dim)
    cap = values.optional("attn_logit_softcapping", 50.0) or 0.0
    common = _common(values, geometry, shape, rope)
    logit_cap = values.optional("final_logit_softcapping", 30.0) or 0.0
    return replace(_scaled(values, shape), score_cap=cap), replace(common, logit_cap=logit_cap)


def gemma3(
    values: Values, geometry: ModelConfig, shape: ModelShape
) -> tuple[ModelShape, Architecture]:
    """Read gemma3_text: gemma2 with normed heads, a slower local RoPE and no capped scores."""
    rope, local = read_two_rotations(values, shape.head_dim)
    return _scaled(values, shape), replace(
        _common(values, geometry, shape, rope),
        local_rope=local,
        head_norm=HeadNorm.EACH,
        logit_cap=values.optional("final_logit_softcapping") or 0.0,
    )


def _scaled(values: Values, shape: ModelShape) -> ModelShape:
    if values.flag("use_bidirectional_attention", default=False):
        values.refuse("use_bidirectional_attention is not supported: this model sees the future")
    return replace(shape, score_scale=values.positive("query_pre_attn_scalar", 256.0) ** -0.5)


def _common(
    values: Values, geometry: ModelConfig, shape: ModelShape, rope: Rotation
) -> Architecture:
    bias = values.flag("attention_bias", default=False)
    return Architecture(
        norm=Norm.RMS,
        norm_eps=values.positive("rms_norm_eps", 1e-6),
        norm_offset=1.0,
        residual=Residual.AROUND,
        activation=values.activation("hidden_activation", "gelu_pytorch_tanh"),
        gated=True,
        qkv_bias=bias,
        out_bias=bias,
        ffn_bias=False,
        rope=rope,
        embedding_scale=math.sqrt(shape.hidden_size),
        tied_head=bool(geometry.tie_word_embeddings),
    )
