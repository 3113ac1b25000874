import pytest

from kvviz.session.calculator.heads import heads_bars, heads_ways, with_kv_heads
from kvviz.session.calculator.model import tutorial_model
from kvviz.sizing.policy import Load, Policy
from kvviz.sizing.presets import load_presets


def bars(name, **load):
    return heads_bars(heads_ways(load_presets().find(name).read(), Policy()), Load(**load))


def test_mha_is_as_many_times_larger_as_heads_share():
    mha, gqa, mqa = bars("Meta-Llama-3.1-8B")
    assert [bar.own for bar in (mha, gqa, mqa)] == [False, True, False]
    assert mha.total == 4 * gqa.total == 32 * mqa.total
    assert mha.name == "MHA, 32 KV heads"


def test_what_coincides_is_there_once_and_groups_are_shown_where_they_divide():
    found = heads_bars(heads_ways(tutorial_model().config, Policy()), Load())
    assert [bar.name for bar in found] == ["MHA, 32 KV heads", "GQA, 8", "MQA, 1"]
    assert found[0].total == 4 * found[1].total == 32 * found[2].total
    assert [bar.name for bar in bars("starcoder")] == ["MHA, 48 KV heads", "GQA, 8", "MQA, 1"]
    assert [bar.name for bar in bars("gpt2-xl")] == ["MHA, 25 KV heads", "MQA, 1"]


def test_a_latent_is_compared_with_its_heads():
    mha, *rest = bars("DeepSeek-V3")
    assert mha.name == "MHA, 128 KV heads"
    own = next(bar for bar in rest if bar.own)
    assert own.name == "MLA, one latent"
    assert mha.total == 4096 * 61 * 128 * (192 + 128) * 2
    assert own.total == 4096 * 61 * 576 * 2


@pytest.mark.parametrize("name", ["falcon-mamba-7b", "whisper-base"])
def test_no_bars_without_known_query_heads(name):
    assert bars(name) == []


def test_states_are_not_touched():
    config = load_presets().find("Qwen3.5-27B").read()
    changed = with_kv_heads(config, 1)
    states = [layer.parts for layer in config.layers if layer.attention is None]
    assert [layer.parts for layer in changed.layers if layer.attention is None] == states
