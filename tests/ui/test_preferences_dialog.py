import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from kvviz.session.selection import ColorMap
from kvviz.ui.preferences import Preferences
from kvviz.ui.preferences_dialog import PERCENT, PreferencesDialog, percent_text
from kvviz.ui.theme import ThemeChoice


@pytest.fixture
def values():
    return Preferences()


@pytest.fixture
def dialog(qtbot, store, dressed, values):
    dialog = PreferencesDialog(store, dressed, values)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_theme_is_applied_at_once(qtbot, dialog, dressed):
    assert dialog.theme.value is ThemeChoice.DARK
    press(qtbot, dialog.theme.button(ThemeChoice.LIGHT))
    assert dressed.choice is ThemeChoice.LIGHT
    assert dialog.theme.value is ThemeChoice.LIGHT


def test_the_zoom_follows_once_the_slider_rests(qtbot, dialog, dressed):
    dialog.zoom.moved.emit(150.0)
    assert dressed.zoom == 1.0
    dialog.zoom.edit.typed.emit("150")
    assert dressed.zoom == 1.5
    assert dialog.zoom.edit.text() == "150 %"
    assert dialog.width() == dressed.px(420)


def test_the_colour_map_is_applied_and_kept(qtbot, dialog, store, values):
    press(qtbot, dialog.color_map.button(ColorMap.CIVIDIS))
    assert store.selection.color_map is ColorMap.CIVIDIS
    assert values.colour_map == "cividis"


def test_defaults_come_back_and_the_rest_stays(qtbot, dialog, store, dressed, values):
    values.last_folder, values.width = "/a", 800
    press(qtbot, dialog.color_map.button(ColorMap.CIVIDIS))
    dressed.set_zoom(2.0)
    press(qtbot, dialog.defaults)
    assert (dressed.choice, dressed.zoom) == (ThemeChoice.SYSTEM, 1.0)
    assert store.selection.color_map is ColorMap.VIRIDIS
    assert values == Preferences(last_folder="/a", width=800)
    assert dialog.theme.value is ThemeChoice.SYSTEM
    assert dialog.zoom.value == 100
    assert dialog.color_map.value is ColorMap.VIRIDIS


def test_follows_what_is_chosen_elsewhere(dialog, store, dressed):
    dressed.choose(ThemeChoice.LIGHT)
    dressed.set_zoom(1.25)
    store.select(color_map=ColorMap.CIVIDIS)
    assert dialog.theme.value is ThemeChoice.LIGHT
    assert dialog.zoom.value == 125
    assert dialog.color_map.value is ColorMap.CIVIDIS


def test_the_window_stays_in_use_and_esc_closes(qtbot, dialog):
    assert not dialog.isModal()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_close_closes(qtbot, dialog):
    press(qtbot, dialog.close_button)
    assert not dialog.isVisible()


@pytest.mark.parametrize("zoom", [0.75, 1.0, 2.0])
def test_no_word_is_cut(dialog, dressed, zoom):
    dressed.set_zoom(zoom)
    dialog.adjustSize()
    for button in dialog.findChildren(QPushButton):
        assert button.width() >= button.fontMetrics().horizontalAdvance(button.text())
    assert dialog.color_map.geometry().right() <= dialog.width() - dressed.px(24)


def test_every_step_of_the_zoom_is_written_in_whole_percent():
    assert [percent_text(percent) for percent in PERCENT][:4] == ["75 %", "88 %", "100 %", "112 %"]


def test_there_is_one_at_a_time(qtbot, store, dressed, values):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    PreferencesDialog(store, dressed, values, window).show()
    newest = PreferencesDialog(store, dressed, values, window)
    newest.show()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert window.findChildren(PreferencesDialog) == [newest]
    assert newest.isVisible()


def test_motion_can_be_reduced(dialog):
    dialog.motion.button(True).click()
    assert dialog._values.reduce_motion is True
    dialog.defaults.click()
    assert dialog._values.reduce_motion is False
    assert dialog.motion.value is False
