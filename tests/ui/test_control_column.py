from dataclasses import replace
from itertools import pairwise

import pytest
from hand_made import hand_made_trace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
)
from still_worker import play, ready

from kvviz.session.settings import Settings
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.ui.panels.control_column import ControlColumn
from kvviz.ui.panels.run_row import RunRow
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.widgets.button import IconButton
from kvviz.ui.widgets.label import Label

CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QSlider)
WIDEST = replace(
    Settings(),
    num_layers=24,
    num_heads=32,
    num_kv_heads=16,
    head_dim=128,
    dtype=DType.BFLOAT16,
    kv_dtype=DType.FLOAT16,
    layout=LayoutKind.NONE,
    max_seq_len=4095,
    max_new_tokens=1999,
    temperature=0.85,
    top_p=0.95,
    seed=2**31 - 1,
    prompt="word " * 400,
)


@pytest.fixture
def column(qtbot, dressed, store):
    column = ControlColumn(store, dressed)
    qtbot.addWidget(column)
    column.resize(column.sizeHint().width(), 616)
    return column


def run_to_the_end(store, worker):
    store.run()
    config = store.shown.config
    trace = hand_made_trace(
        len(config.prompt_ids),
        config.max_new_tokens,
        shape=config.model.shape,
        layout=config.layout,
        max_seq_len=config.max_seq_len,
    )
    play(store, worker, store.shown.run_id, trace)


def controls_of(column):
    return [
        widget
        for kind in CONTROLS
        for widget in column.findChildren(kind)
        if widget.isVisible() and widget.objectName() != "qt_spinbox_lineedit"
    ]


def unfold(column):
    for panel in (column.shape_panel, column.cache, column.generation):
        panel.more.setChecked(True)


def shown_in(qtbot, column):
    column.show()
    qtbot.waitExposed(column)
    for _ in range(5):  # layouts inside layouts ask for room one after the other
        QApplication.processEvents()
    return column


def test_every_control_has_a_name_and_says_what_it_does(qtbot, column, store, worker):
    run_to_the_end(store, worker)
    unfold(column)
    store.change("temperature", 0.8)
    shown_in(qtbot, column)
    controls = controls_of(column)
    assert len(controls) > 40
    for control in controls:
        explained = control.toolTip() or control.parentWidget().toolTip()
        assert explained, control
        named = control.accessibleName() or (
            isinstance(control, QAbstractButton) and control.text()
        )
        assert named, control


def test_every_slider_says_its_limits_and_its_keys(qtbot, column):
    shown_in(qtbot, column)
    for slider in column.findChildren(QSlider):
        said = slider.accessibleDescription()
        assert " to " in said or ", " in said
        assert "Keys" in said


def test_every_label_of_a_row_has_a_buddy(column):
    named = [label for label in column.findChildren(QLabel) if label.buddy() is not None]
    assert len(named) >= 17


@pytest.mark.parametrize(
    ("theme", "zoom"),
    [(ThemeChoice.DARK, 1.0), (ThemeChoice.LIGHT, 2.0), (ThemeChoice.LIGHT, 0.875)],
)
@pytest.mark.parametrize("settings", [Settings(), WIDEST], ids=["default", "widest"])
def test_nothing_is_clipped_at_280_px(qtbot, column, dressed, store, worker, theme, zoom, settings):
    ready(store, worker, ("cpu", "cuda"))
    run_to_the_end(store, worker)
    store.apply(settings)
    dressed.choose(theme)
    dressed.set_zoom(zoom)
    unfold(column)
    shown_in(qtbot, column)
    column.resize(column.minimumSizeHint().width(), dressed.px(616))
    shown_in(qtbot, column)
    if zoom >= 1:
        assert column.width() == dressed.px(280)
    viewport = column.area.viewport()
    assert column.area.widget().width() <= viewport.width()
    assert column.area.widget().minimumSizeHint().width() <= viewport.width()
    for widget in [*controls_of(column), *column.findChildren(QLabel)]:
        if not widget.isVisible() or isinstance(widget, QPlainTextEdit | IconButton):
            continue
        right = widget.mapTo(column, QPoint(widget.width(), 0)).x()
        assert right <= column.width(), widget
        if isinstance(widget, Label) and widget.wordWrap():
            assert widget.height() >= widget.heightForWidth(widget.width()), widget.text()
        elif isinstance(widget, QLabel | QAbstractButton):
            assert isinstance(widget, RunRow) or widget.width() >= widget.sizeHint().width()
            assert widget.height() >= widget.sizeHint().height() - 1, widget.text()
        elif isinstance(widget, QLineEdit):
            text = widget.fontMetrics().horizontalAdvance(widget.text())
            assert text <= widget.width() - dressed.px(4), widget.text()


