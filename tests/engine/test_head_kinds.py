from dataclasses import replace

import numpy as np
import pytest
import torch
from engine_runs import config_of, model_of, shape_of
from runner_stand import WAIT_S, Gate, Inbox, handled, kinds, running

from kvviz.engine.head_kinds import NOISE_TOKENS, HeadProbe, measure_heads
from kvviz.engine.recorder import Cancelled
from kvviz.sizing.dtypes import DType
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelSource
from kvviz.trace.head_kinds import HeadKind, HeadScores
from kvviz.trace.messages import HeadsMeasured, ModelLoaded, RunFinished, RunStarted, StartRun

TOKENS = 1 + 2 * NOISE_TOKENS


class Pointing:
    """A model whose every head looks at one place: the query names a position, the key is one."""

    def __init__(self, **fields):
        self.shape = ModelShape(1, 4, 2, TOKENS, 200, score_scale=1.0, **fields)
        self.fed = None

    def parameters(self):
        return iter([torch.zeros(1)])

    def __call__(self, input_ids, past_kv, watch):
        self.fed = input_ids[0].tolist()
        row = torch.arange(TOKENS)
        k = torch.eye(TOKENS).expand(1, 2, -1, -1)
        at = [row - 1, row - NOISE_TOKENS + 1, torch.zeros_like(row), None]
        q = torch.zeros(1, 4, TOKENS, TOKENS)
        for head, place in enumerate(at):
            if place is not None:
                q[0, head, row, place.clamp(min=0)] = 50.0
        watch(0, q, k, k, q)


def test_a_head_is_measured_by_where_it_looks():
    model = Pointing()
    scores = measure_heads(model, 7)
    assert scores.previous[0, 0] == pytest.approx(1)
    assert scores.induction[0, 1] == pytest.approx(1)
    assert scores.sink[0, 2] == pytest.approx(1)
    rows = np.arange(2, TOKENS)
    assert scores.previous[0, 3] == pytest.approx((1 / (rows + 1)).mean())
    assert scores.previous[0, 2] == pytest.approx(0, abs=1e-6)
    assert [scores.kind(0, head) for head in range(4)] == [
        HeadKind.PREVIOUS,
        HeadKind.INDUCTION,
        HeadKind.SINK,
        None,
    ]
    assert scores.num_tokens == TOKENS
    assert not scores.previous.flags.writeable


def test_the_same_noise_comes_twice_behind_the_start_token():
    model = Pointing()
    measure_heads(model, 7, (3, 4))
    start, *noise = model.fed
    assert start == 7
    assert noise[:NOISE_TOKENS] == noise[NOISE_TOKENS:]
    assert len(set(noise)) == NOISE_TOKENS
    assert not {3, 4, 7} & set(noise)


def test_a_cap_flattens_what_was_sharp():
    assert measure_heads(Pointing(score_cap=0.001), 7).previous[0, 0] < 0.1


def test_a_window_hides_what_lies_beyond_it():
    scores = measure_heads(Pointing(windows=(8,)), 7)
    assert scores.previous[0, 0] == pytest.approx(1)
    assert scores.induction[0, 1] == 0


def test_scores_are_what_the_models_own_attention_gives():
    model = model_of(shape_of(2, Positions.ROPE))
    scores = measure_heads(model, 1)
    assert scores.previous.shape == (2, 4)
    assert scores.sink.min() > 0
    assert scores.sink.max() < 1


def test_a_short_context_is_kept():
    model = model_of(replace(shape_of(positions=Positions.LEARNED), context=11))
    assert measure_heads(model, 1).num_tokens == 11


def test_the_strongest_head_of_a_kind():
    low, high = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    high[0, 2], high[1, 1] = 0.75, 0.9
    scores = HeadScores(low, high, low, TOKENS)
    assert scores.strongest(HeadKind.INDUCTION) == (1, 1)
    assert scores.strongest(HeadKind.PREVIOUS) is None


def probed(probe, run_id, **fields):
    config = config_of(**fields)
    return config, probe.after(run_id, config, model_of(config.model.shape), lambda: None)


def trained(**fields):
    config = config_of(**fields)
    return replace(config, model=replace(config.model, source=ModelSource.BUILT_IN))


def test_a_trained_model_is_measured_once():
    probe, config = HeadProbe(), trained()
    model = model_of(config.model.shape)
    assert probe.before(1, config, model, lambda: None) is None
    probe.loaded(config)
    news = probe.before(1, config, model, lambda: None)
    assert news.model == config.model
    assert probe.after(1, config, model, lambda: None) is None


def test_random_weights_are_not_measured():
    probe = HeadProbe()
    probe.loaded(config_of())
    assert probed(probe, 1)[1] is None


def test_what_was_cancelled_is_measured_another_time():
    probe, config = HeadProbe(), trained()
    model = model_of(config.model.shape)
    probe.loaded(config)

    def cancel():
        raise Cancelled

    assert probe.before(1, config, model, cancel) is None
    assert probe.after(1, config, model, lambda: None) is not None


@pytest.mark.parametrize("small", [True, False])
def test_a_runner_measures_beside_the_steps(monkeypatch, small):
    monkeypatch.setattr("kvviz.engine.head_kinds.SMALL", 10**7 if small else 1)
    config = trained(dtype=DType.FLOAT32)
    model = model_of(config.model.shape)
    _, inbox = handled(StartRun(1, config), StartRun(2, config), load=lambda *_: model)
    said = kinds(inbox.of(1))
    place = said.index(HeadsMeasured)
    assert said.count(HeadsMeasured) == 1
    assert (place == said.index(RunStarted) - 1) if small else place == len(said) - 1
    assert said[0] is ModelLoaded
    assert HeadsMeasured not in kinds(inbox.of(2))


def test_another_run_ends_a_long_measurement_and_it_is_made_up_for(monkeypatch):
    monkeypatch.setattr("kvviz.engine.head_kinds.SMALL", 1)
    config = trained(max_new_tokens=2)
    inbox, gate = Inbox(), Gate(forward=2)
    load = lambda spec, *rest: gate.load(replace(spec, source=ModelSource.RANDOM), *rest)  # noqa: E731
    with running(inbox, load=load) as runner:
        runner.allow(1, None)
        runner.send(StartRun(1, config))
        assert gate.reached.wait(WAIT_S)
        runner.allow(2, None)
        runner.send(StartRun(2, config))
        gate.open.set()
        assert inbox.until(HeadsMeasured).run_id == 2
    assert kinds(inbox.of(1))[-1] is RunFinished
