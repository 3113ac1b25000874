"""The figures that engines print and papers publish, each by the policy its test names."""

import pytest
from golden import EXACT, allocated, by_vllm, load_figures, load_models

from kvviz.sizing.config import read_config
from kvviz.sizing.element_types import BFLOAT16, FLOAT32, parse_element_type
from kvviz.sizing.parts import PartKind
from kvviz.sizing.policy import Engine


def figures(*methods, differing=False, of=lambda golden: True):
    found = load_figures(*methods)
    found = [g for g in found if ("why_differs" in g.entry) == differing and of(g)]
    return pytest.mark.parametrize("golden", found, ids=[g.entry["id"] for g in found])


def is_printed_apart(golden):
    whole = not golden.check.get("select") and golden.check.get("mla") != "split"
    return whole and "k" in golden.expected


def of_kind(answer, kind):
    parts = (part for layer in answer.size.layers for part in layer.parts)
    return sum(part.total for part in parts if part.row.kind == kind)


def test_every_golden_config_can_be_read():
    for name, config in load_models().items():
        assert read_config(config, name).num_layers == len(read_config(config, name).layers)


def test_all_exact_figures_are_tried():
    methods = ("alloc", "recurrent", "cross", "ds_mla_fp8", "tokens_from_memory")
    tried = load_figures(*methods, "vllm_hybrid", "vllm_unified_block")
    assert sum(golden.entry["geometry"] in EXACT for golden in tried) == 34


@figures("alloc")
def test_what_an_engine_allocates(golden):
    answer = allocated(golden)
    part = golden.check.get("part")
    select = golden.check.get("select")

    if part == "k":
        assert golden.matches(answer.size.k_bytes)
    elif select:
        assert golden.matches(of_kind(answer, select))
    else:
        assert golden.matches(answer.size.per_gpu_bytes)


@figures("alloc", of=is_printed_apart)
def test_keys_and_values_apart(golden):
    answer = allocated(golden)

    assert golden.matches(answer.size.k_bytes, "k")
    assert golden.matches(answer.size.v_bytes, "v")


def test_a_latent_printed_in_two():
    [golden] = [g for g in load_figures("alloc") if g.check.get("mla") == "split"]
    layers, cells = golden.model().layers, golden.check["cells"]

    assert golden.matches(sum(cells * layer.parts[0].rope * 2 for layer in layers), "k")
    assert golden.matches(sum(cells * layer.parts[0].latent * 2 for layer in layers), "v")


@pytest.mark.parametrize(
    "golden", [g for g in load_figures("alloc") if g.check.get("cells_rule")], ids=["gemma4-e4b"]
)
def test_llama_cpps_cells_of_a_window(golden):
    rule = golden.check["cells_rule"]
    q8 = parse_element_type("q8_0")
    answer = golden.ask(
        tokens=rule["n_ctx"], engine=Engine.LLAMA_CPP, slots=rule["slots"], ubatch=rule["ubatch"],
        k_type=q8, v_type=q8,
    )  # fmt: skip

    assert golden.matches(of_kind(answer, PartKind.SLIDING))


def test_llama_cpps_cells_grow_with_slots_and_batch():
    [golden] = [g for g in load_figures("alloc") if g.entry["id"] == "lc-gemma4-12b-swa-f16-6144"]
    answer = golden.ask(tokens=8192, engine=Engine.LLAMA_CPP, slots=4, ubatch=2048)

    assert golden.matches(of_kind(answer, PartKind.SLIDING))
    assert of_kind(answer, PartKind.FULL) == 128 * 2**20


@figures("recurrent", of=lambda golden: golden.entry["geometry"] != "fitted")
def test_recurrent_states(golden):
    states_alone = golden.check.get("part") == "state"
    engine = Engine.EXACT if states_alone else Engine.LLAMA_CPP
    answer = golden.ask(sequences=golden.check["seqs"], engine=engine, state_type=FLOAT32)

    assert golden.matches(answer.size.state_bytes)


def test_drafts_multiply_the_state():
    [golden] = [g for g in load_figures("recurrent") if g.entry["id"] == "lc-qwen35-27b-state-7"]
    answer = golden.ask(engine=Engine.LLAMA_CPP, speculative=6)

    assert golden.matches(answer.size.state_bytes)


@figures("cross")
def test_whispers_two_caches(golden):
    answer = golden.ask(
        tokens=448, engine=Engine.LLAMA_CPP
    )  # whisper.cpp rounds up in the same way
    kind = PartKind.CROSS if golden.check["cells"] == 1536 else PartKind.FULL

    assert golden.matches(of_kind(answer, kind))


@figures("ds_mla_fp8")
@pytest.mark.parametrize("name", ["fp8", "fp8_ds_mla"])
def test_deepseeks_fp8_layout_with_its_indexer(golden, name):
    kind = parse_element_type(name)
    answer = golden.ask(tokens=golden.check["cells"], k_type=kind, v_type=kind)

    assert golden.matches(answer.size.total_bytes)


@figures("tokens_from_memory")
def test_vllms_capacity_from_the_memory_in_its_log(golden):
    found = by_vllm(golden).capacity
    number = found.num_blocks if golden.expected["unit"] == "blocks" else found.max_tokens

    assert abs(number - golden.expected["value"]) <= golden.expected["tol_abs"]


@figures("tokens_from_memory", differing=True)
def test_a_figure_that_honest_arithmetic_misses(golden):
    found = by_vllm(golden).capacity

    assert "smallest worker decides" in golden.entry["why_differs"]
    assert found.max_tokens > golden.expected["value"] * 1.1


@figures("vllm_hybrid")
def test_vllms_capacity_of_a_hybrid(golden):
    answer = by_vllm(golden)

    assert (answer.size.rows.pages.block, answer.capacity.num_blocks) == (1600, 205)
    assert answer.capacity.max_tokens == golden.expected["value"]


@figures("vllm_unified_block")
def test_vllms_block_of_a_hybrid(golden):
    answer = golden.ask(k_type=BFLOAT16, v_type=BFLOAT16, engine=Engine.VLLM)

    assert answer.size.rows.pages.block == golden.expected["value"]