def test_every_text_follows_the_zoom(qtbot, column, dressed, store, worker):
    run_to_the_end(store, worker)
    shown_in(qtbot, column)
    dressed.set_zoom(2.0)
    store.change("max_new_tokens", 60)  # over what there is room for: the value is marked
    for widget in [*controls_of(column), *column.findChildren(QLabel)]:
        said = widget.accessibleName() or widget.text()
        assert isinstance(widget, QSlider | RunRow) or widget.font().pixelSize() in (22, 26), said


def test_what_does_not_fit_scrolls_and_nothing_moves_sideways(qtbot, column, dressed):
    shown_in(qtbot, column)
    bar = column.area.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.isVisible()
    assert bar.width() <= dressed.px(8)
    before = column.prompt.edit.width()
    column.resize(column.width(), column.sizeHint().height() + 40)
    qtbot.waitUntil(lambda: not bar.isVisible())
    assert column.prompt.edit.width() == before


def test_a_bar_that_comes_and_goes_with_its_margin_comes_to_rest(column, monkeypatch):
    bar, asked = column.area.verticalScrollBar(), []

    def scrolls(_column):
        asked.append(True)
        if len(asked) < 50:
            bar.rangeChanged.emit(0, len(asked) % 2)
        return False

    monkeypatch.setattr(type(column), "_scrolls", property(scrolls))
    column._fit_margins()
    assert len(asked) < 5


def test_tab_goes_down_the_column(qtbot, column, store, worker):
    run_to_the_end(store, worker)
    run_to_the_end(store, worker)
    column.resize(column.width(), 796)
    shown_in(qtbot, column)
    widget, heights = column.prompt.edit, []
    for _ in range(200):
        widget = widget.nextInFocusChain()
        if widget is column.prompt.edit:
            break
        reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if reached and widget.isEnabled() and isinstance(widget, CONTROLS):
            heights.append(widget.mapTo(column, widget.rect().center()).y())
    assert len(heights) > 12
    below_presets = heights[1:]
    assert all(later >= earlier - 14 for earlier, later in pairwise(below_presets))


def test_dragging_and_running_twenty_times_asks_for_one_run_each(column, store, worker):
    for value in range(1, 21):
        column.shape_panel.rows["num_layers"].moved.emit(value)
    assert not worker.sent
    for _ in range(20):
        column.prompt.edit.entered.emit()
    assert len(worker.started) == 20
    assert store.runs.live.run_id == worker.started[-1].run_id


def test_showing_settings_asks_for_nothing(qtbot, column, store, worker):
    before = store.controls.settings
    store.apply(WIDEST)
    store.undo()
    store._rest.stop()
    assert store.controls.settings == before
    assert not worker.sent
    assert not store.controls.can_undo


def test_the_ground_is_the_panels(qtbot, column, dressed):
    shown_in(qtbot, column)
    for theme in (ThemeChoice.DARK, ThemeChoice.LIGHT):
        dressed.choose(theme)
        picture = column.grab().toImage()
        assert picture.pixelColor(3, 3) == dressed.color("bg1")


def in_sight(widget):
    return widget.visibleRegion().boundingRect().size() == widget.size()


@pytest.mark.parametrize("height", [796, 616], ids=["1440x900", "1280x720"])
def test_run_the_runs_and_the_proof_are_in_sight(qtbot, column, store, worker, height):
    run_to_the_end(store, worker)
    run_to_the_end(store, worker)
    column.resize(column.width(), height)
    shown_in(qtbot, column)
    column.compare.prove.click()
    reference = store.runs.reference
    shape = reference.config.model.shape
    trace = hand_made_trace(18, 24, shape=shape, layout=reference.config.layout)
    play(store, worker, reference.run_id, trace)
    shown_in(qtbot, column)
    compare = column.compare
    newest, second = (compare.rows[run_id] for run_id in compare.listed[:2])
    for widget in (column.prompt.run_button, compare.prove, compare.verdict, newest):
        assert in_sight(widget)
    assert second.visibleRegion().boundingRect().height() >= second.height() // 2


def test_at_1440_by_900_nothing_scrolls(qtbot, column, store, worker):
    run_to_the_end(store, worker)
    run_to_the_end(store, worker)
    run_to_the_end(store, worker)
    store.change("temperature", 0.8)
    column.resize(column.width(), 796)
    shown_in(qtbot, column)
    assert column.area.verticalScrollBar().maximum() == 0


def test_a_long_list_of_runs_scrolls_by_itself(qtbot, column, store, worker):
    for _ in range(10):
        run_to_the_end(store, worker)
    column.resize(column.width(), 796)
    shown_in(qtbot, column)
    assert column.compare.area.verticalScrollBar().maximum() > 0
    assert in_sight(column.generation.sampling)
