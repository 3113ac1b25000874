"""Architectures beyond plain attention: what each layer keeps, and what is refused there."""

import pytest
from configs import config, kinds, read

from kvviz.sizing.config import read_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import CachePart

MLA = config(
    model_type="deepseek_v3", num_attention_heads=4, kv_lora_rank=32, qk_rope_head_dim=8,
    qk_nope_head_dim=16, v_head_dim=24,
)  # fmt: skip
DELTA = config(
    model_type="qwen3_next", num_hidden_layers=4, linear_num_key_heads=2, linear_key_head_dim=8,
    linear_num_value_heads=4, linear_value_head_dim=16, linear_conv_kernel_dim=4,
)  # fmt: skip
NEMOTRON = config(
    model_type="nemotron_h", num_hidden_layers=5, hybrid_override_pattern="M-*EM",
    mamba_num_heads=4, mamba_head_dim=8, ssm_state_size=16, n_groups=2, conv_kernel=4, head_dim=16,
)  # fmt: skip
GEMMA4 = config(
    model_type="gemma4_text", num_hidden_layers=6, sliding_window=8, head_dim=16,
    global_head_dim=32, num_kv_shared_layers=2,
    layer_types=["sliding_attention", "full_attention"] * 3,
)  # fmt: skip


def part(model, layer=0, number=0):
    return model.layers[layer].parts[number]


def test_mla_keeps_a_latent_and_no_heads():
    found = part(read(MLA, num_key_value_heads=4))

    assert (found.latent, found.rope, found.index_width) == (32, 8, 0)
    assert found.heads == CachePart(4, 24, 24)


def test_mla_can_be_switched_off():
    assert kinds(read(MLA, model_type="deepseek_v2", use_mla=False)) == ["full"] * 4


@pytest.mark.parametrize(
    ("model_type", "changes", "owners"),
    [
        ("deepseek_v32", {}, "1111"),
        ("glm_moe_dsa", {}, "1111"),
        ("glm_moe_dsa", {"index_topk_freq": 2, "index_skip_topk_offset": 2}, "1101"),
        ("glm_moe_dsa", {"index_topk_pattern": "FSSF"}, "1001"),
        ("glm_moe_dsa", {"indexer_types": ["full", "shared", "full", "shared"]}, "1010"),
        ("hy_v4", {}, "1100"),
    ],
)
def test_which_layers_own_an_indexer(model_type, changes, owners):
    found = read(MLA, model_type=model_type, index_head_dim=16, **changes)

    assert "".join("1" if part(found, n).index_width else "0" for n in range(4)) == owners
    assert all(part(found, n).sparse for n in range(4))


def test_two_attentions_in_one_layer():
    assert kinds(read(MLA, model_type="longcat_flash")) == ["mla mla"] * 4


def test_a_delta_rules_state():
    found = read(DELTA)

    assert kinds(found) == ["recurrent"] * 3 + ["full"]
    state = part(found)
    assert (state.heads, state.head_elements) == (4, 8 * 16)
    channels = state.heads * state.conv_head_width + state.conv_groups * state.conv_group_width
    assert channels == 2 * 2 * 8 + 4 * 16
    assert kinds(read(DELTA, full_attention_interval=2)) == ["recurrent", "full"] * 2


def test_mamba_2_with_layers_that_keep_nothing():
    found = read(NEMOTRON)

    assert kinds(found) == ["recurrent", "-", "full", "-", "recurrent"]
    assert (part(found).heads, part(found).head_elements) == (4, 8 * 16)
    assert (part(found).conv_groups, part(found).conv_group_width) == (4, 16)
    listed = ["mamba", "mlp", "attention", "moe", "mamba"]
    again = read(NEMOTRON, layers_block_type=listed, hybrid_override_pattern=...)
    assert again.layers == found.layers


