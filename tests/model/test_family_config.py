"""From a config to a family, without any weights."""

import pytest

from kvviz.model.architecture import TUTORIAL, Activation
from kvviz.model.families import KINDS, family_of
from kvviz.model.tutorial_weights import expected_sizes
from kvviz.model.weight_names import parameter_sizes
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions

LLAMA = {
    "model_type": "llama",
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def family(**changes):
    config = {key: value for key, value in (LLAMA | changes).items() if value is not ...}
    return family_of(config, "config.json")


def test_sizes_are_those_that_sizing_reads():
    shape = family(max_position_embeddings=96).shape
    assert (shape.num_layers, shape.num_heads, shape.num_kv_heads, shape.head_dim) == (2, 4, 2, 8)
    assert (shape.hidden_size, shape.ffn_size, shape.vocab_size) == (32, 48, 61)
    assert (shape.context, shape.positions, shape.windows) == (96, Positions.ROPE, ())


def test_parameters_are_counted_once_where_the_head_is_the_embedding():
    apart, tied = family(), family(tie_word_embeddings=True)
    assert apart.shape.num_parameters - tied.shape.num_parameters == 61 * 32
    assert "lm_head.weight" not in tied.sources


def test_the_tutorials_names_are_those_of_its_file():
    shape = ModelShape()
    assert parameter_sizes(shape, TUTORIAL) == expected_sizes(shape)


def test_every_family_runs_at_its_classes_own_defaults():
    for model_type in KINDS:
        read = family_of(LLAMA | {"model_type": model_type, "n_positions": 64}, "config.json")
        assert read.model_type == model_type
        assert set(read.sources) == set(parameter_sizes(read.shape, read.architecture))


def test_gemma_has_its_caps_unless_they_are_null():
    gemma = family(model_type="gemma2", head_dim=8)
    assert (gemma.shape.score_cap, gemma.architecture.logit_cap) == (50.0, 30.0)
    off = {"attn_logit_softcapping": None, "final_logit_softcapping": None}
    gemma = family(model_type="gemma2", head_dim=8, **off)
    assert (gemma.shape.score_cap, gemma.architecture.logit_cap) == (0.0, 0.0)
    assert gemma.shape.scale == 256**-0.5


def test_windows_of_each_layer():
    mistral = family(model_type="mistral", sliding_window=6)
    assert mistral.shape.windows == (6, 6)
    assert family(model_type="gemma2", sliding_window=6, head_dim=8).shape.windows == (6, 0)
    assert family(model_type="mistral", sliding_window=None).shape.windows == ()


def test_gpt2_without_scaled_scores():
    sizes = {"n_embd": 32, "n_layer": 1, "n_head": 4, "n_positions": 16, "vocab_size": 61}
    gpt2 = family_of({"model_type": "gpt2", **sizes, "scale_attn_weights": False}, "config.json")
    assert gpt2.shape.scale == 1.0
    assert gpt2.shape.positions is Positions.LEARNED
    assert gpt2.architecture.activation is Activation.GELU_TANH


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "mamba"}, "'mamba' is not a family that runs here: kvviz runs llama, mi"),
        ({"model_type": ["llama"]}, "is not a family that runs here"),
        ({"model_type": ...}, "is not a family that runs here"),
        ({"auto_map": {"AutoModel": "x.Y"}}, "needs code from the folder.*never runs it"),
        ({"quantization_config": {"bits": 4}}, "quantised"),
        ({"hidden_act": "mish"}, "activation 'mish' is not supported: kvviz has gelu, "),
        ({"hidden_act": 3}, "activation '3' is not supported"),
        ({"intermediate_size": ...}, "missing intermediate_size"),
        ({"vocab_size": None}, "missing vocab_size"),
        ({"rms_norm_eps": 0}, "rms_norm_eps must be above 0"),
        ({"attention_bias": "yes"}, "attention_bias must be true or false"),
        (
            {"model_type": "phi3", "rope_scaling": {"type": "linear", "factor": 2.0}},
            "phi3 is only known with plain RoPE",
        ),
        (
            {"model_type": "gemma2", "use_bidirectional_attention": True},
            "sees the future",
        ),
        (
            {"model_type": "gpt2", "n_positions": 16, "scale_attn_by_inverse_layer_idx": True},
            "scale_attn_by_inverse_layer_idx is not supported",
        ),
        ({"model_type": "gpt2"}, "missing n_positions"),
    ],
)
def test_what_does_not_run_is_refused_by_name(changes, said):
    with pytest.raises(InputError, match=said):
        family(**changes)


def test_tensors_are_found_without_the_prefix_and_under_a_heads_other_name():
    sizes = {"intermediate_size": 48, "vocab_size": 61, "model_type": "gpt_neox"}
    neox = family(**sizes, num_key_value_heads=...)
    names = {source.name.removeprefix("gpt_neox.") for source in neox.sources.values()}
    names = names - {"embed_out.weight"} | {"lm_head.weight"}
    found = neox.in_file(names, "model.safetensors")
    assert {source.name for source in found.sources.values()} == names
    assert found.sources["token_emb.weight"].name == "embed_in.weight"


def test_tensors_that_lack_are_named_and_the_rest_counted():
    llama = family()
    names = {source.name for source in llama.sources.values()} - {"model.norm.weight"}
    with pytest.raises(InputError, match=r"folder lacks model\.norm\.weight, which"):
        llama.in_file(names, "folder")
    with pytest.raises(InputError, match=r"lm_head\.weight, .* and 16 other tensors"):
        llama.in_file(set(), "folder")
    names -= set(sorted(names)[:5])
    with pytest.raises(InputError, match=r" and 1 other tensor, which"):
        llama.in_file(names, "folder")
