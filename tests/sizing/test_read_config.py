"""A config's geometry: names old and new, defaults said, windows, and what is refused."""

import pytest
from configs import LLAMA, config, kinds, read

from kvviz.sizing.config import plain_config, read_config
from kvviz.sizing.errors import InputError

GEMMA = {
    "model_type": "gemma3_text",
    "num_hidden_layers": 7,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "sliding_window": 8,
}


def test_what_is_read_and_what_is_assumed():
    found = read(tie_word_embeddings=True, max_position_embeddings=2048)

    assert (found.num_layers, found.num_heads, found.num_kv_heads, found.head_dim) == (4, 4, 2, 16)
    assert (found.hidden_size, found.vocab_size, found.intermediate_size) == (64, 100, 96)
    assert (found.max_positions, found.tie_word_embeddings) == (2048, True)
    assert found.torch_dtype == "bfloat16"
    assert found.windows == (0, 0, 0, 0)
    assert found.assumptions == ("head_dim 16: hidden_size / num_attention_heads",)


def test_head_dim_is_read_before_it_is_derived():
    found = read(head_dim=128, hidden_size=...)

    assert found.head_dim == 128
    assert found.assumptions == ()


def test_null_is_absent():
    found = read(num_key_value_heads=None, head_dim=None, rope_scaling=None)

    assert (found.num_kv_heads, found.head_dim) == (4, 16)
    assert "num_key_value_heads 4: as num_attention_heads" in found.assumptions


def test_a_class_default_is_for_an_absent_key_and_not_for_null():
    mistral = config(model_type="mistral", num_attention_heads=8)

    absent = read(mistral, num_key_value_heads=..., sliding_window=...)
    assert (absent.num_kv_heads, set(absent.windows)) == (8, {4096})
    assert "num_key_value_heads 8: the default of mistral" in absent.assumptions
    assert "sliding_window 4,096: the default of mistral" in absent.assumptions

    null = read(mistral, num_attention_heads=16, num_key_value_heads=None, sliding_window=None)
    assert (null.num_kv_heads, set(null.windows)) == (16, {0})


@pytest.mark.parametrize(
    "old",
    [
        {"model_type": "gpt2", "n_layer": 3, "n_head": 4, "n_embd": 64},
        {"model_type": "gptj", "n_layer": 3, "n_head": 4, "n_embd": 64},
        {"model_type": "exaone", "num_layers": 3, "num_attention_heads": 4, "hidden_size": 64,
         "num_key_value_heads": 4},
        {"model_type": "mpt", "n_layers": 3, "n_heads": 4, "d_model": 64},
        {"model_type": "bloom", "n_layer": 3, "n_head": 4, "hidden_size": 64},
        {"model_type": "xglm", "num_layers": 3, "attention_heads": 4, "d_model": 64},
    ],
    ids=lambda old: old["model_type"],
)  # fmt: skip
def test_old_names(old):
    found = read_config(old, "config.json")

    assert (found.num_layers, found.num_kv_heads, found.head_dim) == (3, 4, 16)


def test_names_that_disagree_are_refused():
    with pytest.raises(InputError, match=r"n_head_kv 4 contradict|contradict each other"):
        read(num_kv_heads=4)

    assert read(num_kv_heads=2).num_kv_heads == 2


def test_a_nested_config_may_leave_sizes_to_its_class():
    nested = {"model_type": "gemma3", "text_config": {"sliding_window": 1024}}
    found = read_config(nested, "config.json")

    assert (found.model_type, found.num_layers, found.head_dim) == ("gemma3", 26, 256)
    assert "num_hidden_layers 26: the default of gemma3" in found.assumptions


def test_what_stands_outside_a_nested_config_counts_too():
    text = config(torch_dtype=...)
    outer = {"model_type": "llava", "text_config": text, "torch_dtype": "float16"}
    found = read_config(outer | {"tie_word_embeddings": True}, "config.json")

    assert (found.torch_dtype, found.tie_word_embeddings) == ("float16", True)


