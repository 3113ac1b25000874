"""What every layout owes the model and the byte count."""

import weakref

import pytest
import torch
from engine_runs import CPU, cache_of, layout_of, shape_of

from kvviz.cache.preallocated import LONG
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheBytes

# A long cache lies differently in memory.
PAGED = [("paged:1", 16), ("paged:4", 16), ("paged:16", LONG)]
EXACT = [("concat", 16), ("preallocated", 16), ("preallocated", LONG), *PAGED]
SLIDING = [("sliding:3", 16), ("sliding:4+2", 16), ("sliding:64", 16)]
QUANTIZED = [("quantized:int8", 16), ("quantized:int4/4+3", 16), ("quantized:int8+64", 16)]
KEEPING = [*EXACT, *SLIDING, *QUANTIZED]
EVERY = [*KEEPING, ("none", 16)]
FED = (5, 1, 3, 1, 1)
SHAPE = shape_of(kv_heads=2, layers=3)
DTYPES = [(dtype, None) for dtype in DType]
APART = [(DType.FLOAT32, DType.FLOAT16), (DType.FLOAT16, DType.FLOAT8_E4M3)]


def fed_tensors(fed, seed, *, batch=1, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    sizes = (2, batch, SHAPE.num_kv_heads, fed, SHAPE.head_dim)
    return torch.randn(sizes, generator=generator).to(dtype)


@pytest.mark.parametrize(("text", "limit"), EVERY)
@pytest.mark.parametrize(("k", "v"), [*DTYPES, *APART])
@pytest.mark.parametrize("pads", [(), (0, 0, 0), (0, 4, 7)])
def test_bytes_of_the_tensors_are_the_predicted_ones_at_each_step(text, limit, k, v, pads):
    if "quantized" in text and DType.FLOAT8_E4M3 in (k, v):
        return
    unequal = pads if any(pads) else ()
    layout, batch, before = layout_of(text, k, v), len(pads) or 1, 0
    cache = cache_of(
        text, SHAPE, kv_dtype=k, v_dtype=v, batch=batch, max_seq_len=limit, pads=unequal
    )
    for fed in FED:
        cache.mask(fed, CPU)
        for layer in range(SHAPE.num_layers):
            cache.update(layer, *fed_tensors(fed, layer, batch=batch))
        measured = cache.finish_step()
        predicted = layout.predict(
            SHAPE.cache_parts,
            batch=batch,
            before=before,
            after=before + fed,
            max_seq_len=limit,
            pads=unequal,
        )
        assert measured == predicted
        assert all(type(getattr(measured, name)) is int for name in CacheBytes.__slots__)
        before += fed
        if not pads:
            assert measured.used == layout.payload(SHAPE.cache_parts, batch, before)


@pytest.mark.parametrize(("text", "limit"), EXACT)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_was_kept_comes_back_in_order(text, limit, dtype):
    kv_dtype = DType(str(dtype).removeprefix("torch."))
    cache = cache_of(text, SHAPE, kv_dtype=kv_dtype, batch=2, max_seq_len=limit)
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


@pytest.mark.parametrize(("text", "limit"), [*EXACT, *SLIDING])
@pytest.mark.parametrize(
    "kv_dtypes", [(DType.BFLOAT16,) * 2, (DType.FLOAT16, DType.FLOAT8_E4M3)], ids=str
)
def test_a_narrower_cache_gives_back_its_own_rounding(text, limit, kv_dtypes):
    k_dtype, v_dtype = kv_dtypes
    cache = cache_of(text, SHAPE, kv_dtype=k_dtype, v_dtype=v_dtype, max_seq_len=limit)
    names = {DType.FLOAT8_E4M3: "float8_e4m3fn"}
    given = fed_tensors(3, 0)
    for read, new, dtype in zip(cache.update(0, *given), given, kv_dtypes, strict=True):
        assert read.dtype == torch.float32
        assert torch.equal(read, new.to(getattr(torch, names.get(dtype, dtype))).float())
        assert not torch.equal(read, new)


@pytest.mark.parametrize(("text", "limit"), KEEPING)
def test_the_cache_holds_its_own_copy(text, limit):
    """The projection a key came from may be overwritten; the cache is none the wiser."""
    cache = cache_of(text, SHAPE, max_seq_len=limit)
    rows = torch.ones(1, 1, SHAPE.num_kv_heads * SHAPE.head_dim)
    k = rows.view(1, 1, SHAPE.num_kv_heads, SHAPE.head_dim).transpose(1, 2)
    for layer in range(SHAPE.num_layers):
        cache.update(layer, k, k)
    cache.finish_step()
    rows.zero_()
    keys, values = cache.update(0, k, k)
    assert keys[:, :, 0].eq(1).all()
    assert values[:, :, 0].eq(1).all()


@pytest.mark.parametrize(("text", "limit"), [*EXACT, *SLIDING, ("none", 16)])
@pytest.mark.parametrize("pads", [(), (0, 6)])
def test_the_newest_rows_are_those_of_batch_row_0(text, limit, pads):
    cache = cache_of(text, SHAPE, batch=2, max_seq_len=limit, pads=pads)
    for step, fed in enumerate((5, 3)):
        new = [fed_tensors(fed, 10 * step + i, batch=2) for i in range(SHAPE.num_layers)]
        for layer, tensors in enumerate(new):
            cache.update(layer, *tensors)
        expected = torch.cat([tensors[:, 0, :, -2:] for tensors in new])
        assert torch.equal(cache.newest(2), expected)
        cache.finish_step()


@pytest.mark.parametrize(("text", "limit"), QUANTIZED)
def test_the_newest_rows_of_a_quantized_cache_are_those_that_are_read(text, limit):
    cache = cache_of(text, SHAPE, batch=2, max_seq_len=limit)
    for fed in (5, 3):
        read = [cache.update(layer, *fed_tensors(fed, layer, batch=2)) for layer in range(3)]
        newest = cache.newest(2)
        cache.finish_step()
    # The scratch is one for all layers, so only the last layer's reading is still there.
    assert torch.equal(newest[4:], torch.stack([side[0, :, -2:] for side in read[2]]))


@pytest.mark.parametrize(("text", "limit"), EVERY)
def test_release_frees_every_tensor_at_once(text, limit):
    """What is left of a request is nothing: weak references to all its storages are dead."""
    cache = cache_of(text, SHAPE, max_seq_len=limit)
    for layer in range(SHAPE.num_layers):
        cache.update(layer, *fed_tensors(3, layer))
    cache.finish_step()
    held = [weakref.ref(tensor) for tensor in tensors_of(cache)]
    assert held or text == "none"
    cache.release()
    left = [ref() for ref in held if ref() is not None]
    if "paged" in text:
        assert cache.store.pool.num_used == 0
        left = [tensor for tensor in left if not any(tensor is own for own in pool_of(cache))]
    assert left == []


def tensors_of(cache):
    """Every tensor that is reachable from a cache."""
    found, left, seen = [], [cache], set()
    while left:
        item = left.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, torch.Tensor):
            found.append(item)
        elif isinstance(item, list | tuple):
            left.extend(item)
        elif hasattr(item, "__dict__") and type(item).__module__.startswith("kvviz"):
            left.extend(vars(item).values())
    return found


def pool_of(cache):
    return tensors_of(cache.store)


def test_no_cache_returns_what_it_is_fed_and_holds_nothing():
    cache = cache_of("none", SHAPE)
    k, v = fed_tensors(5, 0)
    keys, values = cache.update(0, k, v)
    assert keys is k
    assert values is v
    assert cache.finish_step() == CacheBytes(0, 0, 0, 0)
    assert cache.seq_len == 0
