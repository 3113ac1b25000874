"""Lines that engines print when they load a model, as published by those who run them."""

import pytest

from kvviz.sizing.answer import ask
from kvviz.sizing.config import read_config
from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.policy import Engine
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question

GIB, MIB = 2**30, 2**20


def plain(layers, kv_heads, width, model_type="llama", **others):
    """A config of which only the cache's shape is given."""
    return {
        "model_type": model_type, "num_hidden_layers": layers, "num_attention_heads": 32,
        "num_key_value_heads": kv_heads, "head_dim": width, "hidden_size": 32 * width,
    } | others  # fmt: skip


def qwen3_5(layers, values):
    """A Qwen3.5 with attention in each fourth layer."""
    return plain(
        layers, 4, 256, "qwen3_5_text", linear_num_key_heads=16, linear_num_value_heads=values,
        linear_key_head_dim=128, linear_value_head_dim=128, linear_conv_kernel_dim=4,
    )  # fmt: skip


MODELS = {
    "LLaMA-13B": plain(40, 40, 128, num_attention_heads=40),
    "Llama-3.1-405B, first release": plain(126, 16, 128, num_attention_heads=128),
    "Llama-3.2-1B": plain(16, 8, 64),
    "Llama-3.2-3B": plain(28, 8, 128, num_attention_heads=24),
    "Mistral-7B-v0.2": plain(32, 8, 128, "mistral", sliding_window=None),
    "OLMoE-1B-7B": plain(16, 16, 128, "olmoe", num_attention_heads=16),
    "Phi-3-mini-4k": plain(32, 32, 96, "phi3", sliding_window=None),
    "Qwen2.5-3B": plain(36, 2, 128, "qwen2", num_attention_heads=16),
    "Qwen3-14B": plain(40, 8, 128, "qwen3", num_attention_heads=40),
    "Qwen3.5-9B": qwen3_5(32, 32),
    "SmolLM2-1.7B": plain(24, 32, 64),
    "GLM-4.7-Flash": plain(
        47, 20, 64, "glm4_moe_lite", kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=192,
        v_head_dim=256, num_attention_heads=20,
    ),
}  # fmt: skip


def answer(name, tokens, types=("f16", "f16"), **question):
    k_type, v_type = map(parse_element_type, types)
    config = MODELS.get(name)
    found = load_presets().find(name).read() if config is None else read_config(config, name)
    return ask(found, Question(tokens=tokens, k_type=k_type, v_type=v_type, **question))


F16 = ("f16", "f16")


@pytest.mark.parametrize(
    ("name", "tokens", "types", "mib"),
    [
        # "kv self size  =  400.00 MB", a guide to llama.cpp, build 623
        ("LLaMA-13B", 512, F16, 400),
        # "llama_kv_cache_unified: size =": logs of llama-cpp-python and of node bindings on CPUs
        ("Llama-3.2-1B", 1024, F16, 32),
        ("Qwen3-0.6B", 1024, F16, 112),
        ("SmolLM2-1.7B", 1024, F16, 192),
        # WASI-NN's llama.cpp, 2025-07-09
        ("Llama-3.2-1B", 4096, F16, 128),
        # two machines over RPC: 656.00 and 624.00 MiB
        ("Meta-Llama-3.1-70B", 4096, F16, 1280),
        ("Phi-3-mini-4k", 4096, F16, 1536),
        # "llama_context_kv_self: KV self size  =  640.00 MiB", llama.cpp's own CI
        ("phi-2", 2048, F16, 640),
        # LM Studio's log of DeepSeek-R1-0528-Qwen3-8B, 2025-07-22
        ("Qwen3-8B", 131_072, F16, 18_432),
        # llama.cpp's docs of its Hexagon backend: 238.00 + 306.00 MiB
        ("OLMoE-1B-7B", 8192, ("q8_0", "q8_0"), 544),
        # fedora-copr/logdetective#106
        ("Mistral-7B-v0.2", 2048, F16, 256),
        ("Mistral-7B-v0.2", 32_768, F16, 4096),
        # a report of K alone quantized, llama.cpp b8247
        ("Llama-3.2-3B", 4096, F16, 448),
        ("Llama-3.2-3B", 4096, ("q8_0", "f16"), 343),
        ("Llama-3.2-3B", 4096, ("q4_0", "f16"), 287),
        ("Llama-3.2-3B", 4096, ("q4_1", "f16"), 294),
        # one person's models under Ollama
        ("Qwen2.5-3B", 16_384, F16, 576),
        ("Qwen3-14B", 16_384, F16, 2560),
        ("Qwen3-8B", 40_960, F16, 5760),
    ],
)
def test_llama_cpp(name, tokens, types, mib):
    assert answer(name, tokens, types, engine=Engine.LLAMA_CPP).size.total_bytes == mib * MIB


