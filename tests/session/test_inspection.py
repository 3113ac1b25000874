import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from engine_runs import config_of
from hand_made import hand_made_trace
from real_run import SHAPE, real_trace, small_config

from kvviz.engine.load import load_model
from kvviz.session.inspection import inspect_cell
from kvviz.sizing.errors import InputError


@pytest.fixture(scope="module")
def seen():
    """A real run, and what the model itself saw in one uncached pass: q, k, v, out by layer."""
    config = small_config()
    trace = real_trace(config)
    model = load_model(config.model, config.dtype, torch.device("cpu"))
    ids = [token.token_id for token in trace.tokens[: trace.seq_len]]
    layers = {}

    def watch(layer, q, k, v, out):
        layers[layer] = tuple(tensor[0].clone() for tensor in (q, k, v, out))

    with torch.inference_mode():
        model(torch.tensor([ids]), None, watch)
    return trace, layers


@pytest.mark.parametrize("layer", range(SHAPE.num_layers))
@pytest.mark.parametrize("head", range(SHAPE.num_heads))
@pytest.mark.parametrize(("query", "key"), [(0, 0), (4, 2), (7, 7), (9, 0)])
def test_a_cell_is_torchs_own(seen, layer, head, query, key):
    trace, layers = seen
    q, k, v, out = layers[layer]
    kv_head = head // 2
    cell = inspect_cell(trace, layer, head, query, key)
    score = (k[kv_head, : query + 1] @ q[head, query]) / math.sqrt(SHAPE.head_dim)
    weight = score.softmax(0)
    assert cell.kv_head == kv_head
    assert cell.sharing_heads == (2 * kv_head, 2 * kv_head + 1)
    assert cell.q == pytest.approx(q[head, query].numpy(), abs=1e-5)
    assert cell.k == pytest.approx(k[kv_head, key].numpy(), abs=1e-5)
    assert cell.v == pytest.approx(v[kv_head, key].numpy(), abs=1e-5)
    assert cell.dot == pytest.approx(float(q[head, query] @ k[kv_head, key]), abs=1e-5)
    assert cell.products.sum() == pytest.approx(cell.dot, abs=1e-5)
    assert cell.scaled == pytest.approx(float(score[key]), abs=1e-5)
    assert cell.row_scores == pytest.approx(score.numpy(), abs=1e-5)
    assert cell.row_weights == pytest.approx(weight.numpy(), abs=1e-6)
    assert cell.weight == cell.row_weights[key]
    assert cell.contribution == pytest.approx((weight[key] * v[kv_head, key]).numpy(), abs=1e-6)
    assert cell.output == pytest.approx(out[head, query].numpy(), abs=1e-5)


def test_the_contributions_of_a_row_are_the_output(seen):
    trace, _ = seen
    row = [inspect_cell(trace, 1, 3, 6, key) for key in range(7)]
    assert sum(cell.contribution for cell in row) == pytest.approx(row[0].output, abs=1e-6)


@pytest.mark.parametrize("query", [0, 4, 5, 9])
def test_the_output_is_held_against_what_the_models_head_passed_on(seen, query):
    trace, _ = seen
    cell = inspect_cell(trace, 1, 3, query, 0)
    gap = np.abs(cell.output - trace.outputs(1)[3, query]).max()
    assert cell.output_gap == pytest.approx(float(gap))
    assert cell.output_gap < 1e-6


def test_without_the_models_own_there_is_no_difference_to_tell():
    assert inspect_cell(hand_made_trace(new_tokens=4), 0, 0, 3, 1).output_gap is None


@pytest.mark.parametrize("residual", [0, 3, 8])
def test_only_tokens_that_became_codes_later_make_a_difference(residual):
    """Without them the recomputed output is the model's, and with them it is not."""
    trace = real_trace(config_of(f"quantized:int4/8+{residual}", max_new_tokens=9))
    found = [inspect_cell(trace, 1, 0, row, 0) for row in range(trace.seq_len)]
    assert all((cell.output_gap > 1e-4) == (cell.coded > 0) for cell in found)
    prompt, last = len(trace.config.prompt_ids), found[-1]
    whole = max(0, prompt - residual)  # the first of the prompt that was read whole
    assert last.coded == (trace.seq_len - residual - whole if residual else 0)
    assert any(cell.coded for cell in found) == (residual > 0)


def test_a_later_key_is_masked_and_weighs_nothing(seen):
    cell = inspect_cell(seen[0], 0, 0, 3, 5)
    assert cell.masked
    assert cell.weight == 0
    assert not cell.contribution.any()
    assert cell.mask_reason == "the key comes later than the query"
    assert not inspect_cell(seen[0], 0, 0, 3, 3).mask_reason


def test_cap_and_window_of_the_shape_are_told():
    plain = hand_made_trace(new_tokens=4).config.model.shape
    shape = replace(plain, score_cap=2.0, windows=(3, 0, 0, 0))
    trace = hand_made_trace(new_tokens=4, shape=shape)
    outside, inside = (inspect_cell(trace, 0, 1, 7, key) for key in (4, 5))
    assert outside.masked
    assert outside.weight == 0
    assert "window of 3" in outside.mask_reason
    assert not inside.masked
    assert inside.capped == pytest.approx(2 * math.tanh(inside.scaled / 2))
    assert inside.row_scores[5] == pytest.approx(inside.capped, abs=1e-5)
    assert list(np.isfinite(inside.row_scores)) == [False] * 5 + [True] * 3
    assert inside.seen == 3
    assert inspect_cell(trace, 1, 1, 7, 0).seen == 8


def test_nothing_of_it_can_be_written(seen):
    cell = inspect_cell(seen[0], 0, 0, 3, 1)
    for array in (cell.q, cell.k, cell.v, cell.row_scores, cell.row_weights, cell.output):
        assert isinstance(array, np.ndarray)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ((9, 0, 0, 0), "Layer"),
        ((0, 4, 0, 0), "Head"),
        ((0, 0, 99, 0), "Row"),
        ((0, 0, 0, -1), "Key"),
    ],
)
def test_a_place_that_is_not_there_is_named(seen, place, name):
    with pytest.raises(InputError, match=f"{name} .* is not in this run"):
        inspect_cell(seen[0], *place)
