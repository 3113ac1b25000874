"""Bytes by policy: engines, windows, GPUs, types; and what must hold for any model."""

from dataclasses import replace

import pytest
from configs import config, read, size
from hypothesis import assume, given
from hypothesis import strategies as st

from kvviz.sizing.cache_size import model_rows, size_cache
from kvviz.sizing.capacity import capacity
from kvviz.sizing.config import ModelConfig, plain_config
from kvviz.sizing.element_types import BFLOAT16, FLOAT32, parse_element_type
from kvviz.sizing.errors import InputError
from kvviz.sizing.parts import (
    AttentionPart,
    CrossPart,
    LatentPart,
    LayerParts,
    PartKind,
    StatePart,
)
from kvviz.sizing.policy import Engine, Load, MlaLayout, Policy, Windows
from kvviz.sizing.shape import CachePart

TUTORIAL = plain_config(32, 32, 128)
SLIDING = config(model_type="mistral", sliding_window=8)
MIXED = config(model_type="gemma2", head_dim=16, sliding_window=8)
MLA = config(
    model_type="deepseek_v32", kv_lora_rank=128, qk_rope_head_dim=8, qk_nope_head_dim=16,
    v_head_dim=24, index_head_dim=16,
)  # fmt: skip
ROW = 4 * 2 * (16 + 16) * 2  # layers, KV heads, K and V, bytes


def test_the_tutorials_example_is_two_gib():
    found = size(TUTORIAL)

    assert found.total_bytes == 2**31
    assert found.k_bytes == found.v_bytes == 2**30
    assert found.bytes_per_next_token == 524_288


def test_blocks_are_rounded_up():
    found = size(read(), tokens=17, block_size=16)

    assert found.total_bytes == 32 * ROW
    assert found.bytes_per_next_token == 0
    assert size(read(), tokens=32, block_size=16).bytes_per_next_token == 16 * ROW


@pytest.mark.parametrize(("tokens", "kept"), [(7, 7), (8, 8), (9, 8), (1000, 8)])
def test_a_window_limits_what_is_kept(tokens, kept):
    assert size(read(SLIDING), tokens=tokens).total_bytes == kept * ROW
    assert size(read(SLIDING), tokens=tokens, windows=Windows.FULL).total_bytes == tokens * ROW


