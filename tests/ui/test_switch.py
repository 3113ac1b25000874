import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from kvviz.ui.widgets.switch import Switch


@pytest.fixture
def sink(qtbot, dressed):
    switch = Switch(dressed, "Hide the sink", tooltip="Leaves the first token out.", shortcut="S")
    qtbot.addWidget(switch)
    switch.heard = []
    switch.switched.connect(switch.heard.append)
    return switch


def test_a_click_anywhere_flips_it(sink):
    QTest.mouseClick(sink, Qt.MouseButton.LeftButton, pos=QPoint(sink.sizeHint().width() - 4, 8))
    QTest.keyClick(sink, Qt.Key.Key_Space)
    assert (sink.on, sink.heard) == (False, [True, False])


def test_set_on_has_no_echo(sink):
    before = sink.grab().toImage()
    sink.set_on(True)
    assert (sink.on, sink.heard) == (True, [])
    assert sink.grab().toImage() != before


def test_off_for_a_reason_it_says_it(sink):
    sink.set_reason("Only in Weights.")
    assert not sink.isEnabled()
    assert sink.accessibleDescription() == "Only in Weights. Leaves the first token out. Key: S"


def test_the_text_has_room_at_any_zoom(sink, dressed):
    for zoom in (0.75, 1.0, 2.0):
        dressed.set_zoom(zoom)
        text = sink.fontMetrics().horizontalAdvance(sink.text())
        assert sink.sizeHint().width() >= text + dressed.px(36)
