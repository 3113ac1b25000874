"""Layouts compared in the window's own parts, over a worker that runs what the test hands in."""

import csv
import io
from dataclasses import replace
from itertools import pairwise

import pytest
from chart_stand import put_up
from comparison_stand import SIX, compare, finish, trace_of
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from still_worker import deliver, fail, play

from kvviz.session.layout_choice import PRESETS
from kvviz.session.settings import settings_of
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import layout_text
from kvviz.trace.messages import EndReason, RunFinished
from kvviz.ui.centre import Centre
from kvviz.ui.comparison.table_words import PAIRS, pair_texts
from kvviz.ui.panels.compare_panel import ComparePanel
from kvviz.ui.panels.set_row import SetRow


@pytest.fixture
def compared(store, worker):
    """Start the six; return their runs."""

    def start(layouts=SIX, ended=None):
        return compare(store, worker, layouts, ended)

    return start


@pytest.fixture
def centre(qtbot, store, look):
    return put_up(qtbot, Centre(store, look), 760, 800)


def texts(centre, column):
    view = centre.comparison.view
    return [pair_texts(view.table, place, PAIRS[column]) for place in range(len(view.runs))]


def test_layouts_run_one_after_another_at_full_speed(store, worker, compared):
    runs = compared(ended=1)
    assert [command.run_id for command in worker.started] == [run.run_id for run in runs[:2]]
    assert worker.allowed[runs[1].run_id] is None
    for run in runs[1:]:
        finish(store, worker, run)
    assert [layout_text(run.config.layout) for run in runs] == list(PRESETS[0].texts)
    assert len({run.config.prompt_ids for run in runs}) == 1
    assert store.runs.live is None


def test_the_table_takes_the_grids_place_and_gives_it_back(centre, store, compared):
    assert centre.grid.isVisible()
    compared()
    assert centre.comparison.isVisible()
    assert not centre.grid.isVisible()
    assert len(centre.comparison.view.runs) == 6
    centre.comparison.back.click()
    assert centre.grid.isVisible()
    assert not centre.comparison.isVisible()


def test_a_row_has_its_figures_when_its_run_has_ended(centre, compared):
    compared(ended=2)
    assert not centre.comparison.differences.isVisible()
    assert texts(centre, 0)[0] == ("ref.", "")
    assert texts(centre, 0)[1] == ("✓ same", "0")
    assert texts(centre, 4)[1][0] != "–"  # noqa: RUF001
    assert texts(centre, 4)[2][0] == "–"  # noqa: RUF001
    assert "3 of 6: preallocated" in centre.comparison.words.text()
    assert centre.comparison.progress.isVisible()
    assert "formula = tensors" in centre.comparison.verdict.text()


def test_stop_ends_it_and_keeps_what_there_is(centre, store, worker, compared):
    runs = compared(ended=2)
    centre.comparison.stop.click()
    assert worker.cancelled == [runs[2].run_id]
    deliver(store, worker, RunFinished(runs[2].run_id, EndReason.CANCELLED, False))
    assert not centre.comparison.stop.isVisible()
    assert not centre.comparison.progress.isVisible()
    assert len(worker.started) == 3
    assert store.runs.compared == runs


def test_sliders_moved_meanwhile_do_not_break_it(qtbot, store, worker, compared):
    runs = compared(ended=1)
    store.change("num_layers", 2)
    qtbot.waitUntil(lambda: store.notice is not None)
    assert not store.notice.is_error
    assert "comparison goes on" in store.notice.text
    for run in runs[1:]:
        finish(store, worker, run)
    assert {run.config.model.shape.num_layers for run in runs} == {4}
    assert store.controls.settings.num_layers == 2
    assert len(worker.started) == 6


def test_a_run_asked_for_outright_ends_it(centre, store, worker, compared):
    runs = compared(ended=1)
    store.run()
    assert store.shown not in runs
    assert store.runs.compared == ()
    assert centre.grid.isVisible()
    assert worker.started[-1].run_id == store.shown.run_id


def test_one_that_fails_says_why_and_the_next_follows(centre, store, worker, compared):
    runs = compared(ended=1)
    fail(store, worker, runs[1].run_id, "Out of memory at step 3.")
    assert worker.started[-1].run_id == runs[2].run_id
    view = centre.comparison.view
    tip = view.explained(view.row_box(1).center())
    assert "Out of memory at step 3." in tip


def test_the_first_to_end_is_shown_round_the_table(store, worker, compared):
    store.run()
    before = store.shown
    play(store, worker, before.run_id, trace_of(before))
    runs = compared(ended=0)
    assert store.shown is before
    finish(store, worker, runs[0])
    assert store.shown is runs[0]
    assert store.cursor == len(runs[0].trace) - 1
    assert before in store.runs.runs


def test_a_press_on_a_row_shows_that_run_and_the_table_stays(qtbot, centre, store, compared):
    runs = compared(ended=6)
    view = centre.comparison.view
    place = view.row_box(3).center().toPoint()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert store.shown is runs[3]
    assert centre.comparison.isVisible()
    assert store.controls.settings.layout is LayoutKind.PAGED
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert store.shown is runs[4]
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert store.shown is runs[3]
    assert centre.grid.isVisible()