@pytest.mark.parametrize(
    ("name", "tokens", "types", "slots", "kv_mib", "state_mib"),
    [
        # ("8 layers, 1/1 seqs"), f16 and q4_0 on Vulkan; the state is "a flat 50 MiB"
        ("Qwen3.5-9B", 131_072, F16, 1, 4096, 50.25),
        ("Qwen3.5-9B", 131_072, ("q4_0", "q4_0"), 1, 1152, 50.25),
        ("Qwen3.5-9B", 262_144, ("q8_0", "q8_0"), 1, 4352, 50.25),
        # "135168 cells, 8 layers, 4/1 seqs", R 9.00 + S 192.00
        ("Qwen3.5-9B", 135_168, F16, 4, 4224, 201),
        # 10 of 40 layers: "size = 640.00 MiB ( 32768 cells"; R 11.25 + S 240.00 for four slots
        ("Qwen3.6-35B-A3B", 32_768, F16, 4, 640, 251.25),
        ("Qwen3.6-35B-A3B", 65_536, F16, 2, 1280, 125.625),
        # lmstudio-ai/lmstudio-bug-tracker#1862
        ("Qwen3.6-27B", 262_144, F16, 4, 16_384, 598.5),
        ("Qwen3.6-27B", 24_576, F16, 1, 1536, 149.625),
        ("Qwen3.6-27B", 32_768, ("q8_0", "q8_0"), 1, 1088, 149.625),
    ],
)
def test_llama_cpp_with_states(name, tokens, types, slots, kv_mib, state_mib):
    size = answer(name, tokens, types, engine=Engine.LLAMA_CPP, slots=slots).size

    assert size.k_bytes + size.v_bytes == kv_mib * MIB
    assert size.state_bytes == state_mib * MIB


@pytest.mark.parametrize(("drafted", "mib"), [(2, 448.875), (6, 1047.375)])
def test_llama_cpp_keeps_a_state_more_for_each_drafted_token(drafted, mib):
    # Qwen3.8 27B, which is built as 3.6: "448.88 MiB (1 seqs 2 rs_seq)"; "1047.38 MiB (1 cells)"
    question = {"engine": Engine.LLAMA_CPP, "speculative": drafted, "slots": 1}
    assert answer("Qwen3.6-27B", 32_768, **question).size.state_bytes == mib * MIB


@pytest.mark.parametrize(
    ("name", "tokens", "types", "gib"),
    [
        # "KV Cache is allocated. #tokens: 383872, KV size: 19.36 GB", two NPUs
        ("GLM-4.7-Flash", 383_872, ("bf16", "bf16"), 19.36),
        # "#tokens: 524288, KV size: 17.16 GB", DeepseekV3ForCausalLM
        ("DeepSeek-V3", 524_288, ("fp8", "fp8"), 17.16),
        # huggingface/blog#2345: 405B came with 16 KV heads at first
        ("Llama-3.1-405B, first release", 128_000, F16, 123.05),
    ],
)
def test_sglang_and_a_table(name, tokens, types, gib):
    assert answer(name, tokens, types).size.total_bytes / GIB == pytest.approx(gib, abs=0.006)


@pytest.mark.parametrize(
    ("memory", "tokens", "times"), [(5.98, 567_978, 4.33), (6.01, 569_878, 4.35)]
)
def test_vllm_0_24_with_a_hybrid_in_fp8(memory, tokens, times):
    # noonghunna/club-3090#612 and #652: Qwen3.6-35B-A3B, 131,072 tokens a request
    found = answer(
        "Qwen3.6-35B-A3B", 1, ("fp8", "fp8"), engine=Engine.VLLM, max_model_len=131_072,
        cache_memory=int(memory * GIB),
    )  # fmt: skip

    assert found.capacity.max_tokens == tokens
    assert found.capacity.max_tokens / 131_072 == pytest.approx(times, abs=0.005)
