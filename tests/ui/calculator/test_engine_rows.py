"""What one engine alone knows, in the load's rows and in the notes."""

import pytest
from chart_stand import put_up

from kvviz.sizing.policy import Engine, MambaCache
from kvviz.ui.calculator.load_part import LoadPart
from kvviz.ui.calculator.notes_part import sentence


@pytest.fixture
def desk(desk):
    """One that asks about a model with states and with attention."""
    desk.choose(desk.presets.find("Qwen3.5-27B"))
    return desk


@pytest.fixture
def load(qtbot, dressed, desk):
    return put_up(qtbot, LoadPart(desk, dressed), 310, 600)


def test_a_request_keeps_one_state_less_without_prefix_caching(load, desk):
    assert not load.mamba_row.isVisible()
    load.engine.chosen.emit(Engine.VLLM)
    kept = desk.calculator.answer.size.state_bytes
    load.mamba_cache.chosen.emit(MambaCache.NONE)

    assert load.mamba_row.isVisible()
    assert desk.calculator.answer.size.state_bytes == kept // 2
    load.engine.chosen.emit(Engine.EXACT)
    assert desk.sheet.question.mamba_cache is MambaCache.ALIGN


def test_slots_have_a_context_each(load, desk):
    assert not load.contexts_row.isVisible()
    load.engine.chosen.emit(Engine.LLAMA_CPP)
    desk.ask("tokens", 100)
    desk.ask("sequences", 3)
    shared = desk.calculator.answer.size.k_bytes
    load.kv_unified.chosen.emit(False)

    assert load.contexts_row.isVisible()
    assert 512 * desk.calculator.answer.size.k_bytes == 768 * shared
    load.engine.chosen.emit(Engine.EXACT)
    assert desk.sheet.question.kv_unified


def test_a_name_keeps_its_own_letters():
    assert sentence("vLLM: 4 block tables") == "vLLM: 4 block tables"
    assert sentence("llama.cpp: 3 slots") == "llama.cpp: 3 slots"
    assert sentence("weights bfloat16, 5 of them") == "Weights bfloat16, 5 of them"
