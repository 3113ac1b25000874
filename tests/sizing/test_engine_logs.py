"""Start-up lines of engines beside the golden ones, each with where it was published."""

import pytest
from configs import config

from kvviz.sizing.answer import ask
from kvviz.sizing.config import read_config
from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.policy import Engine, MambaCache, MlaLayout, Windows
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question

GIB, MIB = 2**30, 2**20
F16, FP8, Q8 = map(parse_element_type, ("f16", "fp8", "q8_0"))
LLAMA_CPP = {"engine": Engine.LLAMA_CPP, "k_type": F16, "v_type": F16}
GEMMA_4_31B = config(
    model_type="gemma4_text", num_hidden_layers=60, hidden_size=5376, num_attention_heads=32,
    num_key_value_heads=16, head_dim=256, global_head_dim=512, num_global_key_value_heads=4,
    attention_k_eq_v=True, sliding_window=1024, num_kv_shared_layers=0,
    layer_types=(["sliding_attention"] * 5 + ["full_attention"]) * 10,
)  # fmt: skip
NEMOTRON_NANO_9B = config(
    model_type="nemotron_h", num_hidden_layers=56, hidden_size=4480, num_attention_heads=40,
    num_key_value_heads=8, head_dim=128, mamba_num_heads=128, mamba_head_dim=80,
    ssm_state_size=128, n_groups=8, conv_kernel=4,
    hybrid_override_pattern="M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
)  # fmt: skip
FALCON_H1_1_5B = config(
    model_type="falcon_h1", num_hidden_layers=24, hidden_size=2048, num_attention_heads=8,
    num_key_value_heads=2, head_dim=128, mamba_d_ssm=3072, mamba_n_heads=48, mamba_d_head=64,
    mamba_d_state=256, mamba_n_groups=1, mamba_d_conv=4,
)  # fmt: skip
LAGUNA_XS = config(
    model_type="laguna", num_hidden_layers=40, num_attention_heads=48, num_key_value_heads=8,
    head_dim=128, sliding_window=512,
    layer_types=(["full_attention"] + ["sliding_attention"] * 3) * 10,
)  # fmt: skip
GEMMA_4_E4B = config(
    model_type="gemma4_text", num_hidden_layers=42, hidden_size=2560, num_attention_heads=8,
    num_key_value_heads=2, head_dim=256, global_head_dim=512, sliding_window=512,
    num_kv_shared_layers=18, layer_types=(["sliding_attention"] * 5 + ["full_attention"]) * 7,
)  # fmt: skip
MUSE_GLIMMER = {"model_type": "muse_glimmer", "text_config": {"model_type": "muse_glimmer_text"}}


def preset(name, **question):
    found = load_presets().by_name[name.lower()]
    return ask(found.read(), Question(**question))


def model(keys, **question):
    return ask(read_config(keys, "config.json"), Question(**question))


def vllm(name, memory, length, **others):
    return preset(
        name, engine=Engine.VLLM, cache_memory=int(memory * GIB), max_model_len=length, **others
    )


def test_vllm_0_20_with_a_hybrid_in_fp8():
    # a public log of RedHatAI/Qwen3.6-35B-A3B-NVFP4, the shape of Qwen3.5-35B-A3B, 2026-05-01:
    # attention block 2096, 2.95 GiB, 75,456 tokens, 3.87x for 65,536 tokens
    answer = vllm("Qwen3.5-35B-A3B", 2.95, 65_536, k_type=FP8, v_type=FP8)

    assert answer.size.rows.pages.block == 2096
    assert answer.capacity.older_log == 75_456
    assert answer.capacity.max_tokens / 65_536 == pytest.approx(3.87, abs=0.005)


