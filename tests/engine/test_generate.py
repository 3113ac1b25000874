import threading

import numpy as np
import pytest
import torch
from engine_runs import (
    PROMPT,
    attention_in_numpy,
    chosen,
    config_of,
    generation_of,
    model_of,
    run,
    shape_of,
)

from kvviz.bench.tutorial import TinyCausalLM, tutorial_generate
from kvviz.sizing.dtypes import COMPUTING, DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import Positions
from kvviz.sizing.work import naive_score_cells, naive_token_positions
from kvviz.trace.config import Sampling
from kvviz.trace.messages import EndReason
from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace

KEEPING = [LayoutKind.CONCAT, LayoutKind.PREALLOCATED]
KV_HEADS = (4, 2, 1)
P = len(PROMPT)


@pytest.mark.parametrize("positions", Positions)
@pytest.mark.parametrize("kv_heads", KV_HEADS)
@pytest.mark.parametrize("kind", KEEPING)
@pytest.mark.parametrize("chunk", [0, 3, 1])
def test_cached_runs_say_what_the_uncached_one_says(positions, kv_heads, kind, chunk):
    shape = shape_of(kv_heads, positions)
    model = model_of(shape, DType.FLOAT64)
    fields = {"shape": shape, "dtype": DType.FLOAT64, "max_new_tokens": 12}
    naive = run(config_of(LayoutKind.NONE, **fields), model)
    cached = run(config_of(kind, prefill_chunk=chunk, **fields), model)
    assert chosen(cached) == chosen(naive)
    rows = {name: np.concatenate([getattr(a, name) for _, a in cached], axis=2) for name in "qkv"}
    for name, expected in rows.items():
        naive_rows = np.concatenate([getattr(arrays, name) for _, arrays in naive], axis=2)
        assert np.abs(expected - naive_rows).max() < 1e-6


def test_the_tutorials_loop_says_the_same():
    shape = shape_of(heads=4, head_dim=16, vocab=128)
    model = model_of(shape)
    tutorial = TinyCausalLM()
    tutorial.load_state_dict(model.state_dict())
    items = run(config_of(shape=shape, max_new_tokens=30), model)
    assert [*PROMPT, *chosen(items)] == tutorial_generate(tutorial, list(PROMPT), 30)


@pytest.mark.parametrize("kind", LayoutKind)
@pytest.mark.parametrize("kv_dtype", [DType.FLOAT32, DType.BFLOAT16])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("chunk", [0, 3])
def test_predicted_bytes_are_the_tensors_at_each_step(kind, kv_dtype, batch, chunk):
    config = config_of(kind, shape=shape_of(2), kv_dtype=kv_dtype, batch=batch, prefill_chunk=chunk)
    for step, _ in run(config):
        assert step.measured == step.predicted
        assert step.measured.used == (
            config.layout.payload(config.model.shape.cache_parts, batch, step.seq_len)
        )


@pytest.mark.parametrize("kind", KEEPING)
def test_a_cached_run_is_one_prefill_and_a_decode_for_each_further_token(kind):
    steps = [step for step, _ in run(config_of(kind))]
    assert [step.phase for step in steps] == [Phase.PREFILL] + [Phase.DECODE] * 5
    assert [step.num_tokens_fed for step in steps] == [P, 1, 1, 1, 1, 1]
    assert [step.seq_len for step in steps] == [P, P + 1, P + 2, P + 3, P + 4, P + 5]
    assert [step.score_cells for step in steps] == [P * (P + 1) // 2, *range(P + 1, P + 6)]
    assert [step.index for step in steps] == list(range(6))
    assert [step.new_ids for step in steps[1:]] == [(step.token_id,) for step in steps[:-1]]
    assert steps[0].new_pieces == tuple(map(str, PROMPT))


def test_a_prompt_of_five_has_fifteen_blue_cells():
    first, _ = next(generation_of(config_of(prompt_ids=(1, 2, 3, 4, 5))).run())
    assert first.score_cells == 15


def test_without_a_cache_each_step_feeds_the_full_prefix():
    steps = [step for step, _ in run(config_of(LayoutKind.NONE))]
    assert [step.phase for step in steps] == [Phase.PREFILL] + [Phase.DECODE] * 5
    assert [step.num_tokens_fed for step in steps] == list(range(P, P + 6))
    assert [len(step.new_ids) for step in steps] == [P, 1, 1, 1, 1, 1]
    assert sum(step.token_positions for step in steps) == naive_token_positions(P, 6)
    assert sum(step.score_cells for step in steps) == naive_score_cells(P, 6)


def test_a_chunked_prefill_chooses_only_at_its_end():
    items = run(config_of(prefill_chunk=3))
    chunks = items[:3]
    assert [step.phase for step, _ in chunks] == [Phase.PREFILL] * 3
    assert [step.num_tokens_fed for step, _ in chunks] == [3, 3, 1]
    for step, arrays in chunks[:2]:
        assert (step.token_id, step.piece, step.probability) == (None, "", None)
        assert step.candidates == ()
        assert arrays.logits is None
    assert chunks[2][0].token_id is not None
    assert sum(step.score_cells for step, _ in chunks) == P * (P + 1) // 2


@pytest.mark.parametrize("kind", LayoutKind)
@pytest.mark.parametrize("kv_heads", KV_HEADS)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(DType.FLOAT32, 1e-5), (DType.BFLOAT16, 0.02)], ids=str
)
def test_attention_recomputed_from_the_records_is_the_models(
    kind, kv_heads, batch, dtype, tolerance
):
    shape = shape_of(kv_heads, Positions.ROPE)
    config = config_of(kind, shape=shape, dtype=dtype, batch=batch, prefill_chunk=3)
    model, outs = model_of(shape, dtype), []
    forward = model.forward

    def watched(input_ids, past_kv, watch, *kernel):
        def both(layer, q, k, v, out):
            outs.append(out[0].float().numpy())
            watch(layer, q, k, v, out)

        return forward(input_ids, past_kv, both)

    model.forward = watched
    trace = Trace(config)
    for step, arrays in generation_of(config, model).run():
        trace.append(step, arrays)
        for layer in range(shape.num_layers):
            q, k, v = trace.queries(layer), trace.keys(layer), trace.values(layer)
            rows = q[:, step.first_row :]
            again = attention_in_numpy(rows, k, v, shape.scale)
            theirs = outs[layer - shape.num_layers][:, -rows.shape[1] :]
            assert np.abs(again - theirs).max() < tolerance
            assert np.array_equal(trace.outputs(layer)[:, step.first_row :], theirs)


