"""The two sides of a comparison must do the same work, or the ratio says nothing."""

from dataclasses import replace

import pytest
import torch

from kvviz.bench import decode, transformers_generate
from kvviz.bench.tutorial import tutorial_generate
from kvviz.bench.written import PROMPT_TOKENS, written_trace
from kvviz.engine.load import load_model
from kvviz.sizing.dtypes import DType
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSpec, RunConfig, TokenizerKind


def config(shape, prompt=12, new=200):
    return RunConfig(
        model=ModelSpec(shape),
        prompt_ids=tuple(range(1, prompt + 1)),
        tokenizer=TokenizerKind.IDS,
        max_new_tokens=new,
        max_seq_len=prompt + new,
    )


def test_both_decode_loops_can_go_on_and_tell_a_speed():
    run = config(ModelShape())
    model = load_model(run.model, DType.FLOAT32, torch.device("cpu"))
    for loop in (decode.our_loop(run, model), decode.tutorial_loop(run, model)):
        assert loop(3) > 0
        assert loop(2) > 0


def test_the_tutorial_runs_on_our_weights_and_says_the_same():
    run = config(ModelShape(), new=8)
    model = load_model(run.model, DType.FLOAT32, torch.device("cpu"))
    tutorial = decode.TinyCausalLM().eval()
    tutorial.load_state_dict(model.state_dict())
    _, tokens = transformers_generate.our_run(run, model)()
    assert tutorial_generate(tutorial, list(run.prompt_ids), 8)[12:] == tokens


def test_transformers_runs_on_our_weights_and_says_the_same(monkeypatch):
    pytest.importorskip("transformers")
    monkeypatch.setattr(transformers_generate, "NEW_TOKENS", 8)
    run = replace(config(transformers_generate.SHAPE, 64, 8))
    model = load_model(run.model, DType.FLOAT32, torch.device("cpu"))
    _, ours = transformers_generate.our_run(run, model)()
    _, theirs = transformers_generate.their_run(run, transformers_generate.starcoder2(model))()
    assert ours == theirs


def test_without_transformers_ours_is_still_measured(monkeypatch):
    monkeypatch.setattr(transformers_generate.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(transformers_generate, "ROUNDS", 1)
    found = transformers_generate.generate_speeds()
    assert found.value > 0
    assert (found.ratio, found.reason) == (None, transformers_generate.NOT_INSTALLED)


def test_a_written_trace_has_the_rows_asked_for():
    trace = written_trace(40, ModelShape(1, 2, 1, 8))
    assert (trace.seq_len, len(trace)) == (40, 40 - PROMPT_TOKENS + 1)
    assert trace.steps[-1].score_cells == 40
    assert trace.steps[0].score_cells == PROMPT_TOKENS * (PROMPT_TOKENS + 1) // 2
