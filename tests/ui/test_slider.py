import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import DARK
from kvviz.ui.widgets.slider import Slider

LEFT = Qt.MouseButton.LeftButton


class Heard:
    """Everything the slider said, in order."""

    def __init__(self, slider):
        self.said = []
        for name in ("moved", "settled", "typing"):
            getattr(slider, name).connect(lambda value, name=name: self.said.append((name, value)))
        slider.stopped.connect(lambda: self.said.append(("stopped",)))

    def of(self, name):
        return [value for said, *value in self.said if said == name]


@pytest.fixture
def slider(qtbot, look):
    slider = Slider(look, 100, 50)
    qtbot.addWidget(slider)
    slider.resize(215, 24)
    slider.show()
    return slider


@pytest.fixture
def heard(slider):
    return Heard(slider)


def place(slider, position):
    return QPoint(round(slider.x_of(position)), 12)


def turn(slider, notches):
    """Turn the wheel over the slider; return whether it took the event."""
    middle = QPointF(slider.rect().center())
    event = QWheelEvent(
        middle,
        slider.mapToGlobal(middle),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    event.ignore()
    slider.wheelEvent(event)
    return event.isAccepted()


def test_dragging_moves_and_letting_go_settles(slider, heard):
    QTest.mousePress(slider, LEFT, pos=place(slider, 20))
    QTest.mouseMove(slider, place(slider, 30))
    QTest.mouseMove(slider, place(slider, 40))
    assert heard.of("moved") == [[20], [30], [40]]
    assert heard.of("settled") == []
    QTest.mouseRelease(slider, LEFT, pos=place(slider, 40))
    assert heard.of("settled") == [[40]]


def test_a_drag_leaves_the_keyboard_where_it_was(slider):
    assert slider.focusPolicy() == Qt.FocusPolicy.TabFocus


def test_the_pointer_can_leave_at_both_ends(slider, heard):
    QTest.mousePress(slider, LEFT, pos=place(slider, 50))
    QTest.mouseMove(slider, QPoint(-500, 12))
    QTest.mouseMove(slider, QPoint(900, -70))
    QTest.mouseRelease(slider, LEFT, pos=QPoint(900, -70))
    assert heard.of("moved") == [[0], [100]]
    assert heard.of("settled") == [[100]]


def test_a_press_that_moves_nothing_says_nothing(slider, heard):
    QTest.mouseClick(slider, LEFT, pos=place(slider, 50))
    QTest.mouseClick(slider, Qt.MouseButton.RightButton, pos=place(slider, 10))
    assert heard.said == []


@pytest.mark.parametrize(
    ("key", "position"),
    [
        (Qt.Key.Key_Right, 51),
        (Qt.Key.Key_Up, 51),
        (Qt.Key.Key_Left, 49),
        (Qt.Key.Key_PageUp, 60),
        (Qt.Key.Key_PageDown, 40),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 100),
    ],
)
def test_a_key_moves_and_settles(slider, heard, key, position):
    QTest.keyClick(slider, key)
    assert heard.said == [("moved", position), ("settled", position)]


def test_a_held_key_settles_once_it_is_let_go(slider, heard):
    def send(kind, repeated):
        key = Qt.Key.Key_Right
        event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, "", repeated)
        QApplication.sendEvent(slider, event)

    send(QKeyEvent.Type.KeyPress, False)
    for _ in range(3):
        send(QKeyEvent.Type.KeyRelease, True)
        send(QKeyEvent.Type.KeyPress, True)
    assert heard.of("settled") == [[51]]
    send(QKeyEvent.Type.KeyRelease, False)
    assert heard.of("settled") == [[51], [54]]


def test_the_wheel_is_the_panels_without_the_focus(slider, heard):
    slider.clearFocus()
    assert not turn(slider, 1)
    assert heard.said == []


def test_the_wheel_settles_when_it_rests(qtbot, slider, heard):
    slider.activateWindow()
    slider.setFocus()
    qtbot.waitUntil(slider.hasFocus)
    with qtbot.waitSignal(slider.settled) as rested:
        assert turn(slider, 1)
        assert turn(slider, 1)
        assert heard.of("settled") == []
    assert rested.args == [slider.value()]
    assert slider.value() > 50
    assert len(heard.of("settled")) == 1


def test_code_moves_it_silently(slider, heard):
    slider.set_position(10)
    slider.set_last(20)
    slider.set_position(99)
    assert slider.value() == 20
    assert heard.said == []


@pytest.mark.parametrize("way", ["drag", "key", "screen reader"])
def test_nothing_gets_past_the_limit(qtbot, slider, heard, way):
    slider.set_limit(60)
    if way == "drag":
        QTest.mousePress(slider, LEFT, pos=place(slider, 90))
        QTest.mouseRelease(slider, LEFT, pos=place(slider, 90))
    elif way == "key":
        QTest.keyClick(slider, Qt.Key.Key_End)
    else:
        with qtbot.waitSignal(slider.settled):
            slider.setValue(90)
    assert slider.value() == 60
    assert max(value for (value,) in heard.of("moved")) == 60
    assert heard.of("settled") == [[60]]
    assert ["stopped"] in [list(said) for said in heard.said]


def test_a_value_past_the_limit_can_only_come_back(slider, heard):
    slider.set_limit(30)
    assert slider.value() == 50
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 50
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert slider.value() < 50


def test_the_limit_can_be_lifted(slider):
    slider.set_limit(60)
    slider.set_limit(None)
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert slider.value() == 100


@pytest.mark.parametrize(
    ("key", "start"), [(Qt.Key.Key_7, "7"), (Qt.Key.Key_Return, ""), (Qt.Key.Key_F2, "")]
)
def test_a_digit_or_enter_starts_typing(slider, heard, key, start):
    QTest.keyClick(slider, key)
    assert heard.said == [("typing", start)]


def test_a_slider_with_one_place_has_it_at_the_left(qtbot, look):
    slider = Slider(look, 0)
    qtbot.addWidget(slider)
    slider.resize(100, 24)
    assert slider.x_of(0) < 20
    assert not slider.grab().isNull()


def test_the_track_shows_what_is_taken_and_what_cannot_be_reached(qtbot, dressed):
    panel = QWidget()
    qtbot.addWidget(panel)
    set_ground(panel, "bg1")
    slider = Slider(dressed, 100, 50, panel)
    slider.setGeometry(0, 0, 215, 24)
    slider.set_limit(70)
    image = panel.grab().toImage()

    def seen(position, y=12):
        return image.pixelColor(round(slider.x_of(position)), y).name().upper()

    assert seen(20) == DARK.secondary
    assert seen(50) == DARK.text
    assert seen(60) == DARK.bg3
    assert seen(60, 8) == DARK.bg1
    assert seen(70, 8) != DARK.bg1


def test_only_the_keyboards_focus_has_a_ring(qtbot, slider):
    slider.activateWindow()
    qtbot.waitUntil(slider.isActiveWindow)

    def with_focus_by(reason):
        slider.clearFocus()
        slider.setFocus(reason)
        return slider.grab().toImage()

    clicked = with_focus_by(Qt.FocusReason.MouseFocusReason)
    assert with_focus_by(Qt.FocusReason.TabFocusReason) != clicked
    assert with_focus_by(Qt.FocusReason.ActiveWindowFocusReason) != clicked
    assert with_focus_by(Qt.FocusReason.MouseFocusReason) == clicked