def test_heads_are_shared_out_and_then_repeated():
    whole = size(read(), tokens=10).total_bytes

    assert size(read(), tokens=10, tp=2).per_gpu_bytes == whole // 2
    four = size(read(), tokens=10, tp=4)
    assert (four.per_gpu_bytes, four.total_bytes) == (whole // 2, 2 * whole)
    with pytest.raises(InputError, match="4 query heads cannot be divided over 3 GPUs"):
        size(read(), tp=3)
    with pytest.raises(InputError, match="over 4,096 GPUs"):
        size(read(), tp=4096)
    odd = plain_config(2, 6, 16)
    with pytest.raises(InputError, match="6 KV heads can neither be shared out over 4"):
        size(odd, tp=4)


def test_a_latent_is_kept_whole_on_every_gpu():
    one, two = size(read(MLA), tokens=10), size(read(MLA), tokens=10, tp=2)

    assert one.per_gpu_bytes == two.per_gpu_bytes == 4 * 10 * (128 + 8 + 16) * 2
    assert two.total_bytes == 2 * one.total_bytes
    assert (one.k_bytes, one.v_bytes, one.index_bytes) == (4 * 10 * 136 * 2, 0, 4 * 10 * 16 * 2)


def test_expanded_heads_are_shared_out():
    found = size(read(MLA), tokens=10, mla=MlaLayout.EXPANDED, tp=2)

    assert found.k_bytes == 4 * 10 * 2 * 24 * 2
    assert found.v_bytes == 4 * 10 * 2 * 24 * 2


def test_the_fp8_layout_of_a_latent_keeps_scales_and_the_rotary_key():
    fp8 = parse_element_type("fp8")
    found = size(read(MLA), tokens=1, k_type=fp8, v_type=fp8)
    assert (found.k_bytes, found.index_bytes) == (4 * (128 + 4 + 2 * 8), 4 * (16 + 4))

    dense = read(MLA, model_type="deepseek_v3", index_head_dim=...)
    assert size(dense, tokens=1, k_type=fp8, v_type=fp8).k_bytes == 4 * 136
    packed = parse_element_type("fp8_ds_mla")
    assert size(dense, tokens=1, k_type=packed, v_type=packed).k_bytes == 4 * 148
    with pytest.raises(InputError, match="fp8_ds_mla is a layout of MLA's latent"):
        size(read(), k_type=packed, v_type=packed)


def test_vllm_keeps_the_index_key_in_fp8():
    assert size(read(MLA), tokens=64, engine=Engine.VLLM).index_bytes == 4 * 64 * (16 + 4)


def test_types_of_keys_and_values_apart():
    q8, f16 = parse_element_type("q8_0"), parse_element_type("f16")
    found = size(read(), tokens=10, k_type=q8, v_type=f16)

    assert found.k_bytes == 4 * 10 * 34  # 32 elements a row are one block
    assert found.v_bytes == 4 * 10 * 64
    with pytest.raises(InputError, match="q8_0 stores blocks of 32, which do not fill a row of K"):
        size(read(head_dim=20), k_type=q8, v_type=q8)


def test_a_state_is_one_size_whatever_the_length():
    mamba = read(model_type="mamba", num_attention_heads=..., intermediate_size=96)

    found = size(mamba, tokens=5, sequences=3)
    assert found.state_bytes == 3 * 4 * (96 * 16 * 4 + 96 * 3 * 2)
    assert found.total_bytes == size(mamba, tokens=5000, sequences=3).total_bytes
    assert found.bytes_per_next_token == 0
    assert size(mamba, state_type=BFLOAT16).state_bytes == 4 * (96 * 16 * 2 + 96 * 3 * 2)
    assert size(mamba, speculative=6).state_bytes == 7 * size(mamba).state_bytes
    assert size(mamba, tp=2).per_gpu_bytes == size(mamba).per_gpu_bytes // 2


def test_state_groups_are_repeated_once_there_are_more_gpus():
    hybrid = read(
        model_type="mamba2", num_heads=8, head_dim=16, state_size=8, n_groups=2,
        num_attention_heads=...,
    )  # fmt: skip
    four = size(hybrid, tp=4)

    assert four.per_gpu_bytes == 4 * (2 * 16 * 8 * 4 + 3 * (2 * 16 + 2 * 8) * 2)


def test_a_source_is_kept_beside_the_target():
    t5 = read(model_type="t5", d_kv=16)
    found = size(t5, tokens=3, source_tokens=50, sequences=2)

    assert found.total_bytes == 2 * 4 * (3 + 50) * 4 * 32 * 2
    assert found.bytes_per_next_token == 4 * 4 * 32 * 2
    with pytest.raises(InputError, match="attends to no source"):
        size(read(), source_tokens=5)


def test_llama_cpp_pads_and_shares_one_context():
    found = size(read(MIXED), tokens=1000, engine=Engine.LLAMA_CPP, slots=4, ubatch=100)
    by_kind = {row.kind: part.cells for row, part in found.sized.items()}

    assert by_kind == {PartKind.FULL: 1024, PartKind.SLIDING: 256}
    assert found.rows.policy.k_type.name == "float16"
    for question, said in (({"tp": 2}, "by layers"), ({"block_size": 16}, "not blocks")):
        with pytest.raises(InputError, match=said):
            size(read(), engine=Engine.LLAMA_CPP, **question)
    with pytest.raises(InputError, match=r"Slots are llama\.cpp's"):
        size(read(), slots=2)


def test_vllm_pages_of_layers_alike():
    rows = model_rows(read(), Policy(engine=Engine.VLLM))

    assert (rows.pages.block, rows.pages.block_bytes) == (16, 16 * ROW)
    assert size_cache(rows, Load(17, 3)).total_bytes == 3 * 32 * ROW


def test_vllm_groups_layers_and_keeps_a_block_more_for_a_window():
    found = size(read(MIXED), tokens=1024, engine=Engine.VLLM, batched_tokens=64)

    assert found.rows.pages.tables == 2
    full, sliding = 1024, (-(-(8 - 1 + 64) // 16) + 1) * 16
    assert found.total_bytes == (full + sliding) * ROW // 2


def test_vllm_pads_groups_of_unequal_size():
    uneven = read(model_type="gemma3_text", num_hidden_layers=8, head_dim=16, sliding_window=8)
    found = size(uneven, tokens=1024, engine=Engine.VLLM)

    assert found.rows.pages.tables == 1 + 7
    assert found.padding_bytes == 0
    even = read(MIXED, num_hidden_layers=5)  # 3 sliding and 2 full make groups of 2
    assert size(even, tokens=1024, engine=Engine.VLLM).padding_bytes > 0


def test_vllm_refuses_pages_that_cannot_be_of_one_size():
    odd = read(
        model_type="mimo_v2_flash", head_dim=24, v_head_dim=16, swa_num_key_value_heads=4,
        swa_head_dim=40, sliding_window=8, hybrid_layer_pattern=[0, 1, 1, 0],
    )  # fmt: skip
    with pytest.raises(InputError, match="vLLM needs pages of one size"):
        size(odd, engine=Engine.VLLM)


SIZES = st.integers(1, 64)
PARTS = st.one_of(
    st.builds(AttentionPart, st.builds(CachePart, SIZES, SIZES, SIZES)),
    st.builds(
        AttentionPart,
        st.builds(CachePart, SIZES, SIZES, SIZES),
        st.sampled_from([PartKind.SLIDING, PartKind.CHUNKED]),
        st.integers(1, 300),
    ),
    st.builds(LatentPart, SIZES, SIZES, st.builds(CachePart, SIZES, SIZES, SIZES), SIZES),
    st.builds(StatePart, st.just("any"), SIZES, SIZES, SIZES, SIZES, SIZES, SIZES),
    st.builds(CrossPart, st.builds(CachePart, SIZES, SIZES, SIZES)),
)
LAYERS = st.lists(
    st.builds(LayerParts, st.lists(PARTS, max_size=2).map(tuple)), min_size=1, max_size=6
)
LOADS = st.builds(Load, st.integers(1, 500), st.integers(1, 5), st.integers(0, 300))
POLICIES = st.builds(
    Policy,
    windows=st.sampled_from(Windows),
    mla=st.sampled_from(MlaLayout),
    block_size=st.sampled_from([None, 1, 16]),
    speculative=st.integers(0, 3),
)


def rows_of(layers, policy):
    return model_rows(ModelConfig("any", len(layers), tuple(layers)), policy)


@given(LAYERS, POLICIES, LOADS)
def test_the_parts_add_up_to_the_total(layers, policy, load):
    found = size_cache(rows_of(layers, policy), load)

    parts = [part for layer in found.layers for part in layer.parts]
    assert sum(part.total for part in parts) == found.per_gpu_bytes
    kinds = found.k_bytes + found.v_bytes + found.state_bytes + found.index_bytes
    assert kinds == found.total_bytes
    assert isinstance(found.total_bytes, int)


@given(LAYERS, POLICIES, LOADS, st.integers(1, 50))
def test_more_tokens_sequences_and_layers_never_take_less(layers, policy, load, more):
    rows = rows_of(layers, policy)
    now = rows.total_bytes(load)

    assert rows.total_bytes(replace(load, tokens=load.tokens + more)) >= now
    assert rows.total_bytes(replace(load, sequences=load.sequences * 3)) == 3 * now
    assert rows_of(layers * 2, policy).total_bytes(load) == 2 * now


@given(LAYERS, POLICIES, LOADS)
def test_wider_types_never_take_less(layers, policy, load):
    wide = replace(policy, k_type=FLOAT32, v_type=FLOAT32, conv_type=FLOAT32)

    assert rows_of(layers, wide).total_bytes(load) >= rows_of(layers, policy).total_bytes(load)


@given(LAYERS, POLICIES, LOADS)
def test_a_window_never_takes_more_than_the_full_length(layers, policy, load):
    full = replace(policy, windows=Windows.FULL)
    capped = replace(policy, windows=Windows.CAPPED)

    assert rows_of(layers, capped).total_bytes(load) <= rows_of(layers, full).total_bytes(load)


@given(LAYERS, POLICIES, LOADS)
def test_sharing_never_adds(layers, policy, load):
    shared = [*layers, LayerParts((), 0)]

    assert rows_of(shared, policy).total_bytes(load) == rows_of(layers, policy).total_bytes(load)


@given(LAYERS, POLICIES, LOADS, st.integers(0, 10**9))
def test_inverse_answers_fit_and_one_more_does_not(layers, policy, load, memory):
    rows = rows_of(layers, policy)
    assume(any(row.cell or row.state for row in rows.rows))
    found = capacity(rows, load, memory)

    for name, number in (("tokens", found.max_tokens), ("sequences", found.max_sequences)):
        if number is None:
            continue
        if number:
            assert rows.gpu_bytes(replace(load, **{name: number})) <= memory
        assert rows.gpu_bytes(replace(load, **{name: number + 1})) > memory


@given(st.integers(1, 5000), st.integers(1, 8), st.sampled_from([1, 8, 16]))
def test_full_attention_is_linear_in_blocks(tokens, sequences, block):
    rows = model_rows(plain_config(3, 2, 16), Policy(block_size=block))
    blocks = -(-tokens // block)

    assert rows.total_bytes(Load(tokens, sequences)) == sequences * blocks * block * 3 * 2 * 64