def test_a_pattern_is_the_classs_own_or_read():
    assert kinds(read(GEMMA)) == ["sliding:8"] * 5 + ["full", "sliding:8"]
    assert kinds(read(GEMMA, sliding_window_pattern=2))[:3] == ["sliding:8", "full", "sliding:8"]
    listed = read(GEMMA, layer_types=["full_attention"] * 6 + ["sliding_attention"])
    assert kinds(listed) == ["full"] * 6 + ["sliding:8"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"model_type": "qwen2", "sliding_window": 8, "use_sliding_window": False}, ["full"] * 4),
        (
            {"model_type": "qwen2", "sliding_window": 8, "use_sliding_window": True,
             "max_window_layers": 3},
            ["full"] * 3 + ["sliding:8"],
        ),
        ({"model_type": "qwen3", "sliding_window": 8, "max_window_layers": 0}, ["full"] * 4),
        ({"model_type": "mixtral", "sliding_window": None}, ["full"] * 4),
        ({"model_type": "phi3", "sliding_window": 8}, ["sliding:8"] * 4),
        ({"model_type": "gemma2", "sliding_window": 8}, ["sliding:8", "full"] * 2),
        (
            {"model_type": "gemma2", "sliding_window": 8, "sliding_window_size": 8},
            ["sliding:8", "full"] * 2,
        ),
        ({"model_type": "gpt_oss", "sliding_window": 8}, ["sliding:8", "full"] * 2),
        ({"model_type": "cohere2", "sliding_window": 8}, ["sliding:8"] * 3 + ["full"]),
        ({"model_type": "olmo3", "sliding_window": 8}, ["sliding:8"] * 3 + ["full"]),
        ({"model_type": "cwm", "sliding_window": 8}, ["full"] + ["sliding:8"] * 3),
        (
            {"model_type": "exaone4", "sliding_window": 8, "sliding_window_pattern": "LLG"},
            ["sliding:8", "sliding:8", "full", "sliding:8"],
        ),
        ({"model_type": "exaone4", "sliding_window": None}, ["full"] * 4),
        ({"model_type": "llama4_text", "attention_chunk_size": 8},
         ["chunked:8"] * 3 + ["full"]),
        (
            {"model_type": "llama4_text", "attention_chunk_size": 8,
             "no_rope_layers": [0, 1, 0, 1]},
            ["full", "chunked:8"] * 2,
        ),
        ({"model_type": "llama4_text", "attention_chunk_size": None}, ["full"] * 4),
        ({"model_type": "gpt_neo", "attention_types": [[["global", "local"], 2]],
          "window_size": 8}, ["full", "sliding:8"] * 2),
        ({"model_type": "llama", "sliding_window": 8, "use_sliding_window": False}, ["full"] * 4),
    ],
)  # fmt: skip
def test_windows(changes, expected):
    assert kinds(read(**changes)) == expected


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"num_hidden_layers": ...}, "missing num_hidden_layers"),
        ({"num_attention_heads": ...}, "missing num_attention_heads"),
        ({"hidden_size": ...}, "missing head_dim, or hidden_size"),
        ({"model_type": ...}, "missing model_type"),
        ({"model_type": 7}, "model_type must be text"),
        ({"model_type": "no\ud800such"}, r"model_type 'no\\ud800such' is not known"),
        ({"model_type": "bert"}, "is an encoder, which keeps no KV cache"),
        ({"model_type": "deepseek_v4"}, "compressed at several rates"),
        ({"num_hidden_layers": 0}, "num_hidden_layers must be between 1 and 10,000, not 0"),
        ({"num_attention_heads": -1}, "num_attention_heads must be between 1 and"),
        ({"head_dim": 0}, "head_dim must be between 1 and"),
        ({"head_dim": 10**90}, "head_dim must be between 1 and"),
        ({"num_hidden_layers": 4.5}, "num_hidden_layers must be an integer, not 4.5"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be an integer, not true"),
        ({"num_hidden_layers": "4"}, "num_hidden_layers must be an integer, not text '4'"),
        ({"num_hidden_layers": [4]}, "num_hidden_layers must be an integer, not a list"),
        ({"hidden_size": 65}, "65 is not divisible by num_attention_heads 4: give head_dim"),
        ({"num_key_value_heads": 3}, "4 is not divisible by num_key_value_heads 3: choose one"),
        ({"num_key_value_heads": 0}, "num_key_value_heads must be between 1"),
        ({"kv_lora_rank": 512}, "kv_lora_rank is not known for llama"),
        ({"sliding_window": 8}, "sliding_window is not known for llama"),
        ({"layer_types": ["full_attention"] * 3}, "layer_types lists 3 layers, num"),
        ({"layer_types": ["full_attention"] * 3 + ["conv"]}, "layer_types is not known for llama"),
        ({"model_type": "qwen2", "layer_types": ["full_attention"] * 3 + ["odd"]}, "'odd'"),
        ({"model_type": "qwen2", "layer_types": "full_attention"}, "layer_types must be a list"),
        ({"model_type": "qwen2", "use_sliding_window": 1}, "use_sliding_window must be true or"),
        ({"model_type": "mistral", "sliding_window": 0}, "sliding_window must be between 1"),
        ({"model_type": "gemma2", "sliding_window": 8, "sliding_window_size": 9}, "contradict"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings must be true or false"),
        ({"vocab_size": 1.5}, "vocab_size must be an integer"),
        ({"use_cla": True, "cla_share_factor": 2}, "cla_share_factor is not known for llama"),
        ({"model_type": "gpt2", "add_cross_attention": True}, "add_cross_attention is not known"),
        ({"model_type": "exaone4", "sliding_window_pattern": "LXG"}, "letters must be L and G"),
    ],
)
def test_what_cannot_be_told_exactly_is_refused(changes, said):
    with pytest.raises(InputError, match=said) as found:
        read(**changes)

    assert str(found.value).startswith("config.json: ")
    assert str(found.value).count("\n") == 0


def test_a_container_that_is_not_known_is_said():
    outer = {"model_type": "flamingo", "text_config": LLAMA}

    assert read_config(outer, "config.json").warnings == (
        "'flamingo' is not known: its text model is sized as any llama is",
    )


def test_a_nested_config_that_is_none_is_refused():
    with pytest.raises(InputError, match="text_config must be an object"):
        read_config({"model_type": "llava", "text_config": [LLAMA]}, "config.json")


def test_bare_numbers():
    found = plain_config(32, 8, 128)

    assert (len(found.layers), found.num_kv_heads, found.head_dim) == (32, 8, 128)
    with pytest.raises(InputError, match="layers must be between 1"):
        plain_config(0, 8, 128)
