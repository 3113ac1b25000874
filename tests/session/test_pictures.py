import pytest
from real_run import real_trace, small_config

from kvviz.session.picture_maker import PictureMaker
from kvviz.session.pictures import Pictures
from kvviz.session.selection import GridMode, Selection
from kvviz.session.shading import shade_rows, shading_of
from kvviz.trace.trace import Trace


@pytest.fixture
def maker():
    maker = PictureMaker()
    yield maker
    maker.stop()


@pytest.fixture(scope="module")
def trace():
    return real_trace(small_config(prompt=140, new=6))


def settle(pictures, maker):
    while not pictures.complete:
        pictures.order()
        assert maker.wait_until_idle(10)
        pictures.collect()


def test_grid_and_every_head_are_drawn(trace, maker):
    pictures = Pictures(maker)
    selection = Selection(layer=1, head=3)
    pictures.show(trace, trace.seq_len, selection)
    settle(pictures, maker)
    expected = shade_rows(trace, shading_of(selection), 0, trace.seq_len)
    assert (pictures.grid.levels[0][:, : trace.seq_len] == expected).all()
    assert len(pictures.heads) == trace.config.model.shape.num_heads
    assert all(head.rows == trace.seq_len for head in pictures.heads)


def test_rows_that_come_later_are_added(trace, maker):
    growing = Trace(trace.config)
    pictures = Pictures(maker)
    pictures.show(growing, trace.seq_len, Selection())
    for step in trace.steps:
        rows = slice(step.first_row, step.seq_len)
        growing.append(step, arrays_of(trace, step, rows))
        pictures.order()
        maker.wait_until_idle(10)
        pictures.collect()
    settle(pictures, maker)
    expected = shade_rows(trace, shading_of(Selection()), 0, trace.seq_len)
    assert (pictures.grid.levels[0][:, : trace.seq_len] == expected).all()


def test_pieces_can_be_taken_a_few_at_a_time(trace, maker):
    pictures = Pictures(maker)
    pictures.show(trace, trace.seq_len, Selection())
    assert maker.wait_until_idle(10)
    assert not pictures.collect(0)
    taken = 0
    while pictures.waiting:
        assert not pictures.complete
        assert pictures.collect(1)
        taken += 1
    assert pictures.complete
    assert taken == 2 * (1 + trace.config.model.shape.num_heads)  # 145 rows are two pieces


def test_a_few_rows_of_the_grid_are_there_at_once(trace, maker):
    begun = Trace(trace.config)
    pictures = Pictures(maker)
    pictures.show(begun, trace.seq_len, Selection())
    for step in trace.steps[:3]:
        begun.append(step, arrays_of(trace, step, slice(step.first_row, step.seq_len)))
        pictures.follow()
        if step.index:
            assert pictures.grid.rows == begun.seq_len
        pictures.order()
        assert maker.wait_until_idle(10)
        pictures.collect()
    expected = shade_rows(trace, shading_of(Selection()), 0, begun.seq_len)
    assert (pictures.grid.levels[0][: begun.seq_len, : begun.seq_len] == expected).all()


def test_another_selection_leaves_nothing_of_the_old_one(trace, maker):
    pictures = Pictures(maker)
    pictures.show(trace, trace.seq_len, Selection())
    other = Selection(layer=1, head=1, mode=GridMode.WEIGHTS)
    pictures.show(trace, trace.seq_len, other)
    settle(pictures, maker)
    expected = shade_rows(trace, shading_of(other), 0, trace.seq_len)
    assert (pictures.grid.levels[0][:, : trace.seq_len] == expected).all()


def test_another_head_keeps_the_strip(trace, maker):
    pictures = Pictures(maker)
    pictures.show(trace, trace.seq_len, Selection(head=0))
    settle(pictures, maker)
    before = list(pictures.heads)
    pictures.show(trace, trace.seq_len, Selection(head=2))
    assert all(old is new for old, new in zip(before, pictures.heads, strict=True))


def test_cleared_pictures_are_complete(trace, maker):
    pictures = Pictures(maker)
    pictures.show(trace, trace.seq_len, Selection())
    pictures.clear()
    assert pictures.grid is None
    assert pictures.complete


def arrays_of(trace, step, rows):
    import numpy as np

    from kvviz.trace.step import StepArrays

    layers = range(trace.config.model.shape.num_layers)
    return StepArrays(
        np.stack([trace.queries(layer)[:, rows] for layer in layers]),
        np.stack([trace.keys(layer)[:, rows] for layer in layers]),
        np.stack([trace.values(layer)[:, rows] for layer in layers]),
        trace.logits(step.index),
    )
