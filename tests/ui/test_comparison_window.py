"""Layouts compared in the real window, by a model that runs."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from kvviz.session.layout_choice import PRESETS
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.layout_text import layout_text
from kvviz.ui.comparison.sheet import ComparisonSheet


def wait_for_the_end(qtbot, store):
    qtbot.waitUntil(
        lambda: store.shown is not None and store.runs.live is None and store.frames.idle
    )


def test_six_layouts_from_a_key_to_the_grid_and_back(qtbot, window):
    store = window.store
    wait_for_the_end(qtbot, store)
    qtbot.keyClick(window, Qt.Key.Key_C)
    [sheet] = window.findChildren(ComparisonSheet)
    sheet.compare_button.click()
    runs = store.runs.compared
    page = window.playground.centre.comparison
    assert page.isVisible()
    qtbot.waitUntil(lambda: all(row.ended for row in page.view.table.rows))
    assert [layout_text(run.config.layout) for run in runs] == list(PRESETS[0].texts)
    rows = {row.run.config.layout.kind: row for row in page.view.table.rows}
    exact = (LayoutKind.CONCAT, LayoutKind.PREALLOCATED, LayoutKind.PAGED)
    assert all(rows[kind].proof.same_tokens for kind in exact)
    assert all(rows[kind].proof.max_logit_gap < 1e-4 for kind in exact)
    assert page.view.table.agrees
    assert rows[LayoutKind.CONCAT].figures["bytes_copied_all"] > 0
    assert rows[LayoutKind.PREALLOCATED].figures["bytes_copied_all"] == 0
    assert window.playground.right.currentWidget() is window.playground.comparison.charts

    window.activateWindow()  # no desktop does it here once the sheet is gone
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.playground.centre.grid.isVisible()
    assert window.playground.right.currentWidget() is window.playground.charts
    assert store.shown is runs[0]


def test_the_sheet_offers_what_was_compared_last(qtbot, window):
    wait_for_the_end(qtbot, window.store)
    window.playground.comparison.ask()
    [sheet] = window.findChildren(ComparisonSheet)
    sheet.presets[1].click()
    sheet.compare_button.click()
    wait_for_the_end(qtbot, window.store)
    window.playground.centre.comparison.change.click()
    again = next(s for s in window.findChildren(ComparisonSheet) if s.isVisible())
    assert [layout_text(layout) for layout in again.layouts] == list(PRESETS[1].texts)
    again.reject()
    assert window.playground.centre.comparison.isVisible()


def test_without_a_prompt_the_question_is_not_asked(qtbot, window):
    wait_for_the_end(qtbot, window.store)
    window.store.change("prompt", " ")
    window.playground.comparison.ask()
    assert window.findChildren(ComparisonSheet) == []
    assert "prompt is empty" in window.store.notice.text
