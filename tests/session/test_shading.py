from dataclasses import replace

import numpy as np
import pytest
from real_run import real_trace, small_config

from kvviz.session.attention import weights
from kvviz.session.selection import GridMode, Scale, Selection
from kvviz.session.shading import DECODE_BASE, MASKED, PREFILL_BASE, shade_rows, shading_of

PROMPT = 5


@pytest.fixture(scope="module")
def trace():
    return real_trace(small_config(prompt=PROMPT))


def shaded(trace, **changes):
    return shade_rows(trace, shading_of(replace(Selection(), **changes)), 0, trace.seq_len)


def test_prefill_below_decode_above_and_the_future_masked(trace):
    index = shaded(trace)
    lower = np.tril(np.ones_like(index)).astype(bool)
    assert (index[~lower] == MASKED).all()
    prefill = index[:PROMPT][lower[:PROMPT]]
    decode = index[PROMPT:][lower[PROMPT:]]
    assert len(prefill) == 15  # five tokens: fifteen cells
    assert (prefill >= PREFILL_BASE).all()
    assert (prefill < DECODE_BASE).all()
    assert (decode >= DECODE_BASE).all()


def test_each_rows_strongest_cell_is_brightest(trace):
    index = shaded(trace, layer=1, head=2)
    rows = weights(trace, 1, 2, 0, trace.seq_len)
    assert (index.argmax(axis=1) == rows.argmax(axis=1)).all()
    assert set(index.max(axis=1)) == {PREFILL_BASE + 126, DECODE_BASE + 126}


def test_brightness_can_be_switched_off(trace):
    index = shaded(trace, brightness=False)
    assert set(np.unique(index)) == {MASKED, PREFILL_BASE + 126, DECODE_BASE + 126}


def test_the_log_scale_lifts_what_is_weak(trace):
    linear = shaded(trace, mode=GridMode.WEIGHTS)
    log = shaded(trace, mode=GridMode.WEIGHTS, scale=Scale.LOG)
    assert (log >= linear).all()
    assert (log > linear).any()


def test_hiding_the_sink_darkens_the_first_key_and_lights_the_rest(trace):
    plain = shaded(trace, mode=GridMode.WEIGHTS)
    hidden = shaded(trace, mode=GridMode.WEIGHTS, hide_sink=True)
    assert (hidden[:, 0] == 1).all()
    assert (hidden[1:, 1:].max(axis=1) == 255).all()
    assert (hidden[:, 1:] >= plain[:, 1:]).all()
