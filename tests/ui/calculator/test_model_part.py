import pytest
from PySide6.QtCore import Qt

from kvviz.ui.calculator.model_part import TUTORIAL, ModelPart


@pytest.fixture
def part(qtbot, dressed, desk):
    """The part in a window of its own, its search about to be typed into."""
    part = ModelPart(desk, dressed)
    qtbot.addWidget(part)
    part.show()
    part.activateWindow()
    part.search.setFocus()
    qtbot.waitUntil(part.search.hasFocus)
    return part


def test_arrows_go_through_what_was_found_and_enter_takes_it(qtbot, part, desk):
    qtbot.keyClicks(part.search, "llama")
    found = part.list.visible_names()
    assert part.list.lit().name == found[0]
    for key, place in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Down, 2), (Qt.Key.Key_Up, 1)):
        qtbot.keyClick(part.search, key)
        assert part.list.lit().name == found[place]
    assert desk.sheet.model.name == TUTORIAL.name
    qtbot.keyClick(part.search, Qt.Key.Key_Return)
    assert desk.sheet.model.name == found[1]
    assert part.search.hasFocus()


def test_arrows_stay_within_what_was_found(qtbot, part, desk):
    qtbot.keyClicks(part.search, "3.1 8b")
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(part.search, key)
    qtbot.keyClick(part.search, Qt.Key.Key_Return)
    assert desk.sheet.model.name == "Meta-Llama-3.1-8B"


def test_a_walk_that_chose_nothing_is_forgotten(qtbot, part):
    qtbot.keyClick(part.search, Qt.Key.Key_Down)
    assert part.list.lit() is not TUTORIAL
    part.list.setFocus()
    assert part.list.lit() is TUTORIAL
    part.search.setFocus()
    qtbot.keyClicks(part.search, "qwen")
    qtbot.keyClick(part.search, Qt.Key.Key_Escape)
    assert part.list.lit() is TUTORIAL


def test_a_click_chooses_what_lies_under_the_mouse(qtbot, part, desk):
    part.resize(320, 260)
    desk.choose(desk.presets.find("gpt-oss-20b"))
    qtbot.keyClicks(part.search, "-")  # which leaves the chosen one far below
    wanted = part.list.visible_names()[2]
    rows = part.list.model()
    [row] = (n for n in range(rows.rowCount()) if rows.index(n, 0).data() == wanted)
    at = part.list.visualRect(rows.index(row, 0)).center()
    qtbot.mouseClick(part.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert desk.sheet.model.name == wanted
