import pytest
from chart_stand import TINY, holds, put_up, store_of
from fake_store import FakeStore
from hand_made import concat, hand_made_trace, no_cache
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QWidget

from kvviz.session.selection import Counted, Pointer
from kvviz.sizing.work import naive_score_cells
from kvviz.trace.work import totals
from kvviz.ui.stylesheet import Wardrobe
from kvviz.ui.views.axis import TIMES
from kvviz.ui.views.work_chart import WorkChart


def chart_of(qtbot, look, store, **size):
    return put_up(qtbot, WorkChart(store, look), **size)


def plain(chart):
    return chart.words.text().split(">", 1)[-1].replace("</span>", "")


def test_the_curves_end_at_the_totals_of_the_run(qtbot, look):
    store = store_of()
    chart = chart_of(qtbot, look, store)
    end = totals(store.trace)
    assert chart._done.y[-1] == end.score_cells
    assert chart._naive.y[-1] == end.naive_score_cells == naive_score_cells(6, 24)
    assert chart._done.x.tolist() == list(range(25))


def test_done_is_told_from_planned_at_the_cursor(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    assert chart._done.x[-1] == chart._plan.x[0] == 12
    assert chart._plan.x[-1] == 24
    assert chart.ratio_figure.text == f"6.1{TIMES}"
    assert chart.ratio_figure.unit == "less than no cache"
    store.seek(-1)
    assert chart.ratio_figure.text == "\N{EN DASH}"


def test_axes_hold_the_whole_plan_from_the_start(qtbot, look):
    store = store_of(cursor=-1)
    chart = chart_of(qtbot, look, store)
    scale = chart.chart.scale_of_plot
    assert (scale.x.high, scale.y.high) == (24, 5000)
    for cursor in range(24):
        store.seek(cursor)
        assert (chart.chart.scale_of_plot.x, chart.chart.scale_of_plot.y) == (scale.x, scale.y)


def test_positions_instead_of_cells(qtbot, look):
    store = store_of()
    chart = chart_of(qtbot, look, store)
    qtbot.mouseClick(chart.toggle.button(Counted.POSITIONS), Qt.MouseButton.LeftButton)
    end = totals(store.trace)
    assert chart.header.text == "Token positions"
    assert chart._done.y[-1] == end.token_positions == 29
    assert chart._naive.y[-1] == end.naive_token_positions
    assert chart.chart.numbers()[0][0] == "500 positions"


def test_what_is_added_up_can_be_chosen_elsewhere(qtbot, look):
    store = store_of()
    chart = chart_of(qtbot, look, store)
    store.select(counted=Counted.POSITIONS)
    assert chart.toggle.value is Counted.POSITIONS
    assert chart.header.text == "Token positions"
    store.select(cell=(3, 1))
    assert chart.header.text == "Token positions"


def test_a_run_without_a_cache_claims_no_saving(qtbot, look):
    chart = chart_of(qtbot, look, store_of(hand_made_trace(layout=no_cache())))
    assert (chart.ratio_figure.text, chart.ratio_figure.unit) == (f"1{TIMES}", "no cache is kept")
    assert set(chart.chart.labels()) == {"as run: no cache"}


def test_a_ghost_that_is_the_grey_line_is_drawn_once(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    assert set(chart.chart.labels()) == {"no cache", "cached"}
    store.add_reference(hand_made_trace(layout=no_cache()))
    assert set(chart.chart.labels()) == {"no cache (pinned)", "cached"}
    assert len(chart._ghost.x) == 0


def test_another_ghost_has_a_line_and_a_name(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    ghost = store.add_reference(hand_made_trace(prompt_tokens=20, layout=concat()))
    assert chart._ghost.y[-1] == totals(ghost.trace).score_cells
    assert "concat (pinned)" in chart.chart.labels()


@pytest.mark.parametrize("counted", list(Counted))
@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("new_tokens", [3, 24, 3000])
def test_nothing_is_clipped_or_crossed(qtbot, dressed, zoom, new_tokens, counted):
    dressed.set_zoom(zoom)
    store = store_of(hand_made_trace(new_tokens=new_tokens, shape=TINY))
    chart = chart_of(qtbot, dressed, store, width=round(344 * zoom), height=round(190 * zoom))
    chart.toggle.button(counted).click()
    assert chart.header.minimumSizeHint().width() <= chart.width()
    toggle = QRectF(chart.toggle.geometry())
    assert holds(QRectF(chart.chart.rect()), toggle)
    for text, box in [*chart.chart.labels().items(), *chart.chart.numbers()]:
        assert holds(QRectF(chart.chart.rect()), box), text
        assert not box.intersects(toggle), text


def test_hover_click_and_readout(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    chart.chart.hovered.emit(5.1)
    assert store.pointer == Pointer(row=9)
    assert plain(chart) == "5 tokens · 55 cells · no cache 185 · formula"
    ring = chart.chart.pointer_ring
    assert (ring.x, ring.y) == (5, 55)
    chart.chart.clicked.emit(1.2)
    assert store.cursor == 0
    assert plain(chart).startswith("added up")
    chart.chart.clicked.emit(-5.0)
    assert store.cursor == 0


def test_a_chunk_that_chose_nothing_is_no_point(qtbot, look):
    store = store_of(hand_made_trace(chunk=4))
    chart = chart_of(qtbot, look, store)
    store.point(Pointer(row=2))
    assert chart.chart.pointer_ring is None
    assert plain(chart) == "step 0 · chose no token"
    chart.chart.clicked.emit(1.0)
    assert store.cursor == 1


def test_without_a_run_nothing_is_claimed(qtbot, look):
    chart = chart_of(qtbot, look, FakeStore())
    assert chart.ratio_figure.text == "\N{EN DASH}"
    assert chart.chart.labels() == {}


def test_a_ghost_of_the_same_work_keeps_its_name(qtbot, qapp, look):
    store = store_of()
    store.add_reference(hand_made_trace())
    chart = put_up(qtbot, WorkChart(store, look))
    assert {"same settings (pinned)", "cached", "no cache"} <= set(chart.chart.labels())


def test_the_toggle_has_room_for_its_words_where_the_sheet_comes_last(qtbot, qapp, look):
    window = QWidget()
    qtbot.addWidget(window)
    chart = WorkChart(store_of(), look)
    chart.setParent(window)
    Wardrobe(qapp, look).dress_window(window)
    chart.resize(344, 212)
    window.show()
    assert chart.toggle.width() >= chart.toggle.sizeHint().width()
