import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from kvviz.ui.widgets.dropdown import Dropdown

OPTIONS = (
    ("none", "None", "Feed everything again"),
    ("concat", "Concatenated", "Append"),
    ("preallocated", "Pre-allocated", "Write in place"),
)


@pytest.fixture
def layout_of_cache(qtbot, dressed):
    dropdown = Dropdown(dressed, OPTIONS, "concat", name="Layout", tooltip="How it is kept.")
    qtbot.addWidget(dropdown)
    dropdown.heard = []
    dropdown.chosen.connect(dropdown.heard.append)
    return dropdown


def test_keys_choose(layout_of_cache):
    QTest.keyClick(layout_of_cache, Qt.Key.Key_Down)
    assert (layout_of_cache.value, layout_of_cache.heard) == ("preallocated", ["preallocated"])


def test_the_same_again_says_nothing(layout_of_cache):
    layout_of_cache.activated.emit(1)
    assert layout_of_cache.heard == []


def test_set_value_has_no_echo(layout_of_cache):
    layout_of_cache.set_value("none")
    assert (layout_of_cache.value, layout_of_cache.heard) == ("none", [])


def test_entries_that_are_off_are_stepped_over_and_say_why(layout_of_cache):
    layout_of_cache.set_value("none")
    layout_of_cache.set_enabled_options({"concat": "Not with this model."})
    QTest.keyClick(layout_of_cache, Qt.Key.Key_Down)
    assert layout_of_cache.value == "preallocated"
    tips = [
        layout_of_cache.itemData(row, Qt.ItemDataRole.ToolTipRole)
        for row in range(layout_of_cache.count())
    ]
    assert tips == ["Feed everything again", "Not with this model.", "Write in place"]


def test_other_options_come_without_an_echo(layout_of_cache):
    layout_of_cache.set_options([(1, "one", ""), (2, "two", "")], 2)
    assert (layout_of_cache.value, layout_of_cache.heard) == (2, [])
    layout_of_cache.set_options([(3, "three", "")], 2)
    assert layout_of_cache.value == 3


def test_off_it_says_why(layout_of_cache):
    layout_of_cache.set_reason("A run is in progress.")
    assert not layout_of_cache.isEnabled()
    assert layout_of_cache.accessibleDescription() == "A run is in progress. How it is kept."
    layout_of_cache.set_reason(None)
    assert layout_of_cache.isEnabled()


def test_it_has_a_name(layout_of_cache):
    assert layout_of_cache.accessibleName() == "Layout"


def test_the_longest_entry_is_not_cut(layout_of_cache, dressed):
    for zoom in (0.75, 1.0, 2.0):
        dressed.set_zoom(zoom)
        text = layout_of_cache.fontMetrics().horizontalAdvance("Concatenated")
        room = layout_of_cache.sizeHint().width() - dressed.px(8) - dressed.px(24)
        assert text <= room
