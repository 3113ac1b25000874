"""Llama and the families that share its layout.  No torch."""

from dataclasses import replace

from kvviz.model.architecture import Architecture, HeadNorm, Norm, Residual, Scaling
from kvviz.model.config_values import Values
from kvviz.model.rope_config import read_rotation
from kvviz.model.weight_names import PROJECTIONS, WeightNames
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.shape import ModelShape

Read = tuple[ModelShape, Architecture]

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

PHI3_NAMES = replace(
    NAMES,
    fused={
        "self_attn.qkv_proj": PROJECTIONS,
        "mlp.gate_up_proj": ("ffn.gate", "ffn.up"),
    },
)

OLMO2_NAMES = replace(
    NAMES,
    inside={
        **NAMES.inside,
        "attn_post_norm": "post_attention_layernorm",
        "ffn_post_norm": "post_feedforward_layernorm",
    },
)


def llama(values: Values, geometry: ModelConfig, shape: ModelShape) -> Read:
    """Read llama: RMSNorm before, SwiGLU, RoPE, biases as the config says."""
    bias = values.flag("attention_bias", default=False)
    ffn_bias = values.flag("mlp_bias", default=False)
    plain = llama_like(values, geometry, shape)
    return shape, replace(plain, qkv_bias=bias, out_bias=bias, ffn_bias=ffn_bias)


def mistral(values: Values, geometry: ModelConfig, shape: ModelShape) -> Read:
    """Read mistral: llama with a window, which is the sizes' to know, and no bias."""
    return shape, llama_like(values, geometry, shape)


def qwen2(values: Values, geometry: ModelConfig, shape: ModelShape) -> Read:
    """Read qwen2: llama with biases on q, k and v."""
    return shape, replace(llama_like(values, geometry, shape), qkv_bias=True)


def qwen3(values: Values, geometry: ModelConfig, shape: ModelShape) -> Read:
    """Read qwen3: llama whose heads of q and k are normalised one by one."""
    bias = values.flag("attention_bias", default=False)
    plain = llama_like(values, geometry, shape)
    return shape, replace(plain, qkv_bias=bias, out_bias=bias, head_norm=HeadNorm.EACH)


def phi3(values: Values, geometry: ModelConfig, shape: ModelShape) -> Read:
    """Read phi3: llama of which a part of each head may turn; its tensors are fused."""
    plain = llama_like(values, geometry, shape, norm_eps=1e-5)
    rope = read_rotation(values, shape.head_dim, share_key="partial_rotary_factor")
    if rope.scaling is not Scaling.DEFAULT:
        values.refuse(f"phi3 is only known with plain RoPE, not {rope.scaling}")
    return shape, replace(plain, rope=rope)


def olmo2(values: Values, geometry: ModelConfig, shape: ModelShape) -> Read:
    """Read olmo2: norms behind attention and feed-forward, and over all heads of q and of k."""
    bias = values.flag("attention_bias", default=False)
    return shape, replace(
        llama_like(values, geometry, shape, norm_eps=1e-5),
        qkv_bias=bias,
        out_bias=bias,
        residual=Residual.AFTER,
        head_norm=HeadNorm.ALL,
    )


def llama_like(
    values: Values, geometry: ModelConfig, shape: ModelShape, *, norm_eps: float = 1e-6
) -> Architecture:
    """Return llama's arithmetic without any bias; ``norm_eps`` is what the family's class has."""
    return Architecture(
        norm=Norm.RMS,
        norm_eps=values.positive("rms_norm_eps", norm_eps),
        activation=values.activation("hidden_act", "silu"),
        gated=True,
        qkv_bias=False,
        out_bias=False,
        ffn_bias=False,
        rope=read_rotation(values, shape.head_dim),
        tied_head=bool(geometry.tie_word_embeddings),
    )
