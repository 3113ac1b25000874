import itertools

import numpy as np
import pytest
import torch
from engine_runs import PROMPT, attention_in_numpy, cache_of, model_of, shape_of

from kvviz.bench.tutorial import TinyCausalLM, tutorial_generate
from kvviz.cache.preallocated import LONG
from kvviz.model.init import empty_transformer
from kvviz.model.rows import joined
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import ModelShape, Positions

KV_HEADS = (4, 2, 1)
# A long preallocated cache lies differently in memory.
KEEPING = [
    (LayoutKind.CONCAT, 40),
    (LayoutKind.PREALLOCATED, 40),
    (LayoutKind.PREALLOCATED, LONG),
]
CHUNKS = (len(PROMPT), 3, 1)
IDS = torch.tensor([PROMPT])


def fed_in_chunks(model, cache, ids, chunk):
    """Every position's logits [B, T, V], the ids fed ``chunk`` at a time."""
    logits = []
    for start in range(0, ids.shape[1], chunk):
        logits.append(model.all_logits(ids[:, start : start + chunk], cache))
        cache.finish_step()
    return torch.cat(logits, dim=1)


@pytest.mark.parametrize("positions", Positions)
@pytest.mark.parametrize("kv_heads", KV_HEADS)
@pytest.mark.parametrize(("kind", "limit"), KEEPING)
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(DType.FLOAT64, 1e-10), (DType.FLOAT32, 1e-5)], ids=str
)
def test_cached_logits_are_the_uncached_ones(
    positions, kv_heads, kind, limit, chunk, dtype, tolerance
):
    shape = shape_of(kv_heads, positions)
    model = model_of(shape, dtype)
    cache = cache_of(kind, shape, kv_dtype=dtype, max_seq_len=limit)
    cached = fed_in_chunks(model, cache, IDS, chunk)
    assert (cached - model.all_logits(IDS)).abs().max() < tolerance


@pytest.mark.parametrize("kv_heads", KV_HEADS)
def test_every_prefix_alone_gives_the_same_logits(kv_heads):
    """The causal mask: what follows a token changes nothing before it."""
    model = model_of(shape_of(kv_heads, Positions.ROPE), DType.FLOAT64)
    whole = model.all_logits(IDS)
    for length in range(1, len(PROMPT) + 1):
        assert (model(IDS[:, :length])[0] - whole[0, length - 1]).abs().max() < 1e-10


def test_a_batch_gives_each_row_what_it_would_get_alone():
    shape = shape_of(2, Positions.ROPE)
    model = model_of(shape, DType.FLOAT64)
    rows = torch.stack([IDS[0], IDS[0].flip(0), (IDS[0] + 1) % 64])
    for (kind, limit), chunk in itertools.product(KEEPING, CHUNKS):
        cache = cache_of(kind, shape, kv_dtype=DType.FLOAT64, batch=3, max_seq_len=limit)
        together = fed_in_chunks(model, cache, rows, chunk)
        for row, ids in enumerate(rows):
            assert (together[row] - model.all_logits(ids[None])[0]).abs().max() < 1e-10


@pytest.mark.parametrize("dtype", [DType.BFLOAT16, DType.FLOAT16])
@pytest.mark.parametrize(("kind", "limit"), KEEPING)
def test_half_precision_stays_near_float32(dtype, kind, limit):
    shape = shape_of(2, Positions.ROPE)
    exact = model_of(shape).all_logits(IDS)
    cache = cache_of(kind, shape, kv_dtype=dtype, max_seq_len=limit)
    half = fed_in_chunks(model_of(shape, dtype), cache, IDS, 1)
    assert half.dtype == getattr(torch, dtype)
    assert 0 < (half.float() - exact).abs().max() < 0.05


@pytest.mark.parametrize("positions", Positions)
@pytest.mark.parametrize("kv_heads", KV_HEADS)
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(("kind", "limit"), KEEPING)
def test_watch_sees_what_numpy_recomputes(positions, kv_heads, chunk, kind, limit):
    shape = shape_of(kv_heads, positions)
    model = model_of(shape, DType.FLOAT64)
    cache = cache_of(kind, shape, kv_dtype=DType.FLOAT64, max_seq_len=limit)
    seen = []

    def watch(layer, q, k, v, out):
        seen.append(layer)
        q, k, v, out = (tensor[0].numpy() for tensor in (q, k, v, out))
        assert np.abs(attention_in_numpy(q, k, v, shape.scale) - out).max() < 1e-12

    with torch.inference_mode():
        for start in range(0, len(PROMPT), chunk):
            model(IDS[:, start : start + chunk], cache, watch)
            cache.finish_step()
    assert seen == [0, 1] * len(range(0, len(PROMPT), chunk))