def test_vllm_without_prefix_caching_keeps_one_state_a_request():
    # vllm-project/vllm#40691, v0.19.0, Qwen3.5-27B: 290,864 tokens, 33.04x for 32,768 tokens;
    # the memory is not in the log, and has to be that of 1,487 blocks for the two to go together
    question = {"mamba_cache": MambaCache.NONE}
    page = vllm("Qwen3.5-27B", 1, 32_768, **question).size.rows.pages.block_bytes
    answer = vllm("Qwen3.5-27B", 1487 * page / GIB, 32_768, **question)

    assert (answer.capacity.num_blocks, answer.capacity.older_log) == (1487, 290_864)
    assert answer.capacity.max_tokens / 32_768 == pytest.approx(33.04, abs=0.005)


def test_vllm_before_0_21_with_two_sizes_of_head():
    # alvarobartt/hf-mem#61, google/gemma-4-31B-it: 24.54 GiB, 26,800 tokens
    answer = model(GEMMA_4_31B, engine=Engine.VLLM, cache_memory=int(24.54 * GIB))

    assert answer.capacity.older_log == 26_800


@pytest.mark.parametrize(
    ("keys", "types", "block"),
    [
        # vllm-project/vllm#24280, NVIDIA-Nemotron-Nano-9B-v2: its config names no state dtype
        (NEMOTRON_NANO_9B, {}, 672),
        (NEMOTRON_NANO_9B, {"k_type": FP8, "v_type": FP8}, 1328),
    ],
)
def test_vllm_keeps_a_state_in_the_models_type_unless_told(keys, types, block):
    assert model(keys, engine=Engine.VLLM, **types).size.rows.pages.block == block


@pytest.mark.parametrize(
    ("name", "types", "block"),
    [
        ("Qwen3-Next-80B-A3B", {}, 544),  # vLLM's own log: 544 tokens, padded by 1.49 %
        ("Qwen3.5-35B-A3B", {}, 1056),  # a public log on ROCm, 2026-03-23
        ("Qwen3.5-35B-A3B", {"tp": 2}, 1056),
    ],
)
def test_vllms_blocks_of_a_hybrid(name, types, block):
    assert preset(name, engine=Engine.VLLM, **types).size.rows.pages.block == block


def test_vllm_rounds_blocks_of_latents_to_64_tokens():
    answer = preset("DeepSeek-V3", engine=Engine.VLLM, tokens=65)

    assert answer.size.rows.pages.block == 64
    assert answer.size.total_bytes == 61 * 128 * 576 * 2


@pytest.mark.parametrize(("ubatch", "sliding"), [(512, 18), (2048, 54)])
def test_llama_cpp_with_a_window(ubatch, sliding):
    # public logs of gpt-oss-20b on an M5: 3072.00 MiB, and 768 or 2304 cells of a window
    answer = preset("gpt-oss-20b", tokens=131_072, ubatch=ubatch, **LLAMA_CPP)

    assert answer.size.total_bytes == (3072 + sliding) * MIB


@pytest.mark.parametrize(
    ("keys", "parts"),
    [
        # 13 layers of 32,768 cells and 39 of 2,560
        (MUSE_GLIMMER, (416, 97.5)),
        # 42 blocks of which 18 read an earlier cache: 4 full and 20 with a window of 512
        (GEMMA_4_E4B, (512, 40)),
    ],
)
def test_llama_cpps_two_caches(keys, parts):
    answer = model(keys, tokens=32_768, **LLAMA_CPP)

    assert answer.size.total_bytes == sum(parts) * MIB


def test_llama_cpp_with_windows_switched_off():
    # --swa-full of gpt-oss-120b: 9216.00 MiB for 131,072 cells
    answer = preset("gpt-oss-120b", tokens=131_072, windows=Windows.FULL, **LLAMA_CPP)

    assert answer.size.total_bytes == 9216 * MIB


def test_llama_cpps_eight_contexts_of_expanded_heads():
    # deepseek-coder-v2-16b, 2048 cells, 27 layers, 8/8 seqs: K 2592.00, V 1728.00 MiB
    question = {"tokens": 2048, "sequences": 8, "kv_unified": False, "mla": MlaLayout.EXPANDED}
    size = preset("DeepSeek-Coder-V2-Lite-Instruct", **question, **LLAMA_CPP).size

    assert (size.k_bytes, size.v_bytes) == (2592 * MIB, 1728 * MIB)


