"""Llama and the families that share its layout.  No torch."""

from dataclasses import replace

from kvviz.model.architecture import Architecture, Norm
from kvviz.model.config_values import Values
from kvviz.model.rope_config import read_rotation
from kvviz.model.weight_names import WeightNames
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.shape import ModelShape

NAMES = WeightNames(
    base="model.",
    layers="layers.",
    outside={"token_emb": "embed_tokens", "norm": "norm"},
    inside={
        "attn_norm": "input_layernorm",
        "attn.q_proj": "self_attn.q_proj",
        "attn.k_proj": "self_attn.k_proj",
        "attn.v_proj": "self_attn.v_proj",
        "attn.q_norm": "self_attn.q_norm",
        "attn.k_norm": "self_attn.k_norm",
        "attn.out": "self_attn.o_proj",
        "ffn_norm": "post_attention_layernorm",
        "ffn.gate": "mlp.gate_proj",
        "ffn.up": "mlp.up_proj",
        "ffn.down": "mlp.down_proj",
    },
)


def llama(
    values: Values, geometry: ModelConfig, shape: ModelShape
) -> tuple[ModelShape, Architecture]:
    """Read llama: RMSNorm before, SwiGLU, RoPE, biases as the config says."""
    bias = values.flag("attention_bias", default=False)
    plain = _plain(values, geometry, shape)
    return shape, replace(
        plain, qkv_bias=bias, out_bias=bias, ffn_bias=values.flag("mlp_bias", default=False)
    )


def _plain(values: Values, geometry: ModelConfig, shape: ModelShape) -> Architecture:
    """Return llama's arithmetic without any bias."""
    return Architecture(
        norm=Norm.RMS,
        norm_eps=values.positive("rms_norm_eps", 1e-6),
        activation=values.activation("hidden_act", "silu"),
        gated=True,
        qkv_bias=False,
        out_bias=False,
        ffn_bias=False,
        rope=read_rotation(values, shape.head_dim),
        tied_head=bool(geometry.tie_word_embeddings),
    )