@pytest.mark.parametrize("dtype", COMPUTING)
def test_records_are_read_only_float32_of_the_stated_shapes(dtype):
    shape = shape_of(2)
    for step, arrays in run(config_of(shape=shape, dtype=dtype)):
        rows = len(step.new_ids)
        assert arrays.q.shape == arrays.out.shape == (2, 4, rows, 8)
        assert arrays.k.shape == arrays.v.shape == (2, 2, rows, 8)
        assert arrays.logits.shape == (64,)
        for array in (arrays.q, arrays.k, arrays.v, arrays.logits, arrays.out):
            assert array.dtype == np.float32
            assert not array.flags.writeable


@pytest.mark.parametrize("kind", LayoutKind)
def test_records_are_copies_that_later_steps_leave_alone(kind):
    generation = generation_of(config_of(kind))
    steps = generation.run()
    _, arrays = next(steps)
    before = [np.array(a) for a in (arrays.q, arrays.k, arrays.v, arrays.logits, arrays.out)]
    for _ in steps:
        pass
    after = (arrays.q, arrays.k, arrays.v, arrays.logits, arrays.out)
    assert all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))


def test_a_narrower_cache_records_what_was_read_back():
    config = config_of(shape=shape_of(2), kv_dtype=DType.BFLOAT16)
    for _, arrays in run(config):
        for array in (arrays.k, arrays.v):
            rounded = torch.from_numpy(np.array(array)).bfloat16().float().numpy()
            assert np.array_equal(rounded, array)


def test_latency_is_what_the_clock_says_round_the_call_and_the_choice():
    ticks = iter(range(0, 1000, 10))
    generation = generation_of(config_of(), clock=lambda: next(ticks))
    assert [step.latency_ns for step, _ in generation.run()] == [10] * 6
    assert next(ticks) == 120


def test_greedy_takes_the_likeliest_and_says_how_likely():
    for step, arrays in run(config_of()):
        weights = np.exp(arrays.logits.astype(float) - arrays.logits.max())
        assert step.token_id == arrays.logits.argmax() == step.candidates[0].token_id
        assert step.probability == pytest.approx(weights.max() / weights.sum(), rel=1e-6)
        assert step.piece == str(step.token_id)
        probabilities = [candidate.probability for candidate in step.candidates]
        assert len(probabilities) == 8
        assert probabilities == sorted(probabilities, reverse=True)


def test_sampling_repeats_with_its_seed_and_differs_with_another():
    first, again, other = (
        chosen(run(config_of(sampling=Sampling(temperature=1.5, seed=seed)))) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_copies_of_a_prompt_all_get_the_token_of_row_0():
    assert chosen(run(config_of(batch=3))) == chosen(run(config_of()))


def test_an_end_token_ends_the_run():
    expected = chosen(run(config_of(max_new_tokens=12)))
    end = expected[3]
    generation = generation_of(config_of(max_new_tokens=12, end_token_ids=(end,)))
    assert chosen(list(generation.run())) == expected[: expected.index(end) + 1]
    assert generation.reason is EndReason.END_TOKEN
    assert generation.can_continue


def test_a_cancel_between_layers_records_nothing_and_drops_the_cache():
    config, cancel, layers = config_of(), threading.Event(), []
    model = model_of(config.model.shape)
    forward = model.forward

    def cancelling(input_ids, past_kv, watch, *kernel):
        def first_layer_cancels(layer, *tensors):
            layers.append(layer)
            if len(layers) == 3:  # the second step's first layer
                cancel.set()
            watch(layer, *tensors)

        return forward(input_ids, past_kv, first_layer_cancels)

    model.forward = cancelling
    generation = generation_of(config, model)
    assert [step.index for step, _ in generation.run(cancel)] == [0]
    assert layers == [0, 1, 0]
    assert generation.reason is EndReason.CANCELLED
    assert not generation.can_continue
    with pytest.raises(InputError, match="start the run again"):
        generation.extend(1)


def test_a_cancel_between_steps_feeds_nothing_more():
    cancel = threading.Event()
    generation = generation_of(config_of())
    steps = generation.run(cancel)
    next(steps)
    cancel.set()
    assert list(steps) == []
    assert generation.reason is EndReason.CANCELLED


def test_when_the_model_raises_the_cache_is_dropped():
    config = config_of()
    model = model_of(config.model.shape)
    generation = generation_of(config, model)
    steps = generation.run()
    next(steps)
    model.forward = lambda *args: (_ for _ in ()).throw(MemoryError())
    with pytest.raises(MemoryError):
        next(steps)
    assert not generation.can_continue


def test_logits_that_are_no_numbers_end_the_run_with_a_sentence():
    config = config_of()
    model = model_of(config.model.shape)
    model.lm_head.weight.fill_(float("nan"))
    with pytest.raises(InputError, match="logits are not finite"):
        run(config, model)


def test_no_graph_is_kept_and_the_callers_mode_is_untouched():
    for _ in generation_of(config_of()).run():
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()
