import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from kvviz.ui.theme import DARK
from kvviz.ui.widgets.segmented import Segmented

OPTIONS = (("a", "fp32", "4 bytes"), ("b", "bf16", "2 bytes"), ("c", "fp16", "2 bytes"))


@pytest.fixture
def dtype(qtbot, dressed):
    segmented = Segmented(dressed, OPTIONS, "a", name="Dtype")
    qtbot.addWidget(segmented)
    segmented.heard = []
    segmented.chosen.connect(segmented.heard.append)
    segmented.show()
    segmented.activateWindow()
    qtbot.waitUntil(segmented.isActiveWindow)
    return segmented


def press(segmented, value):
    QTest.mouseClick(segmented.button(value), Qt.MouseButton.LeftButton)


def test_a_click_chooses(dtype):
    press(dtype, "c")
    assert (dtype.value, dtype.heard) == ("c", ["c"])
    assert [dtype.button(value).isChecked() for value in "abc"] == [False, False, True]


def test_the_chosen_one_stays_chosen_when_clicked_again(dtype):
    press(dtype, "a")
    assert (dtype.value, dtype.heard) == ("a", [])
    assert dtype.button("a").isChecked()


def test_set_value_has_no_echo(dtype):
    dtype.set_value("b")
    assert (dtype.value, dtype.heard) == ("b", [])
    with pytest.raises(KeyError):
        dtype.set_value("z")


def test_arrows_walk_over_what_is_on(dtype):
    dtype.set_enabled_options({"b": "This machine has no bf16."})
    dtype.button("a").setFocus()
    QTest.keyClick(dtype.button("a"), Qt.Key.Key_Right)
    assert (dtype.value, dtype.heard) == ("c", ["c"])
    assert dtype.button("c").hasFocus()
    QTest.keyClick(dtype.button("c"), Qt.Key.Key_Right)
    QTest.keyClick(dtype.button("c"), Qt.Key.Key_Left)
    assert dtype.heard == ["c", "a"]


def test_tab_stops_once(dtype):
    policies = [dtype.button(value).focusPolicy() for value in "abc"]
    assert policies.count(Qt.FocusPolicy.TabFocus) == 1
    assert policies.count(Qt.FocusPolicy.NoFocus) == 2


def test_an_option_that_is_off_says_why(dtype):
    dtype.set_enabled_options({"b": "This machine has no bf16."})
    assert "This machine has no bf16." in dtype.button("b").toolTip()
    press(dtype, "b")
    assert (dtype.value, dtype.heard) == ("a", [])
    dtype.set_enabled_options({})
    press(dtype, "b")
    assert dtype.value == "b"


def test_the_whole_can_be_off(dtype):
    dtype.set_reason("A run is in progress.")
    for value in "abc":
        assert "A run is in progress." in dtype.button(value).toolTip()
        assert not dtype.button(value).isEnabled()
    dtype.set_reason(None)
    assert dtype.button("a").isEnabled()


def test_the_first_is_chosen_unless_told(qtbot, look):
    segmented = Segmented(look, OPTIONS)
    qtbot.addWidget(segmented)
    assert segmented.value == "a"


def test_it_has_a_name(dtype):
    assert dtype.accessibleName() == "Dtype"


@pytest.mark.parametrize("zoom", [0.75, 1.0, 2.0])
def test_no_word_is_cut(dtype, dressed, zoom):
    dressed.set_zoom(zoom)
    dtype.adjustSize()
    for value in "abc":
        button = dtype.button(value)
        edges = 2 * (dressed.px(1.5) + dressed.px(8))
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width() - edges + 1


def test_the_chosen_one_is_lit(dtype):
    dtype.set_value("b")
    image = dtype.grab().toImage()
    for value, ground in (("a", DARK.bg2), ("b", DARK.bg3)):
        place = dtype.button(value).geometry()
        pixel = image.pixelColor(place.left() + 5, place.center().y())
        assert pixel.name().upper() == ground
