from dataclasses import replace

import pytest
from hand_made import hand_made_trace
from real_run import real_trace, small_config

from kvviz.session.attention import head_outputs
from kvviz.session.tiles import tiled_outputs


@pytest.mark.parametrize("tile", [1, 3, 4, 64])
@pytest.mark.parametrize("head", range(4))
def test_tiles_give_what_whole_rows_give(tile, head):
    trace = real_trace(small_config(prompt=7, new=6))
    whole = head_outputs(trace, 1, head, 0, trace.seq_len)
    assert tiled_outputs(trace, 1, head, trace.seq_len, tile) == pytest.approx(whole, abs=1e-6)


@pytest.mark.parametrize("tile", [2, 5])
def test_with_cap_and_window(tile):
    shape = hand_made_trace().config.model.shape
    shape = replace(shape, score_cap=3.0, windows=(4, 0, 0, 0))
    trace = hand_made_trace(new_tokens=12, shape=shape)
    for layer in (0, 1):
        whole = head_outputs(trace, layer, 5, 0, 15)
        assert tiled_outputs(trace, layer, 5, 15, tile) == pytest.approx(whole, abs=1e-5)
