"""What a layer of each family is made of beside its projections, as far as that is known."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kvviz.sizing.config_keys import Keys


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a layer is made of beside its projections.

    ``norms`` a layer, each of ``norm_weights`` vectors; biases of q, k and v, and of the output;
    ``head_norms`` are on each head of q and k, ``wide_norms`` on all of them together; ``gated``
    feed-forward has three matrices instead of two; ``query_gate`` doubles the query projection;
    ``sinks`` is one number a query head.  ``out_follows`` says that attention_bias is of the output
    too, ``norms_if`` which flag brings norms on heads; ``fixed`` are flags of this recipe, which is
    not known with another value of them.
    """

    norms: int = 2
    norm_weights: int = 1
    qkv_bias: bool = False
    out_bias: bool = False
    head_norms: bool = False
    wide_norms: bool = False
    gated: bool = True
    mlp_bias: bool = False
    head_bias: bool = False
    query_gate: bool = False
    sinks: bool = False
    positions: bool = False
    out_follows: bool = True
    norms_if: str = ""
    fixed: tuple[tuple[str, bool], ...] = ()


LLAMA = Recipe()
GPT = Recipe(norm_weights=2, qkv_bias=True, out_bias=True, gated=False, mlp_bias=True)
RECIPES: Mapping[str, Recipe] = {
    "arcee": Recipe(gated=False),
    "chatglm": Recipe(
        qkv_bias=True,
        fixed=(("add_bias_linear", False), ("add_qkv_bias", True), ("rmsnorm", True)),
    ),
    "codegen": Recipe(norms=1, norm_weights=2, gated=False, mlp_bias=True, head_bias=True),
    "cohere": Recipe(norms=1, norms_if="use_qk_norm"),
    "cohere2": Recipe(norms=1),
    "cwm": LLAMA,
    "deepseek_v2": LLAMA,
    "deepseek_v3": LLAMA,
    "deepseek_v32": LLAMA,
    "dots1": Recipe(head_norms=True),
    "ernie4_5": Recipe(fixed=(("use_bias", False),)),
    "exaone4": Recipe(head_norms=True),
    "falcon_mamba": Recipe(norms=1),
    "flex_olmo": Recipe(wide_norms=True),
    "gemma": LLAMA,
    "gemma2": Recipe(norms=4),
    "gemma3_text": Recipe(norms=4, head_norms=True),
    "glm": Recipe(qkv_bias=True),
    "glm4": Recipe(norms=4, qkv_bias=True),
    "glm4_moe": Recipe(norms_if="use_qk_norm", out_follows=False),
    "glm4_moe_lite": LLAMA,
    "glm_moe_dsa": LLAMA,
    "gpt2": replace(GPT, positions=True),
    "gpt_bigcode": replace(GPT, positions=True),
    "gptj": Recipe(norms=1, norm_weights=2, gated=False, mlp_bias=True, head_bias=True),
    "gpt_neox": GPT,
    "gpt_oss": Recipe(qkv_bias=True, out_bias=True, sinks=True, mlp_bias=True),
    "granite": LLAMA,
    "granitemoe": LLAMA,
    "hunyuan_v1_dense": Recipe(head_norms=True),
    "internlm3": Recipe(fixed=(("bias", False), ("qkv_bias", False))),
    "jamba": LLAMA,
    "kimi_k2": LLAMA,
    "llama": LLAMA,
    "llama4_text": LLAMA,
    "mamba": Recipe(norms=1),
    "mellum": Recipe(head_norms=True),
    "minicpm3": LLAMA,
    "mimo": Recipe(qkv_bias=True),
    "minimax_m2": Recipe(wide_norms=True),
    "ministral": LLAMA,
    "ministral3": LLAMA,
    "mistral": LLAMA,
    "mixtral": LLAMA,
    "nemotron": Recipe(norm_weights=2, gated=False),
    "nemotron_h": Recipe(
        norms=1, gated=False,
        fixed=(("mlp_bias", False), ("attention_bias", False), ("tie_word_embeddings", False)),
    ),
    "olmo2": Recipe(wide_norms=True),
    "olmo3": Recipe(wide_norms=True),
    "olmoe": Recipe(wide_norms=True),
    "phi": replace(GPT, norms=1, head_bias=True, fixed=(("qk_layernorm", False),)),
    "phi3": LLAMA,
    "phimoe": Recipe(norm_weights=2, fixed=(("lm_head_bias", False),)),
    "qwen2": Recipe(qkv_bias=True),
    "qwen2_moe": Recipe(qkv_bias=True, fixed=(("qkv_bias", True),)),
    "qwen3": Recipe(head_norms=True),
    "qwen3_moe": Recipe(head_norms=True),
    "qwen3_vl_text": Recipe(head_norms=True),
    "qwen3_vl_moe_text": Recipe(head_norms=True),
    "qwen3_5_text": Recipe(head_norms=True, query_gate=True),
    "qwen3_5_moe_text": Recipe(head_norms=True, query_gate=True),
    "qwen3_next": Recipe(head_norms=True, query_gate=True),
    "seed_oss": Recipe(qkv_bias=True, fixed=(("attention_out_bias", False),)),
    "smollm3": LLAMA,
    "stablelm": Recipe(
        norm_weights=2,
        fixed=(("qk_layernorm", False), ("use_parallel_residual", False), ("use_qkv_bias", False)),
    ),
    "starcoder2": replace(GPT, fixed=(("use_bias", True),)),
    "vaultgemma": LLAMA,
}  # fmt: skip


def biases(keys: Keys, recipe: Recipe) -> tuple[bool, bool]:
    """Return whether q, k and v have biases, and whether the output has one."""
    usual = recipe.qkv_bias
    given = keys.flag("attention_bias", default=usual)
    out_bias = recipe.out_bias or (recipe.out_follows and not usual)
    return given, given and out_bias


def recipe_of(keys: Keys) -> Recipe | None:
    """Return a model type's recipe with what its config switches on; None where it is not known."""
    found = RECIPES.get(keys.model_type)
    if found is None or any(keys.flag(key, default=value) != value for key, value in found.fixed):
        return None
    if found.norms_if and keys.flag(found.norms_if, default=False):
        wide = keys.model_type == "cohere"
        found = replace(found, wide_norms=wide, head_norms=not wide)
    if keys.flag("mlp_bias", default=False) and not found.mlp_bias:
        # Which experts have one too is each class's own choice.
        return None if "num_experts_per_tok" in keys.config else replace(found, mlp_bias=True)
    return found