def test_a_row_that_has_not_ended_is_not_shown(qtbot, centre, store, compared):
    runs = compared(ended=1)
    view = centre.comparison.view
    for place in (1, 2):
        qtbot.mouseClick(
            view, Qt.MouseButton.LeftButton, pos=view.row_box(place).center().toPoint()
        )
    assert store.shown is runs[0]


def test_a_figure_is_told_to_the_byte_and_a_difference_by_its_token(qtbot, centre, store, worker):
    store.compare(SIX[:2])
    reference, other = store.runs.compared
    finish(store, worker, reference)
    trace = trace_of(other)
    trace.steps[6] = replace(trace.steps[6], token_id=trace.steps[6].token_id + 1, piece=" hat")
    finish(store, worker, other, trace)
    view = centre.comparison.view
    assert texts(centre, 0)[1][0] == "✗ 7"
    qtbot.waitUntil(lambda: view.height() == view.sizeHint().height())
    row = view.row_box(1).center().y()
    assert len(centre.comparison.differences.lines) == 2
    assert " hat" in centre.comparison.differences.lines[0]
    assert centre.comparison.differences.isVisible()
    tips = [view.explained(QPointF(view.cell_box(n).center().x(), row)) for n in (0, 4, 6)]
    assert "Token 7" in tips[0]
    assert "' hat'" in tips[0]
    last = other.trace.steps[-1].measured
    assert f"{last.reserved:,} bytes" in tips[1]
    assert f"{last.copied:,} bytes" in tips[2]


def test_heads_say_what_a_column_is(centre, compared):
    compared()
    view = centre.comparison.view
    middles = [view.cell_box(n).center().x() for n in range(len(PAIRS))]
    tips = [view.explained(QPointF(x, 3)) for x in middles]
    assert all("Measured." in tip for tip in tips)
    assert "Slack" in tips[4]


def test_the_table_is_copied_as_markdown_and_as_csv(centre, store, compared):
    compared(ended=6)
    markdown, as_csv = centre.comparison._menu.actions()
    markdown.trigger()
    assert QGuiApplication.clipboard().text() == centre.comparison.markdown()
    as_csv.trigger()
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [row["cache"] for row in rows] == list(PRESETS[0].texts)
    assert store.notice.text == "The table is on the clipboard."


def test_nothing_is_written_outside_the_table(centre, look, compared):
    compared(ended=6)
    view = centre.comparison.view
    view.resize(view.minimumSizeHint())
    boxes = [view.cell_box(n) for n in range(len(PAIRS))]
    assert boxes[0].left() >= 140
    assert boxes[-1].right() <= view.width()
    assert all(a.right() <= b.left() + 1e-6 for a, b in pairwise(boxes))
    assert view.row_at(view.row_box(5).bottom() + 1) is None
    assert view.row_at(1) is None


# In the list


def test_the_list_has_one_row_for_all_of_them(qtbot, store, worker, look, compared, monkeypatch):
    monkeypatch.setattr(store.frames, "ask", lambda draw: draw())
    panel = put_up(qtbot, ComparePanel(store, look), 248, 400)
    runs = compared(ended=1)
    assert panel.listed == [runs[0].run_id]
    row = panel.rows[runs[0].run_id]
    assert isinstance(row, SetRow)
    assert "running 2 of 6" in row.detail
    assert row.pin.isHidden()
    store.run()
    deliver(store, worker, RunFinished(runs[1].run_id, EndReason.CANCELLED, False))
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert store.runs.compared == runs
    assert "1 of 6 ended" in row.detail
    qtbot.keyClick(row, Qt.Key.Key_Delete)
    assert not set(runs) & set(store.runs.runs)
    assert store.runs.compared == ()


def test_the_panel_asks_which(qtbot, store, look):
    panel = put_up(qtbot, ComparePanel(store, look), 248, 400)
    asked = []
    panel.layouts_wanted.connect(lambda: asked.append(True))
    panel.layouts.click()
    assert asked == [True]


def test_what_cannot_be_compared_is_said_and_nothing_starts(store, worker):
    store.compare(SIX[:1])
    assert "one more" in store.notice.text
    assert worker.started == []
    assert store.runs.compared == ()


def test_a_shown_run_is_what_the_controls_say_with_all_its_numbers(store, worker):
    layout = CacheLayout(
        LayoutKind.QUANTIZED,
        DType.BFLOAT16,
        DType.FLOAT16,
        bits=4,
        group=16,
        residual=8,
        window=24,
    )
    store.compare([*SIX[:1], layout])
    for run in store.runs.compared:
        finish(store, worker, run)
    store.show_run(store.runs.compared[1].run_id)
    assert store.controls.planned.layout == layout
    assert settings_of(store.controls.planned) == store.controls.settings


@pytest.mark.parametrize("width", [320, 370, 520, 560])
def test_no_button_of_the_heading_is_cut_at_any_width(qtbot, dressed, centre, compared, width):
    compared()
    page = centre.comparison
    centre.setMinimumSize(1, 1)
    centre.resize(width + 32, 500)
    qtbot.waitUntil(lambda: page.width() == width)
    page.header.layout().activate()
    for button in (page.change, page.copy, page.back):
        assert button.width() >= button.sizeHint().width()
        assert button.geometry().right() < page.width()
