"""The whole answer: memory shared out, what fits, what was assumed and said."""

import json

import pytest
from configs import config, read

from kvviz.sizing.answer import ask
from kvviz.sizing.answer_report import answer_report
from kvviz.sizing.answer_words import answer_lines, markdown
from kvviz.sizing.config import plain_config
from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.errors import InputError
from kvviz.sizing.hardware import GPUS, find_hardware
from kvviz.sizing.policy import Engine, MambaCache, MlaLayout, Windows
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question
from kvviz.sizing.roofline import windowed_cells
from kvviz.sizing.stored_weights import stored_weights
from kvviz.sizing.weights_index import read_weight_bytes

TOKEN = 4 * 2 * 32 * 2


def test_weights_and_allowance_come_off_the_memory():
    answer = ask(read(), Question(tokens=10, memory=10**6, parameters=100_000))

    assert answer.weights == 200_000
    assert (answer.budget.allowance, answer.budget.cache) == (100_000, 700_000)
    assert answer.capacity.max_tokens == 700_000 // TOKEN
    assert answer.capacity.max_sequences == 700_000 // (10 * TOKEN)
    assert answer.budget.larger(answer.size.per_gpu_bytes) == "model"
    typed = ask(read(), Question(memory=10**6, parameters=100_000, allowance=0, tp=2))
    assert (typed.weights, typed.budget.cache) == (100_000, 900_000)


def test_memory_for_the_cache_alone():
    answer = ask(read(), Question(tokens=10, cache_memory=100 * TOKEN + 1, block_size=16))

    assert answer.capacity.max_tokens == 96
    assert (answer.capacity.num_blocks, answer.capacity.max_sequences) == (6, 6)
    assert answer.weights is None


def test_weights_that_fill_the_memory_leave_nothing():
    answer = ask(read(), Question(memory=10**5, parameters=100_000))

    assert (answer.capacity.max_tokens, answer.capacity.max_sequences) == (0, 0)
    assert any("nothing is left" in warning for warning in answer.warnings)


def test_what_never_grows_has_no_longest_context():
    mamba = read(model_type="mamba", num_attention_heads=..., intermediate_size=96)

    assert ask(mamba, Question(cache_memory=10**9)).capacity.max_tokens is None


def test_memory_needs_weights_whose_size_is_known():
    packed = read(quantization_config={"quant_method": "gptq"})

    with pytest.raises(InputError, match="size of the weights is not known"):
        ask(read(), Question(memory=10**9))
    with pytest.raises(InputError, match="packed in a way that is not known"):
        ask(packed, Question(memory=10**9, parameters=10**6))
    four = parse_element_type("int4:128")
    typed = Question(memory=10**9, parameters=10**6, weights_type=four)
    assert ask(packed, typed).weights == 515_625
    assert ask(packed, Question(weight_bytes=4321, tp=2)).weights == 2161
    with pytest.raises(InputError, match="two limits"):
        ask(read(), Question(memory=1, cache_memory=1))


def test_what_was_not_said_is_listed():
    answer = ask(read(), Question())

    assert "KV dtype bfloat16: the model's own" in answer.assumptions
    assert "tokens 4,096: none were given" in answer.assumptions
    silent = ask(read(torch_dtype=...), Question(engine=Engine.LLAMA_CPP))
    assert "KV dtype float16: llama.cpp's own" in silent.assumptions
    assert ask(read(max_position_embeddings=100), Question()).load.tokens == 100


