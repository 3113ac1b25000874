"""What every layout owes the model and the byte count."""

import pytest
import torch
from engine_runs import cache_of, shape_of

from kvviz.cache.preallocated import LONG
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheBytes, CacheLayout, LayoutKind

# A long preallocated cache lies differently in memory.
KEEPING = [
    (LayoutKind.CONCAT, 16),
    (LayoutKind.PREALLOCATED, 16),
    (LayoutKind.PREALLOCATED, LONG),
]
FED = (5, 1, 3, 1, 1)
SHAPE = shape_of(kv_heads=2, layers=3)


def fed_tensors(fed, seed, *, batch=1, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    sizes = (2, batch, SHAPE.num_kv_heads, fed, SHAPE.head_dim)
    return torch.randn(sizes, generator=generator).to(dtype)


@pytest.mark.parametrize(("kind", "limit"), [*KEEPING, (LayoutKind.NONE, 16)])
@pytest.mark.parametrize("kv_dtype", DType)
@pytest.mark.parametrize("batch", [1, 3])
def test_bytes_of_the_tensors_are_the_predicted_ones_at_each_step(kind, limit, kv_dtype, batch):
    cache = cache_of(kind, SHAPE, kv_dtype=kv_dtype, batch=batch, max_seq_len=limit)
    layout, before = CacheLayout(kind, kv_dtype), 0
    for fed in FED:
        for layer in range(SHAPE.num_layers):
            cache.update(layer, *fed_tensors(fed, layer, batch=batch))
        measured = cache.finish_step()
        predicted = layout.predict(
            SHAPE.cache_parts, batch=batch, before=before, after=before + fed, max_seq_len=limit
        )
        assert measured == predicted
        assert all(type(getattr(measured, name)) is int for name in CacheBytes.__slots__)
        before += fed


@pytest.mark.parametrize(("kind", "limit"), KEEPING)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_was_kept_comes_back_in_order(kind, limit, dtype):
    kv_dtype = DType(str(dtype).removeprefix("torch."))
    cache = cache_of(kind, SHAPE, kv_dtype=kv_dtype, batch=2, max_seq_len=limit)
    everything = {layer: [] for layer in range(SHAPE.num_layers)}
    for step, fed in enumerate(FED):
        for layer, parts in everything.items():
            new = fed_tensors(fed, 10 * step + layer, batch=2, dtype=dtype)
            parts.append(new)
            keys, values = cache.update(layer, *new)
            assert torch.equal(torch.stack((keys, values)), torch.cat(parts, dim=3))
        assert cache.seq_len == sum(FED[:step])
        cache.finish_step()
        assert cache.seq_len == sum(FED[: step + 1])


@pytest.mark.parametrize(("kind", "limit"), KEEPING)
@pytest.mark.parametrize("kv_dtype", [DType.BFLOAT16, DType.FLOAT16])
def test_a_narrower_cache_gives_back_its_own_rounding(kind, limit, kv_dtype):
    cache = cache_of(kind, SHAPE, kv_dtype=kv_dtype, max_seq_len=limit)
    k, v = fed_tensors(5, 0)
    for read, given in zip(cache.update(0, k, v), (k, v), strict=True):
        assert read.dtype == torch.float32
        assert torch.equal(read, given.to(getattr(torch, kv_dtype)).float())
        assert not torch.equal(read, given)


@pytest.mark.parametrize(("kind", "limit"), KEEPING)
def test_the_cache_holds_its_own_copy(kind, limit):
    """The projection a key came from may be overwritten; the cache is none the wiser."""
    cache = cache_of(kind, SHAPE, max_seq_len=limit)
    rows = torch.ones(1, 1, SHAPE.num_kv_heads * SHAPE.head_dim)
    k = rows.view(1, 1, SHAPE.num_kv_heads, SHAPE.head_dim).transpose(1, 2)
    for layer in range(SHAPE.num_layers):
        cache.update(layer, k, k)
    cache.finish_step()
    rows.zero_()
    keys, values = cache.update(0, k, k)
    assert keys[:, :, 0].eq(1).all()
    assert values[:, :, 0].eq(1).all()


@pytest.mark.parametrize(("kind", "limit"), [*KEEPING, (LayoutKind.NONE, 16)])
def test_the_newest_rows_are_those_of_batch_row_0(kind, limit):
    cache = cache_of(kind, SHAPE, batch=2, max_seq_len=limit)
    for step, fed in enumerate((5, 3)):
        new = [fed_tensors(fed, 10 * step + i, batch=2) for i in range(SHAPE.num_layers)]
        for layer, tensors in enumerate(new):
            cache.update(layer, *tensors)
        expected = torch.cat([tensors[:, 0, :, -2:] for tensors in new])
        assert torch.equal(cache.newest(2), expected)
        cache.finish_step()


def test_no_cache_returns_what_it_is_fed_and_holds_nothing():
    cache = cache_of(LayoutKind.NONE, SHAPE)
    k, v = fed_tensors(5, 0)
    keys, values = cache.update(0, k, v)
    assert keys is k
    assert values is v
    assert cache.finish_step() == CacheBytes(0, 0, 0, 0)
    assert cache.seq_len == 0