@pytest.mark.parametrize(("kind", "expected"), [(F16, 1152), (Q8, 612)])
def test_llama_cpp_with_a_vision_models_text(kind, expected):
    # UI-Venus-1.5-8B, the shape of Qwen3-VL-8B, -c 8192 with -ctk and -ctv
    question = LLAMA_CPP | {"tokens": 8192, "k_type": kind, "v_type": kind}

    assert preset("Qwen3-VL-8B-Instruct", **question).size.total_bytes == expected * MIB


def test_llama_cpps_slots_with_a_context_each():
    # as its code has it: cells of each slot rounded up for itself, the window too
    question = {"tokens": 1000, "sequences": 3, "kv_unified": False, **LLAMA_CPP}
    answer = preset("gpt-oss-20b", **question)

    assert answer.size.total_bytes == 3 * (12 * 1024 + 12 * 768) * 2 * 8 * 64 * 2


def test_llama_cpp_keeps_every_token_of_a_window_that_it_does_not_know():
    answer = preset("Mistral-7B-v0.1", tokens=16_384, **LLAMA_CPP)

    assert answer.size.total_bytes == 2048 * MIB
    assert "windows full: llama.cpp keeps every token of mistral" in answer.assumptions


def test_llama_cpp_with_attention_and_a_state_in_each_layer():
    # GeniePod/genie-claw#410, Falcon-H1-1.5B: 768.00 MiB, R 0.98 + S 72.00 MiB
    answer = model(FALCON_H1_1_5B, tokens=32_768, **LLAMA_CPP)

    assert answer.size.k_bytes + answer.size.v_bytes == 768 * MIB
    assert answer.size.state_bytes / MIB == pytest.approx(72.98, abs=0.006)


def test_an_engine_without_windows():
    # ikawrakow/ik_llama.cpp#2310, Laguna XS-2.1 in q8_0: 2720.00 and 21760.00 MiB
    for tokens, expected in ((32_768, 2720), (262_144, 21_760)):
        answer = model(LAGUNA_XS, tokens=tokens, k_type=Q8, v_type=Q8, windows=Windows.FULL)
        assert answer.size.total_bytes == expected * MIB


def test_sglang_with_more_gpus_than_heads_would_like():
    # vllm-project/vllm#21348, Qwen3-235B-A22B-FP8 on 4 GPUs: 367,404 tokens, K size 8.23 GB (GiB)
    answer = preset("Qwen3-235B-A22B", tokens=367_404, tp=4)

    assert answer.size.k_bytes / GIB == pytest.approx(8.23, abs=0.006)


def test_a_cache_that_the_checkpoint_was_calibrated_for():
    scheme = {"num_bits": 8, "type": "float", "dynamic": False}
    calibrated = {"quantization_config": {"quant_method": "modelopt", "kv_cache_scheme": scheme}}
    answer = model(config(**calibrated), tokens=16)

    assert answer.policy.k_type is FP8
    assert "KV dtype float8_e4m3: as quantization_config says" in answer.assumptions
    assert model(config(**calibrated), tokens=16, engine=Engine.LLAMA_CPP).policy.k_type is F16
    other = {"quantization_config": {"kv_cache_quant_algo": "NVFP4"}}
    assert "is not known: give the KV dtype" in model(config(**other), tokens=16).warnings[0]


def test_vllm_does_not_keep_float32():
    keys = config(torch_dtype="float32")

    assert model(keys, tokens=16, engine=Engine.VLLM).policy.k_type.name == "bfloat16"
    assert model(keys, tokens=16).policy.k_type.name == "float32"
    unknown = model(config(torch_dtype="int9"), tokens=16)
    assert "KV dtype bfloat16: 'int9' is no type of a cache" in unknown.assumptions