def test_what_a_reader_should_know_is_said():
    long = ask(read(max_position_embeddings=100), Question(tokens=101))
    assert "101 tokens are beyond the model's 100 positions" in long.warnings
    mla = read(
        model_type="deepseek_v3", kv_lora_rank=128, qk_rope_head_dim=32, qk_nope_head_dim=16,
        v_head_dim=24,
    )  # fmt: skip
    types = Question(k_type=parse_element_type("q8_0"), v_type=parse_element_type("f16"), tp=2)
    said = " ".join(ask(mla, types).warnings)
    assert "the V dtype is not used" in said
    assert "kept whole on every GPU" in said


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"ubatch": 64}, "ubatch changes nothing: it is llama.cpp's, and the engine is exact"),
        ({"kv_unified": False, "engine": Engine.VLLM}, "a context for each slot changes nothing"),
        ({"batched_tokens": 64}, "the tokens of one step changes nothing: it is vLLM's"),
        ({"mamba_cache": MambaCache.NONE}, "the mamba cache mode changes nothing"),
        ({"windows": Windows.FULL}, "windows full changes nothing: no layer has a window"),
        ({"mla": MlaLayout.EXPANDED}, "MLA expanded changes nothing: no layer keeps a latent"),
        ({"state_type": parse_element_type("f16")}, "the state dtype changes nothing"),
        ({"max_model_len": 10, "tokens": 11}, "11 tokens are more than the longest request"),
        ({"cache_memory": 24}, "the cache memory is 24 bytes: a unit may be missing"),
    ],
)
def test_a_choice_made_in_vain_is_said(choice, said):
    [warning] = (w for w in ask(read(), Question(**choice)).warnings if said in w)

    assert warning.startswith(said)
    assert said not in " ".join(ask(read(), Question()).warnings)


def test_llama_cpps_own_type_of_windows_is_said_where_it_is_another():
    kept = [
        ask(
            load_presets().find("gemma-3-27b-it").read(),
            Question(engine=Engine.LLAMA_CPP, k_type=k),
        )
        for k in (None, parse_element_type("q8_0"))
    ]

    assert ["in f16 whatever" in " ".join(answer.warnings) for answer in kept] == [False, True]


def test_the_report_is_plain_and_whole():
    hybrid = config(
        model_type="gemma4_text", num_hidden_layers=4, head_dim=16, global_head_dim=32,
        sliding_window=8, num_kv_shared_layers=1,
        layer_types=["sliding_attention", "full_attention"] * 2,
    )  # fmt: skip
    found = answer_report(ask(read(hybrid), Question(tokens=10, sequences=2, tp=2)))

    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["total_bytes"] == 2 * found["per_gpu_bytes"] == 2 * found["per_sequence_bytes"]
    assert found["layers"][3] == {"parts": [], "shares_with": 1}
    [part] = found["layers"][0]["parts"]
    assert part == {
        "kind": "sliding", "kv_heads": 1, "k_width": 16, "v_width": 16, "window": 8,
        "k_bytes": 2 * 8 * 32, "v_bytes": 2 * 8 * 32, "index_bytes": 0, "state_bytes": 0,
    }  # fmt: skip
    total = found["k_bytes"] + found["v_bytes"] + found["state_bytes"] + found["index_bytes"]
    assert total == found["per_gpu_bytes"]
    assert found["bytes_per_token"] == found["total_bytes"] / 20
    assert (found["max_tokens"], found["num_blocks"], found["work"]) == (None, None, None)


def test_the_formula_has_the_numbers_put_in():
    [line, total] = ask(plain_config(32, 32, 128), Question()).formula

    assert "32 x 4,096 cells x (32 KV heads x (128 K + 128 V) x 16 bit = 16,384 B)" in line
    assert total == "total = 2,147,483,648 B (2.00 GiB)"


def test_markdown_has_the_figures_the_formula_and_what_was_assumed():
    answer = ask(read(), Question(sequences=2, tp=2, cache_memory=10**8))
    text = markdown(answer, "a model")

    assert "| total |" in text
    assert "| longest context, 2 sequences |" in text
    assert "| most sequences at 4,096 tokens |" in text
    assert "- 4 layers full: 4 x 8,192 cells" in text
    assert "- head_dim 16" in text
    assert [line.name for line in answer_lines(answer)][:3] == [
        "total", "one sequence", "each of 2 GPUs",
    ]  # fmt: skip


