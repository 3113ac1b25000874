from dataclasses import replace

import numpy as np
import pytest
import torch
from real_run import SHAPE, real_trace, small_config

from kvviz.cache.build import build_cache
from kvviz.engine.load import load_model
from kvviz.session.attention import cell_facts, chosen_weights, head_outputs, scores, weights
from kvviz.session.selection import Aggregate
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import parse_layout


@pytest.fixture(scope="module")
def trace():
    return real_trace(small_config())


def test_rows_sum_to_one_and_see_no_future(trace):
    rows = weights(trace, 1, 3, 0, trace.seq_len)
    assert rows.sum(axis=1) == pytest.approx(np.ones(trace.seq_len), abs=1e-6)
    assert not np.triu(rows, 1).any()


def test_a_part_of_the_rows_is_the_same_rows(trace):
    whole = weights(trace, 0, 2, 0, trace.seq_len)
    part = weights(trace, 0, 2, 4, 7)
    assert part == pytest.approx(whole[4:7, :7], abs=1e-7)


@pytest.mark.parametrize("kind", [k for k in LayoutKind if k is not LayoutKind.QUANTIZED])
def test_recomputed_heads_are_the_models_own(kind):
    config = small_config(kind, prefill_chunk=2)
    trace = real_trace(config)
    model = load_model(config.model, config.dtype, torch.device(config.device))
    seen = {}
    ids = [token.token_id for token in trace.tokens[: trace.seq_len]]
    with torch.inference_mode():
        model(torch.tensor([ids]), None, lambda layer, q, k, v, out: seen.update({layer: out[0]}))
    for layer in range(SHAPE.num_layers):
        for head in range(SHAPE.num_heads):
            ours = head_outputs(trace, layer, head, 0, trace.seq_len)
            assert ours == pytest.approx(seen[layer][head].numpy(), abs=1e-5)


def test_mean_and_max_over_heads(trace):
    each = np.stack([weights(trace, 1, head, 2, 6) for head in range(SHAPE.num_heads)])
    mean = chosen_weights(trace, 1, Aggregate.MEAN, 2, 6)
    most = chosen_weights(trace, 1, Aggregate.MAX, 2, 6)
    assert mean == pytest.approx(each.mean(axis=0), abs=1e-6)
    assert most == pytest.approx(each.max(axis=0), abs=1e-7)


def test_a_cell_names_its_kv_head(trace):
    facts = cell_facts(trace, 1, 3, 5, 2)
    assert facts.kv_head == 1
    assert facts.score == pytest.approx(scores(trace, 1, 3, 5, 6)[0, 2])
    assert facts.weight == pytest.approx(weights(trace, 1, 3, 5, 6)[0, 2])
    q, k = trace.queries(1)[3, 5], trace.keys(1)[1, 2]
    assert facts.score == pytest.approx(float(q @ k) * SHAPE.scale, abs=1e-6)


def test_what_fell_out_of_a_sliding_cache_is_not_seen():
    layout = CacheLayout(LayoutKind.SLIDING, window=4, sinks=1)
    trace = real_trace(replace(small_config(new=8), layout=layout))
    row = weights(trace, 1, 2, 9, 10)[0]
    assert list(np.flatnonzero(row)) == [0, 6, 7, 8, 9]


@pytest.mark.parametrize("layout", ["sliding:4", "sliding:4+1", "quantized:int8", "quantized:int4"])
def test_what_a_cache_lost_is_lost_here_too(layout):
    config = replace(small_config(new=8), layout=parse_layout(layout))
    trace = real_trace(config)
    out = cached_pass(config, [token.token_id for token in trace.tokens[: trace.seq_len]])
    for layer in range(SHAPE.num_layers):
        for head in range(SHAPE.num_heads):
            ours = head_outputs(trace, layer, head, 0, trace.seq_len)
            assert ours == pytest.approx(out[layer][head], abs=1e-5)


def cached_pass(config, ids):
    """Feed the prompt, then token by token; return the heads' own outputs."""
    model = load_model(config.model, config.dtype, torch.device(config.device))
    cache = build_cache(
        config.layout,
        config.model.shape,
        batch=1,
        max_seq_len=config.max_seq_len,
        device=torch.device(config.device),
    )
    out = {layer: [] for layer in range(config.model.shape.num_layers)}
    prompt = len(config.prompt_ids)
    for part in (ids[:prompt], *([token] for token in ids[prompt:])):
        with torch.inference_mode():
            model(torch.tensor([part]), cache, lambda layer, q, k, v, o: out[layer].append(o[0]))
        cache.finish_step()
    return {layer: torch.cat(parts, 1).numpy() for layer, parts in out.items()}
