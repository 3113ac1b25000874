import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolTip, QWidget

from kvviz.ui.theme import DARK, LIGHT, ThemeChoice
from kvviz.ui.widgets.button import Button, IconButton
from kvviz.ui.widgets.explain import explain


@pytest.fixture
def run(qtbot, dressed):
    button = Button(dressed, "Run", "Start a run with these settings.", shortcut="Enter")
    qtbot.addWidget(button)
    return button


def test_it_says_what_it_does_and_its_key(run):
    assert "Start a run with these settings." in run.toolTip()
    assert "Key: Enter" in run.toolTip()
    assert run.accessibleDescription() == "Start a run with these settings. Key: Enter"


def test_off_it_says_why_first_and_cannot_be_pressed(qtbot, run):
    run.set_reason("The prompt is empty: type a few words.")
    assert run.reason == "The prompt is empty: type a few words."
    assert run.accessibleDescription().startswith("The prompt is empty")
    with qtbot.assertNotEmitted(run.clicked):
        QTest.mouseClick(run, Qt.MouseButton.LeftButton)
    run.set_reason(None)
    assert "empty" not in run.toolTip()
    with qtbot.waitSignal(run.clicked):
        QTest.mouseClick(run, Qt.MouseButton.LeftButton)


def test_the_reason_is_shown_although_it_is_off(qtbot, run):
    run.set_reason("The prompt is empty.")
    run.show()
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(4, 4), run.mapToGlobal(QPoint(4, 4)))
    QApplication.sendEvent(run, event)
    assert "The prompt is empty." in QToolTip.text()
    QToolTip.hideText()


def test_another_tooltip_keeps_the_reason(run):
    run.set_reason("No.")
    run.set_tooltip("Stop the run.")
    assert run.accessibleDescription() == "No. Stop the run. Key: Enter"


def test_a_click_leaves_the_keyboard_where_it_was(run):
    assert not run.focusPolicy() & Qt.FocusPolicy.ClickFocus
    assert run.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_primary_one_stands_out_in_both_themes(run, dressed):
    run.set_kind("primary")
    run.resize(120, 32)
    for choice, theme in ((ThemeChoice.DARK, DARK), (ThemeChoice.LIGHT, LIGHT)):
        dressed.choose(choice)
        assert run.grab().toImage().pixelColor(10, 16).name().upper() == theme.text


@pytest.mark.parametrize("zoom", [0.75, 1.0, 1.25, 2.0])
@pytest.mark.parametrize(("small", "units"), [(False, 32), (True, 22)])
def test_an_icon_button_is_square_in_a_layout(qtbot, dressed, zoom, small, units):
    dressed.set_zoom(zoom)
    panel = QWidget()
    qtbot.addWidget(panel)
    row = QHBoxLayout(panel)
    button = IconButton(dressed, "play", "Play", "Space", small=small)
    row.addWidget(button)
    panel.resize(300, 200)
    panel.show()
    assert (button.width(), button.height()) == (round(units * zoom), round(units * zoom))


def test_an_icon_button_is_named_by_its_tooltip(qtbot, look):
    button = IconButton(look, "play", "Play. Shows one step after the other.", "Space")
    named = IconButton(look, "close", "Close this notice", name="Close")
    for widget in (button, named):
        qtbot.addWidget(widget)
    assert button.accessibleName() == "Play"
    assert named.accessibleName() == "Close"


def test_another_icon_is_drawn(qtbot, dressed):
    button = IconButton(dressed, "play", "Play")
    qtbot.addWidget(button)
    before = button.grab().toImage()
    button.set_icon("pause")
    assert button.grab().toImage() != before


def test_tooltips_are_text_not_markup(qtbot, run):
    explain(run, "Weights < 0.5 & > 0", "a <b> c")
    assert "a &lt;b&gt; c" in run.toolTip()
    assert "Weights &lt; 0.5 &amp; &gt; 0" in run.toolTip()
    assert run.accessibleDescription() == "a <b> c Weights < 0.5 & > 0"
    explain(run, "")
    assert run.toolTip() == ""