def test_an_error_in_watch_ends_the_forward():
    seen = []

    def watch(layer, *tensors):
        seen.append(layer)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        model_of(shape_of())(IDS, None, watch)
    assert seen == [0]


def test_names_and_sizes_are_the_tutorials():
    ours = empty_transformer(ModelShape(), dtype=torch.float32, device=torch.device("cpu"))
    sizes = {name: weight.shape for name, weight in ours.state_dict().items()}
    assert sizes == {name: w.shape for name, w in TinyCausalLM().state_dict().items()}


def test_the_tutorials_loop_gives_the_same_tokens_and_logits():
    model = model_of(ModelShape(), DType.FLOAT64)
    tutorial = TinyCausalLM().double()
    tutorial.load_state_dict(model.state_dict())
    with torch.inference_mode():
        expected, _ = tutorial(IDS)
    assert (model.all_logits(IDS) - expected).abs().max() < 1e-10
    ids = list(PROMPT)
    for _ in range(20):
        ids.append(int(model(torch.tensor([ids])).argmax()))
    assert ids == tutorial_generate(tutorial, list(PROMPT), 20)


def test_a_model_that_favours_token_3_says_it_again_and_again():
    tutorial = TinyCausalLM()
    with torch.no_grad():
        tutorial.norm.weight.zero_()
        tutorial.norm.bias.fill_(1.0)
        tutorial.lm_head.weight.zero_()
        tutorial.lm_head.weight[3] = 1.0
    assert [tutorial_generate(tutorial, [0, 1], 3)] == [[0, 1, 3, 3, 3]]
    ours = model_of(ModelShape())
    ours.load_state_dict(tutorial.state_dict())
    ids = [0, 1]
    for _ in range(3):
        ids.append(int(ours(torch.tensor([ids])).argmax()))
    assert [ids] == [[0, 1, 3, 3, 3]]


def last_logits_moved(shape):
    """How far the last position's logits move when the tokens before it are shuffled."""
    model = model_of(shape, DType.FLOAT64)
    shuffled = IDS[:, [4, 0, 3, 1, 5, 2, 6]]
    return float((model(IDS) - model(shuffled)).abs().max())


def test_one_layer_without_positions_does_not_see_the_order():
    assert last_logits_moved(shape_of(layers=1)) < 1e-12


def test_a_second_layer_or_rope_does():
    assert last_logits_moved(shape_of(layers=2)) > 1e-3
    assert last_logits_moved(shape_of(layers=1, positions=Positions.ROPE)) > 1e-3


def test_loading_or_casting_after_a_forward_is_seen():
    model, other = model_of(shape_of()), model_of(shape_of(), seed=1)
    before = model(IDS)
    model.load_state_dict(other.state_dict(), assign=True)
    assert torch.equal(model(IDS), other(IDS))
    assert not torch.equal(model(IDS), before)
    assert model.double()(IDS).dtype == torch.float64


def test_weight_bytes_are_those_of_the_shape():
    shape = shape_of(2)
    assert model_of(shape).weight_bytes == 4 * shape.num_parameters
    assert model_of(shape, DType.BFLOAT16).weight_bytes == 2 * shape.num_parameters


def test_projections_lie_together_and_are_read_as_one():
    """No second copy of the weights: the three projections' rows are views of one matrix."""
    attention = model_of(shape_of(2)).blocks[0].attn
    linears = [attention.q_proj, attention.k_proj, attention.v_proj]
    whole = joined([linear.weight for linear in linears])
    assert whole.data_ptr() == attention.q_proj.weight.data_ptr()
    assert torch.equal(whole, torch.cat([linear.weight for linear in linears]))


def test_projections_that_lie_apart_are_copied_together():
    one, other = torch.ones(2, 3), torch.zeros(1, 3)
    assert joined([one, other]).tolist() == [[1.0] * 3, [1.0] * 3, [0.0] * 3]
    assert joined([one[1:], one[:1]]).tolist() == [[1.0] * 3] * 2
