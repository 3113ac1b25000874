import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from engine_runs import cache_of, config_of, generation_of
from family_folders import CASES, FOLLOWS_LENGTH, feeder, read_folder, write_case
from tokenizers import Tokenizer

from kvviz.cache.preallocated import LONG
from kvviz.session.attention import head_outputs
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.trace import Trace

PROMPT = tuple((7 * index * index + 3) % 61 for index in range(20))
DECODED = 20
IDS = torch.tensor([PROMPT])
STORIES = Path(__file__).parents[1] / "data" / "stories260K"
README = re.compile(r"(?m)(?:^> .*\n)+")
# A long preallocated cache lies differently in memory; chunks are of so many tokens.
KEEPING = [
    (LayoutKind.CONCAT, 64, 7),
    (LayoutKind.PREALLOCATED, 64, 1),
    (LayoutKind.PREALLOCATED, LONG, 3),
]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Sums this small only wait for a second thread, and long on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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

    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # transformers renames its own arguments
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


def fed_in_chunks(model, cache, chunk):
    """Every position's logits [B, T, V], the prompt fed ``chunk`` at a time."""
    logits = []
    for start in range(0, len(PROMPT), chunk):
        logits.append(model.all_logits(IDS[:, start : start + chunk], cache))
        cache.finish_step()
    return torch.cat(logits, dim=1)


@pytest.mark.parametrize("case", [case for case in CASES if case != FOLLOWS_LENGTH])
def test_cached_logits_are_the_uncached_ones(case, folders):
    family, model = read_folder(folders[case][0], DType.FLOAT64)
    with torch.inference_mode():
        whole = model.all_logits(IDS)
        for kind, limit, chunk in KEEPING:
            cache = cache_of(kind, family.shape, kv_dtype=DType.FLOAT64, max_seq_len=limit)
            assert (fed_in_chunks(model, cache, chunk) - whole).abs().max() < 1e-10


def test_dynamic_rope_keeps_the_angles_that_a_key_was_written_with(folders):
    """Within the length it was trained for, cached and uncached agree; beyond, they cannot."""
    family, model = read_folder(folders[FOLLOWS_LENGTH][0], DType.FLOAT64)
    assert family.architecture.rope.follows_length
    cache = cache_of(LayoutKind.CONCAT, family.shape, kv_dtype=DType.FLOAT64)
    cached = fed_in_chunks(model, cache, 1)[0]
    alone = torch.stack([model(IDS[:, : index + 1])[0] for index in range(len(PROMPT))])
    apart = (cached - alone).abs().amax(dim=1)
    assert apart[:16].max() < 1e-10
    assert apart[16:].min() > 1e-6


@pytest.mark.parametrize("dtype", [DType.BFLOAT16, DType.FLOAT16])
@pytest.mark.parametrize("case", CASES)
def test_half_precision_stays_near_float32(case, dtype, folders):
    family, exact = read_folder(folders[case][0])
    _, model = read_folder(folders[case][0], dtype)
    cache = cache_of(LayoutKind.CONCAT, family.shape, kv_dtype=dtype)
    with torch.inference_mode():
        wanted = exact.all_logits(IDS)
        found = fed_in_chunks(model, cache, 7)
    assert found.dtype == getattr(torch, dtype)
    assert 0 < (found.float() - wanted).std() / wanted.std() < 0.2


@pytest.mark.parametrize("case", CASES)
def test_a_batch_gives_each_row_what_it_would_get_alone(case, folders):
    family, model = read_folder(folders[case][0], DType.FLOAT64)
    rows = torch.stack([IDS[0], IDS[0].flip(0)])
    cache = cache_of(LayoutKind.CONCAT, family.shape, kv_dtype=DType.FLOAT64, batch=2)
    with torch.inference_mode():
        first = model.all_logits(rows[:, :-1], cache)
        cache.finish_step()
        together = torch.cat([first, model.all_logits(rows[:, -1:], cache)], dim=1)
        for row, ids in enumerate(rows):
            alone = cache_of(LayoutKind.CONCAT, family.shape, kv_dtype=DType.FLOAT64)
            wanted = model.all_logits(ids[None, :-1], alone)
            alone.finish_step()
            wanted = torch.cat([wanted, model.all_logits(ids[None, -1:], alone)], dim=1)
            assert (together[row] - wanted[0]).abs().max() < 1e-10


@pytest.mark.parametrize("case", CASES)
def test_attention_recomputed_from_the_trace_is_what_the_model_computed(case, folders):
    family, model = read_folder(folders[case][0])
    config = config_of(LayoutKind.CONCAT, shape=family.shape, prompt_ids=PROMPT)
    outs = {}

    def watched(ids, cache, recorder, *options):
        def watch(layer, q, k, v, out):
            outs.setdefault(layer, []).append(out[0].numpy())
            recorder(layer, q, k, v, out)

        return model(ids, cache, watch, *options)

    watched.parameters = model.parameters
    trace = Trace(config)
    for step, arrays in generation_of(config, watched).run():
        trace.append(step, arrays)
    assert trace.seq_len > len(PROMPT) + 4
    for layer, rows in outs.items():
        wanted = np.concatenate(rows, axis=1)
        for head in range(family.shape.num_heads):
            found = head_outputs(trace, layer, head, 0, trace.seq_len)
            assert np.abs(found - wanted[head]).max() < 1e-4


def test_stories_tell_what_their_readme_prints():
    family, model = read_folder(STORIES)
    assert model.weight_bytes == 4 * family.shape.num_parameters
    told = README.search((STORIES / "README.md").read_text())
    wanted = " ".join(line.removeprefix("> ") for line in told[0].splitlines())
    tokenizer = Tokenizer.from_file(str(STORIES / "tokenizer.json"))
    cache = cache_of(LayoutKind.PREALLOCATED, family.shape, max_seq_len=128)
    ids = [1]
    with torch.inference_mode():
        for _ in range(100):
            ids.append(int(model(torch.tensor([ids[-1:]]), cache).argmax()))
            cache.finish_step()
    assert " ".join(tokenizer.decode(ids).split()).startswith(wanted)
