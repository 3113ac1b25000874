"""Every layout says what a full run without a cache says, to 1e-10 in float64."""

from functools import cache

import pytest
import torch
from engine_runs import cache_of, layout_of, model_of, shape_of

from kvviz.cache.none import NoCache
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import Positions

EXACT = ["none", "concat", "preallocated", "paged:1", "paged:4", "paged:16"]
SLIDING = ["sliding:1", "sliding:4", "sliding:4+2", "sliding:64"]
PROMPT, DECODED = 9, 4
TOTAL = PROMPT + DECODED
LENGTHS = {"equal": (), "unequal": (0, 5, 3), "first_short": (4, 0, 0)}


class MaskedFullRun(NoCache):
    """The full prefix at once, each query behind a mask of its window and the sinks."""

    def __init__(self, window, sinks):
        super().__init__()
        self.window, self.sinks = window, sinks

    def mask(self, fed, device):
        keys, queries = torch.arange(fed), torch.arange(fed)[:, None]
        near = (keys > queries - self.window) | (keys < self.sinks)
        return ((keys <= queries) & near)[None, None]


@cache
def model_with(kv_heads, positions):
    return model_of(shape_of(kv_heads, positions), DType.FLOAT64)


def splits(chunk):
    """Prompt in chunks, 0 for all at once; then token by token."""
    chunk = chunk or PROMPT
    prompt = [min(chunk, PROMPT - first) for first in range(0, PROMPT, chunk)]
    return [*prompt, *[1] * DECODED]


def cached_logits(model, ids, text, pads, chunk):
    """Logits [B, TOTAL, V], fed as the layout wants it."""
    limit = 1100 if text == "paged:16" else TOTAL
    kept = cache_of(
        text, model.shape, kv_dtype=DType.FLOAT64, batch=len(ids), max_seq_len=limit, pads=pads
    )
    parts, end = [], 0
    for fed in splits(chunk):
        start, end = (end if text != "none" else 0), end + fed
        logits = model.all_logits(ids[:, start:end], kept)
        parts.append(logits[:, logits.shape[1] - fed :])
        kept.finish_step()
    return torch.cat(parts, dim=1)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("chunk", [0, 4, 1])
@pytest.mark.parametrize("positions", [Positions.NONE, Positions.ROPE])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("text", [*EXACT, *SLIDING])
@torch.inference_mode()
def test_logits_are_those_of_each_row_alone_and_uncached(text, kv_heads, positions, chunk, lengths):
    model = model_with(kv_heads, positions)
    pads = LENGTHS[lengths]
    ids = torch.randint(64, (3, TOTAL), generator=torch.Generator().manual_seed(3))
    layout = layout_of(text)
    found = cached_logits(model, ids, text, pads, chunk)
    for row, pad in enumerate(pads or (0, 0, 0)):
        sliding = layout.kind is LayoutKind.SLIDING
        whole = MaskedFullRun(layout.window, layout.sinks) if sliding else NoCache()
        alone = model.all_logits(ids[row : row + 1, pad:], whole)[0]
        assert (found[row, pad:] - alone).abs().max() < 1e-10


@pytest.mark.parametrize("block_size", [3, 4, 5, PROMPT - 1, PROMPT, PROMPT + 1])
@pytest.mark.parametrize("chunk", [0, 4])
@torch.inference_mode()
def test_a_prompt_may_end_at_a_block_before_it_or_after_it(block_size, chunk):
    """9 tokens are 3 x 3, 2 x 4 + 1 and 2 x 5 - 1; the 4 decoded ones cross the next border."""
    model = model_with(2, Positions.ROPE)
    ids = torch.randint(64, (3, TOTAL), generator=torch.Generator().manual_seed(6))
    for pads in LENGTHS.values():
        found = cached_logits(model, ids, f"paged:{block_size}", pads, chunk)
        for row, pad in enumerate(pads or (0, 0, 0)):
            alone = model.all_logits(ids[row : row + 1, pad:])[0]
            assert (found[row, pad:] - alone).abs().max() < 1e-10


@pytest.mark.parametrize("window", [PROMPT - 1, PROMPT, PROMPT + 1])
@pytest.mark.parametrize("chunk", [0, 4])
@torch.inference_mode()
def test_a_window_is_exact_at_its_edges(window, chunk):
    model = model_with(2, Positions.ROPE)
    ids = torch.randint(64, (1, TOTAL), generator=torch.Generator().manual_seed(4))
    found = cached_logits(model, ids, f"sliding:{window}", (), chunk)
    alone = model.all_logits(ids, MaskedFullRun(window, 0))
    assert (found - alone).abs().max() < 1e-10
    whole = model.all_logits(ids)
    differs = (found - whole).abs().amax(dim=2)[0] > 1e-10
    assert differs.tolist() == [position >= window for position in range(TOTAL)]


@pytest.mark.parametrize("residual", [0, 5, 64])
@pytest.mark.parametrize("chunk", [0, 4, 1])
@torch.inference_mode()
def test_a_quantized_cache_says_the_same_however_it_is_fed(residual, chunk):
    """A residual that takes all is exact; codes do not depend on the steps that wrote them."""
    model = model_with(2, Positions.ROPE)
    ids = torch.randint(64, (3, TOTAL), generator=torch.Generator().manual_seed(5))
    text = f"quantized:int8+{residual}"
    for pads in LENGTHS.values():
        found = cached_logits(model, ids, text, pads, chunk)
        for row, pad in enumerate(pads or (0, 0, 0)):
            gap = (found[row, pad:] - model.all_logits(ids[row : row + 1, pad:])[0]).abs().max()
            assert (gap < 1e-10) == (residual == 64)
            assert gap < 0.05
