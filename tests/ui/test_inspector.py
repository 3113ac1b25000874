from dataclasses import replace

import numpy as np
import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace

from kvviz.session.attention import cell_facts
from kvviz.session.selection import Aggregate
from kvviz.sizing.shape import ModelShape
from kvviz.ui.inspector_panel import InspectorPanel
from kvviz.ui.views.inspector import NO_CELL, ONE_HEAD, Inspector, heads_text, weight_text

SHAPE = ModelShape(num_layers=4, num_heads=6, num_kv_heads=2, head_dim=32)


@pytest.fixture
def fake(qapp):
    return FakeStore(hand_made_trace())


@pytest.fixture
def view(qtbot, fake, look):
    view = Inspector(fake, look)
    qtbot.addWidget(view)
    return view


def words(view):
    return [f"{part.words} {part.figure}".strip() for part in view.parts]


def test_without_a_cell_it_says_what_to_do(view):
    assert words(view) == [NO_CELL]


def test_a_cell_is_taken_apart(view, fake):
    fake.select(cell=(16, 4), layer=2, head=3)
    facts = cell_facts(fake.trace, 2, 3, 16, 4)
    assert view.cell.weight == pytest.approx(facts.weight)
    said = words(view)
    assert said[0] == "Layer 2, head 3 reads KV head 1, as heads 4, 5 do"
    assert said[1:3] == ["Query of “You”", "Key of “on”"]
    assert said[4].endswith(f"= {facts.score:.2f}")
    assert "17 scores" in said[6]
    assert said[6].endswith(weight_text(facts.weight))
    dot = view.parts[3]
    assert float(dot.figure) == pytest.approx(float(np.sum(dot.values)), abs=0.01)


def test_it_follows_the_cell_cursor(view, fake):
    fake.select(cell=(16, 4), head=0)
    before = view.cell
    fake.move_cell(0, 1)
    assert (view.cell.query, view.cell.key) == (16, 5)
    assert view.cell.weight != before.weight
    fake.seek(2)
    assert view.cell is None  # the row is not computed yet at this step


def test_heads_put_together_have_no_cell_of_their_own(view, fake):
    fake.select(cell=(16, 4), head=Aggregate.MEAN)
    assert words(view) == [ONE_HEAD]


def test_mha_has_a_kv_head_of_its_own(qtbot, look):
    shape = replace(SHAPE, num_kv_heads=6)
    store = FakeStore(hand_made_trace(shape=shape))
    view = Inspector(store, look)
    qtbot.addWidget(view)
    store.select(cell=(8, 4), head=2)
    assert heads_text(view.cell) == "head 2 with KV head 2, its own"


def test_cap_and_window_are_told(qtbot, look):
    shape = replace(SHAPE, score_cap=5.0, windows=(3, 3, 3, 3))
    store = FakeStore(hand_made_trace(shape=shape))
    view = Inspector(store, look)
    qtbot.addWidget(view)
    store.select(cell=(12, 2), head=2)
    said = words(view)
    assert any(line.startswith("Capped at 5") for line in said)
    assert "Masked: the key lies outside the window of 3 tokens" in said
    assert any("3 scores" in line and line.endswith("0.00") for line in said)


@pytest.mark.parametrize("zoom", [1.0, 1.25, 2.0])
def test_every_word_has_its_room(view, fake, look, zoom):
    look.set_zoom(zoom)
    fake.select(cell=(16, 4), head=3)
    view.resize(view.minimumSizeHint().width(), view.sizeHint().height())
    metrics = view.fontMetrics()
    for part in view.parts:
        for line in view._lines(part):
            assert metrics.horizontalAdvance(line) <= view.width() * 1.2
    assert view.grab().toImage().width() > 0


def test_the_panel_says_which_cell_and_closes(qtbot, fake, look):
    panel = InspectorPanel(fake, look)
    qtbot.addWidget(panel)
    panel.resize(372, 700)
    fake.select(cell=(16, 4), head=3)
    panel.show()
    assert "You" in panel.words.text
    with qtbot.waitSignal(panel.closed):
        panel.close_button.click()
