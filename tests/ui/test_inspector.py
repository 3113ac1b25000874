from dataclasses import replace

import numpy as np
import pytest
from engine_runs import config_of
from fake_store import FakeStore
from hand_made import hand_made_trace
from real_run import real_trace, small_config
from runner_stand import handled

from kvviz.session.attention import cell_facts
from kvviz.session.gap_text import gap_text
from kvviz.session.inspection import inspect_cell
from kvviz.session.number_text import number_text
from kvviz.session.regions import INSPECTOR_PARTS, Region
from kvviz.session.selection import Aggregate
from kvviz.sizing.shape import ModelShape
from kvviz.trace.messages import StartRun
from kvviz.trace.trace import Trace
from kvviz.ui.inspector_panel import InspectorPanel
from kvviz.ui.views.inspector import (
    FOUND,
    HELD_AGAINST,
    HELD_AGAINST_CODES,
    NO_CELL,
    NOT_RECORDED,
    ONE_HEAD,
    Inspector,
    heads_text,
)

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
    assert said[0] == "Layer 2, head 3 reads KV head 1, as heads 4 and 5 do"
    assert said[1:3] == ["Query of “You”", "Key of “on”"]
    assert said[4].endswith(f"= {facts.score:.2f}")
    assert "17 scores" in said[6]
    assert said[6].endswith(number_text(facts.weight))
    dot = view.parts[3]
    assert float(dot.figure) == pytest.approx(float(np.sum(dot.values)), abs=0.01)


def test_query_and_key_are_seen_however_unlike_their_sizes(view, fake):
    fake.select(cell=(16, 4), layer=2, head=3)
    for part in view.parts[1:3]:
        assert part.largest == pytest.approx(np.abs(part.values).max())
    assert view.parts[1].largest != view.parts[2].largest


@pytest.mark.parametrize("cell", [(4, 2), (9, 9)], ids=["prefill", "decode"])
def test_the_recomputed_output_is_held_against_the_models(qtbot, look, cell):
    store = FakeStore(real_trace(small_config()))
    view = Inspector(store, look)
    qtbot.addWidget(view)
    store.select(cell=cell, layer=1, head=3)
    gap = inspect_cell(store.trace, 1, 3, *cell).output_gap
    assert words(view)[-1] == f"{HELD_AGAINST} {gap_text(gap)}"
    assert float(view.parts[-1].figure) < 1e-6


def test_keys_that_have_become_codes_are_told_where_they_make_the_output_differ(qtbot, look):
    store = FakeStore(real_trace(config_of("quantized:int4/8+4")))
    view = Inspector(store, look)
    qtbot.addWidget(view)
    prompt = len(store.trace.config.prompt_ids)
    store.select(cell=(prompt - 1, 0), layer=1, head=0)
    assert view.cell.coded == 0
    assert words(view)[-1].startswith(HELD_AGAINST)
    assert view.cell.output_gap < 1e-5
    store.select(cell=(prompt + 3, 0))
    assert view.cell.coded == 4  # the prompt's others were codes at once
    assert words(view)[-1].startswith(HELD_AGAINST_CODES.format(coded=4))
    assert view.cell.output_gap > 1e-4


def test_where_the_models_output_is_not_there_that_is_said(view, fake):
    fake.select(cell=(16, 4), head=3)
    assert words(view)[-1] == NOT_RECORDED


def test_a_row_found_in_a_pool_has_no_query_to_show(qtbot, look):
    config = config_of("paged:2", shares_pool=True)
    _, inbox = handled(StartRun(1, config), StartRun(2, config))
    trace = Trace(config)
    for step, arrays in inbox.steps(2):
        trace.append(step, arrays)
    store = FakeStore(trace)
    view = Inspector(store, look)
    qtbot.addWidget(view)
    store.select(cell=(2, 1), head=0)
    assert words(view) == [FOUND]
    store.select(cell=(6, 1))
    assert view.cell is not None


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


@pytest.mark.parametrize(
    ("kv_heads", "said"),
    [
        (6, "head 2 with KV head 2, its own"),
        (3, "head 2 reads KV head 1, as head 3 does"),
        (1, "head 2 reads KV head 0, as heads 0, 1, 3, 4 and 5 do"),
    ],
)
def test_who_shares_a_kv_head_is_said(kv_heads, said):
    trace = hand_made_trace(shape=replace(SHAPE, num_kv_heads=kv_heads))
    assert heads_text(inspect_cell(trace, 0, 2, 8, 4)) == said


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


@pytest.mark.parametrize("height", [700, 240])
def test_a_part_is_scrolled_into_sight(qtbot, fake, look, height):
    panel = InspectorPanel(fake, look)
    qtbot.addWidget(panel)
    panel.resize(372, height)
    panel.show()
    assert panel.place_of(Region.INSPECTOR_SCORE) is None
    assert not panel.reveal(Region.INSPECTOR_SCORE)
    fake.select(cell=(16, 4), head=3)
    assert panel.place_of(Region.INSPECTOR).size() == panel.size().toSizeF()
    tops = []
    for region in INSPECTOR_PARTS:
        qtbot.waitUntil(lambda: panel.inspector.height() >= panel.inspector.sizeHint().height())
        assert panel.reveal(region)
        whole, place = panel.inspector.place_of(region), panel.place_of(region)
        least = min(whole.height(), panel.area.viewport().height() / 2)
        assert place.height() >= least
        assert panel.rect().toRectF().contains(place)
        tops.append(whole.top())
    assert tops == sorted(tops)