def test_one_of_a_thing_is_no_plural_in_any_line():
    answer = ask(plain_config(1, 1, 8), Question(tokens=1, cache_memory=2 * 8 * 2))
    text = markdown(answer, "a model")

    assert "1 sequence of 1 token, " in text
    assert "| longest context | 1 token |" in text
    assert "| most sequences at 1 token | 1 sequence |" in text
    assert "1 layer full: 1 x 1 cell x (1 KV head x" in text
    translator = ask(read(model_type="t5", d_kv=16), Question(tokens=1))
    assert "source 1 token: as many as are generated" in translator.assumptions


def test_least_times_on_hardware():
    gpu = find_hardware("h100-sxm")
    short = ask(read(), Question(tokens=100, active=10**6, hardware=gpu)).roofline
    long = ask(read(), Question(tokens=10_000, active=10**6, hardware=gpu)).roofline

    cache = 100 * TOKEN
    assert short.decode.moved == 2 * 10**6 + cache + TOKEN
    assert short.decode.flops == 2 * 10**6 + 4 * 4 * 2 * (16 + 16) * 101
    assert long.decode.seconds(gpu, 1) > short.decode.seconds(gpu, 1)
    head, pairs = 100 * 64, 100 * 101 // 2
    assert short.prefill.flops == 2 * (10**8 - 99 * head) + 4 * 4 * 2 * (16 + 16) * pairs
    with pytest.raises(InputError, match="work of this model is not known"):
        ask(read(), Question(hardware=gpu))
    with pytest.raises(InputError, match="'abacus' is not known: choose one of RTX 3090, RTX 4090"):
        find_hardware("abacus")


def test_gpus_are_found_however_they_are_spaced_and_say_where_they_are_from():
    assert find_hardware(" A100-80GB").name == find_hardware("a100 80 gb").name == "A100 80 GB"
    assert all("sheet" in gpu.source or "whitepaper" in gpu.source for gpu in GPUS)


@pytest.mark.parametrize("before", [0, 3, 5, 8, 20])
@pytest.mark.parametrize("fed", [1, 4, 30])
def test_scores_within_a_window_are_counted_one_by_one(before, fed):
    rows = (min(before + row + 1, 8) for row in range(fed))

    assert windowed_cells(before, fed, 8) == sum(rows)


def test_weights_from_an_index(tmp_path):
    path = tmp_path / "model.safetensors.index.json"
    path.write_text('{"metadata": {"total_size": 16060522496}, "weight_map": {}}')
    assert read_weight_bytes(str(path)) == 16_060_522_496
    path.write_text('{"metadata": {"total_size": 4096.0}}')
    assert read_weight_bytes(str(path)) == 4096
    for content in ("{}", '{"metadata": {"total_size": true}}', '{"metadata": {"total_size": 0}}'):
        path.write_text(content)
        with pytest.raises(InputError, match="metadata has no total_size"):
            read_weight_bytes(str(path))


@pytest.mark.parametrize(
    ("name", "total"), [("gpt-oss-20b", 13_761_264_768), ("gpt-oss-120b", 65_248_815_744)]
)
def test_experts_packed_in_mxfp4_take_what_their_checkpoints_do(name, total):
    # metadata.total_size of openai's own model.safetensors.index.json
    preset = load_presets().find(name)
    found = stored_weights(preset.config, preset.read(), name)

    assert found.every == total
    assert 0 < found.active < total
    assert stored_weights(config(), read(), "config.json") is None


def test_no_least_time_is_told_of_weights_packed_in_an_unknown_way():
    packed = read(quantization_config={"quant_method": "awq"})
    gpu = find_hardware("L4")

    with pytest.raises(InputError, match=r"packed \(awq\), and their bytes are not known"):
        ask(packed, Question(active=10**6, hardware=gpu))
    found = ask(packed, Question(active=10**6, active_bytes=600_000, hardware=gpu)).roofline
    assert found.decode.moved == 600_000 + 4096 * TOKEN + TOKEN
