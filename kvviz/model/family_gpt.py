"""GPT-2 and GPT-NeoX: LayerNorm, biases, a feed-forward without a gate.  No torch."""

from dataclasses import replace

from kvviz.model.architecture import Architecture, Residual
from kvviz.model.config_values import Values
from kvviz.model.rope_config import read_rotation
from kvviz.model.weight_names import PROJECTIONS, WeightNames
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.shape import ModelShape, Positions

GPT2_NAMES = WeightNames(
    base="transformer.",
    layers="h.",
    outside={"token_emb": "wte", "position_emb": "wpe", "norm": "ln_f"},
    inside={
        "attn_norm": "ln_1",
        "attn.out": "attn.c_proj",
        "ffn_norm": "ln_2",
        "ffn.0": "mlp.c_fc",
        "ffn.2": "mlp.c_proj",
    },
    fused={"attn.c_attn": PROJECTIONS},
    transposed=frozenset((*PROJECTIONS, "attn.out", "ffn.0", "ffn.2")),
)

GPT_NEOX_NAMES = WeightNames(
    base="gpt_neox.",
    layers="layers.",
    outside={"token_emb": "embed_in", "norm": "final_layer_norm"},
    inside={
        "attn_norm": "input_layernorm",
        "attn.out": "attention.dense",
        "ffn_norm": "post_attention_layernorm",
        "ffn.0": "mlp.dense_h_to_4h",
        "ffn.2": "mlp.dense_4h_to_h",
    },
    fused={"attention.query_key_value": PROJECTIONS},
    by_head=True,
    heads=("embed_out", "lm_head"),
)


def gpt2(
    values: Values, geometry: ModelConfig, shape: ModelShape
) -> tuple[ModelShape, Architecture]:
    """Read gpt2: learned positions, a head that is the embedding."""
    if values.flag("scale_attn_by_inverse_layer_idx", default=False):
        values.refuse("scale_attn_by_inverse_layer_idx is not supported: one scale for all layers")
    if shape.context is None:
        values.refuse("missing n_positions: add it, or choose the whole config.json")
    scaled = values.flag("scale_attn_weights", default=True)
    return replace(
        shape, positions=Positions.LEARNED, score_scale=None if scaled else 1.0
    ), Architecture(
        norm_eps=values.positive("layer_norm_epsilon", 1e-5),
        activation=values.activation("activation_function", "gelu_new"),
        tied_head=bool(geometry.tie_word_embeddings),
    )


def gpt_neox(
    values: Values, geometry: ModelConfig, shape: ModelShape
) -> tuple[ModelShape, Architecture]:
    """Read gpt_neox: a part of each head turns, attention and feed-forward are fed the same."""
    bias = values.flag("attention_bias", default=True)
    parallel = values.flag("use_parallel_residual", default=True)
    return shape, Architecture(
        norm_eps=values.positive("layer_norm_eps", 1e-5),
        residual=Residual.PARALLEL if parallel else Residual.BEFORE,
        activation=values.activation("hidden_act", "gelu"),
        qkv_bias=bias,
        out_bias=bias,
        rope=read_rotation(
            values,
            shape.head_dim,
            theta_key="rotary_emb_base",
            share_key="rotary_pct",
            share=0.25,
        ),
        tied_head=bool(geometry.tie_word_embeddings),
    )
