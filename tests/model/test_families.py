import itertools
import json
from pathlib import Path

import pytest
import torch
from engine_runs import cache_of
from family_folders import CASES, FOLLOWS_LENGTH, feeder, read_folder, write_case

from kvviz.cache.preallocated import LONG
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind

PROMPT = tuple((7 * index * index + 3) % 61 for index in range(20))
DECODED = 20
IDS = torch.tensor([PROMPT])
KEEPING = [
    (LayoutKind.CONCAT, 64),
    (LayoutKind.PREALLOCATED, 64),
    (LayoutKind.PREALLOCATED, LONG),
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Every case's folder and transformers' model of it, written once."""
    root = tmp_path_factory.mktemp("folders")
    return {case: (root / case, write_case(case, root / case)) for case in CASES}


def greedy(feed):
    """Return the logits of 20 steps behind the prompt, and the tokens they chose."""
    logits, ids = [], list(PROMPT)
    fed = list(PROMPT)
    for _ in range(DECODED + 1):
        logits.append(feed(torch.tensor([fed]))[0])
        fed = [int(logits[-1].argmax())]
        ids += fed
    return torch.stack(logits), ids


@pytest.mark.parametrize("case", CASES)
def test_logits_tokens_and_cache_are_those_of_transformers(case, folders):
    folder, theirs = folders[case]
    feed_theirs, their_cache = feeder(theirs)
    family, model = read_folder(folder)
    cache = cache_of(LayoutKind.CONCAT, family.shape)
    held = {}

    def feed_ours(ids):
        logits = model(ids, cache, lambda layer, q, k, v, out: held.update({layer: k.shape}))
        cache.finish_step()
        return logits

    with torch.inference_mode():
        wanted, their_ids = greedy(feed_theirs)
        found, our_ids = greedy(feed_ours)
    assert wanted.std() > 0.3
    assert (found - wanted).abs().max() < 1e-4
    assert our_ids == their_ids
    for layer, kept_layer in enumerate(their_cache.layers):
        window = family.shape.window(layer)
        tokens = len(PROMPT) + DECODED
        assert held[layer] == (1, family.shape.num_kv_heads, tokens, family.shape.head_dim)
        # A layer with a window keeps what the next query sees besides itself.
        seen = min(tokens, window - 1) if window else tokens
        assert kept_layer.keys.shape == (*held[layer][:2], seen, held[layer][3])