def test_an_old_name_for_the_head_width_of_a_hybrid():
    assert part(read(NEMOTRON, head_dim=..., attention_head_dim=24), 2).heads.k_width == 24


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"model_type": "jamba", "num_hidden_layers": 8, "attn_layer_period": 4,
             "attn_layer_offset": 1},
            ["recurrent", "full", "recurrent", "recurrent"] * 2,
        ),
        ({"model_type": "mamba", "num_attention_heads": ...}, ["recurrent"] * 4),
        ({"model_type": "falcon_h1", "mamba_d_ssm": 64, "mamba_n_heads": 4},
         ["full recurrent"] * 4),
        ({"model_type": "bamba", "attn_layer_indices": [1], "mamba_n_heads": 8},
         ["recurrent", "full", "recurrent", "recurrent"]),
        (
            {"model_type": "granitemoehybrid", "mamba_n_heads": 8,
             "layer_types": ["mamba", "attention", "mamba", "mamba"]},
            ["recurrent", "full", "recurrent", "recurrent"],
        ),
        ({"model_type": "lfm2", "full_attn_idxs": [2]},
         ["recurrent", "recurrent", "full", "recurrent"]),
        (
            {"model_type": "recurrent_gemma", "attention_window_size": 8},
            ["recurrent", "recurrent", "sliding:8", "recurrent"],
        ),
        (
            {"model_type": "zamba2", "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"]},
            ["recurrent", "full recurrent"] * 2,
        ),
        ({"model_type": "minimax_text_01", "attn_type_list": [0, 0, 0, 1]},
         ["recurrent"] * 3 + ["full"]),
        ({"model_type": "hunyuan", "use_cla": True, "cla_share_factor": 2},
         ["full", "as 0", "full", "as 2"]),
        ({"model_type": "openelm", "num_key_value_heads": ..., "head_dim": 16,
          "num_kv_heads": [1, 2, 0, 4]}, ["full", "full", "-", "full"]),
        ({"model_type": "t5", "d_kv": 16}, ["full cross"] * 4),
        ({"model_type": "bart", "decoder_layers": 2, "decoder_attention_heads": 4},
         ["full cross"] * 2),
        ({"model_type": "mllama_text_model", "cross_attention_layers": [1]},
         ["full", "cross", "full", "full"]),
        ({"model_type": "chatglm", "multi_query_attention": True, "multi_query_group_num": 2,
          "num_key_value_heads": ...}, ["full"] * 4),
    ],
    ids=lambda value: value["model_type"] if isinstance(value, dict) else "",
)  # fmt: skip
def test_what_each_layer_keeps(changes, expected):
    assert kinds(read(**changes)) == expected


@pytest.mark.parametrize(
    ("changes", "kv_heads"),
    [
        ({"model_type": "falcon", "multi_query": True}, 1),
        ({"model_type": "falcon", "multi_query": False}, 4),
        ({"model_type": "falcon", "new_decoder_architecture": True}, 2),
        ({"model_type": "gpt_bigcode"}, 1),
        ({"model_type": "gpt_bigcode", "multi_query": False}, 4),
        ({"model_type": "mpt", "attn_config": {"attn_type": "multiquery_attention"}}, 1),
        ({"model_type": "mpt", "attn_config": {}}, 4),
        ({"model_type": "dbrx", "attn_config": {"kv_n_heads": 2}}, 2),
        ({"model_type": "chatglm", "multi_query_attention": True, "multi_query_group_num": 2}, 2),
        ({"model_type": "chatglm", "multi_query_attention": False, "multi_query_group_num": 2}, 4),
    ],
)
def test_kv_heads_under_other_names(changes, kv_heads):
    assert part(read(**changes)).heads.kv_heads == kv_heads


def test_the_last_layers_read_the_last_owner_of_their_kind():
    found = read(GEMMA4)

    assert kinds(found) == ["sliding:8", "full"] * 2 + ["as 2", "as 3"]
    assert part(found, 1).heads == CachePart(2, 32, 32)
    assert part(found, 0).heads == CachePart(2, 16, 16)


def test_fewer_heads_where_k_and_v_are_one_projection():
    found = read(GEMMA4, attention_k_eq_v=True, num_global_key_value_heads=1)

    assert part(found, 1).heads == CachePart(1, 32, 32)
    assert any("engines still keep both" in warning for warning in found.warnings)


def test_heads_that_differ_by_layer():
    changes = {"global_head_dim": ..., "per_layer_config": {"1": {"head_dim": 32}}}
    found = read(GEMMA4, **changes)

    assert (part(found, 1).heads.k_width, part(found, 3).heads.k_width) == (32, 16)
    with pytest.raises(InputError, match=r"per_layer_config: 1: 'sliding_window' is not known"):
        read(GEMMA4, per_layer_config={"1": {"sliding_window": 4}})
    for layer in ("9", "9" * 5000, "-1"):
        with pytest.raises(InputError, match=rf"'{layer[:20]}' is not one of 6 layers"):
            read(GEMMA4, per_layer_config={layer: {"head_dim": 4}})


def test_two_kinds_of_head_and_k_wider_than_v():
    found = read(
        model_type="mimo_v2_flash", head_dim=24, v_head_dim=16, swa_num_key_value_heads=4,
        sliding_window=8, hybrid_layer_pattern=[0, 1, 1, 0],
    )  # fmt: skip

    assert kinds(found) == ["full", "sliding:8", "sliding:8", "full"]
    assert part(found, 0).heads == CachePart(2, 24, 16)
    assert part(found, 1).heads == CachePart(4, 24, 16)


def test_an_index_key_beside_keys_and_values():
    found = read(
        model_type="minimax_m3",
        sparse_attention_config={"sparse_attention_freq": [0, 1, 1, 1], "sparse_index_dim": 8},
    )

    assert [part(found, n).index_width for n in range(4)] == [0, 8, 8, 8]


def test_layers_without_attention_in_a_searched_architecture():
    blocks = [
        {"attention": {"n_heads_in_group": 2}},
        {"attention": {"no_op": True, "n_heads_in_group": None}},
        {"attention": {"replace_with_linear": True}},
        {"attention": {"n_heads_in_group": 4}},
    ]
    found = read(model_type="nemotron-nas", num_key_value_heads=None, block_configs=blocks)

    assert kinds(found) == ["full", "-", "-", "full"]
    assert [part(found, n).heads.kv_heads for n in (0, 3)] == [2, 1]


def test_kimi_lists_its_layers_from_1():
    linear = {"full_attn_layers": [2], "kda_layers": [1, 3, 4], "num_heads": 4, "head_dim": 16}
    found = read(MLA, model_type="kimi_linear", linear_attn_config=linear)

    assert kinds(found) == ["recurrent", "mla", "recurrent", "recurrent"]
    assert part(found).head_elements == 16 * 16
    with pytest.raises(InputError, match="must name each layer, from 1, once"):
        read(MLA, model_type="kimi_linear", linear_attn_config=linear | {"kda_layers": [1, 2]})


def test_the_decoder_of_a_nested_encoder_decoder():
    decoder = {"model_type": "t5_gemma_module", "num_hidden_layers": 2, "sliding_window": 8}
    nested = {"model_type": "t5gemma", "is_encoder_decoder": True, "decoder": decoder}

    assert kinds(read_config(nested, "config.json")) == ["sliding:8 cross", "full cross"]


@pytest.mark.parametrize(
    ("base", "changes", "said"),
    [
        (NEMOTRON, {"hybrid_override_pattern": "M-*EX"}, "letters M"),
        (NEMOTRON, {"n_groups": 3}, "4 is not divisible by n_groups 3"),
        (NEMOTRON, {"hybrid_override_pattern": ...}, "missing hybrid_override_pattern"),
        (DELTA, {"linear_num_key_heads": 3}, "not divisible by linear_num_key_heads 3"),
        (GEMMA4, {"num_kv_shared_layers": 5}, "leaves no full_attention layer"),
        (GEMMA4, {"use_bidirectional_attention": "all"}, "an encoder keeps no cache"),
        (MLA, {"kv_lora_rank": 0}, "kv_lora_rank must be between 1"),
        (MLA, {"kv_lora_rank": None}, "missing kv_lora_rank"),
        (None, {"model_type": "dbrx", "attn_config": [1]}, "attn_config must be an object"),
        (None, {"model_type": "hunyuan", "use_cla": True, "cla_share_factor": 0}, "between 1"),
        (None, {"model_type": "nemotron-nas", "block_configs": [1, 2, 3, 4]}, "must be an object"),
        (
            None,
            {"model_type": "nemotron-nas", "block_configs": [{"attention": {"sparsify": [1]}}] * 4},
            "sparsify is not known",
        ),
        (None, {"model_type": "minimax_text_01", "attn_type_list": [0, 2, 0, 1]}, "between 0 and"),
        (None, {"model_type": "gpt_neo", "attention_types": [["local"]]}, "must be a list of"),
    ],
)
def test_what_does_not_go_together_is_refused(base, changes, said):
    with pytest.raises(InputError, match=said):
        read(base, **changes)


def test_older_names_of_a_mamba_2_hybrid():
    found = read(
        model_type="zamba2", num_key_value_heads=4, state_size=8, mamba_headdim=16,
        mamba_ngroups=2, expansion_factor=2, conv_dimension=4, attention_head_dim=32,
        kv_channels=16, layers_block_type=["mamba", "hybrid", "mamba", "mamba"],
    )  # fmt: skip

    state = part(found)
    assert (state.heads, state.head_elements, state.conv_group_width) == (8, 16 * 8, 8)
    assert part(found, 1).heads == CachePart(4, 32, 32)
    with pytest.raises(InputError, match="do not make up the inner width of 128"):
        read(model_type="bamba", mamba_n_heads=8, mamba_d_head=32)


def test_another_name_for_a_pattern_that_is_repeated():
    found = read(model_type="recurrent_gemma", _block_types=["recurrent", "attention"])

    assert kinds(found) == ["recurrent", "sliding:2048"] * 2


def test_sizes_of_a_latent_that_is_switched_off_are_ignored():
    found = read(
        model_type="hunyuan_v1_moe", use_mla=False, kv_lora_rank=512, v_head_dim=128,
        attention_head_dim=24, use_cla=False, cla_share_factor=2,
    )  # fmt: skip

    assert kinds(found) == ["full"] * 4
    assert part(found).heads == CachePart(2, 24, 24)


def test_convolutions_windows_and_attention_in_turns():
    assert kinds(read(model_type="lfm3", num_hidden_layers=6, sliding_window=8)) == [
        "recurrent", "recurrent", "full", "recurrent", "sliding:8", "recurrent",
    ]  # fmt: skip
