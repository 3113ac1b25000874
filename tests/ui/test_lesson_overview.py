import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from kvviz.lessons.course import all_lessons
from kvviz.ui.lessons.overview import Overview
from kvviz.ui.preferences import Preferences

LESSONS = all_lessons()


@pytest.fixture
def values():
    return Preferences(lessons_done=[LESSONS[0].name], lesson_places={LESSONS[2].name: 4})


@pytest.fixture
def overview(qtbot, look, values):
    overview = Overview(look, LESSONS, values)
    qtbot.addWidget(overview)
    overview.resize(1280, 616)
    overview.show()
    return overview


def test_each_lesson_has_a_card(overview):
    assert [card.lesson for card in overview.cards] == LESSONS
    assert overview.cards[0].state == "done"
    assert overview.cards[1].state == ""
    assert overview.cards[2].state == f"step 5 of {len(LESSONS[2].steps)}"
    assert "3 minutes" in overview.cards[2].accessibleName()


def test_a_lesson_that_has_become_shorter_was_left_at_its_last_step(overview, values):
    values.lesson_places = {LESSONS[1].name: 99}
    overview.refresh()
    count = len(LESSONS[1].steps)
    assert overview.cards[1].state == f"step {count} of {count}"


def test_the_lesson_that_follows_has_the_keyboard(qtbot, overview):
    with qtbot.waitActive(overview):
        overview.activateWindow()
    overview.point_behind(LESSONS[0].name)
    assert overview.cards[1].hasFocus()
    with qtbot.waitSignal(overview.chosen) as told:
        qtbot.keyClick(overview.cards[1], Qt.Key.Key_Space)
    assert told.args == [LESSONS[1].name]
    overview.point_behind(LESSONS[-1].name)
    assert overview.cards[0].hasFocus()


def test_the_first_lesson_not_done_has_the_keyboard_at_once(qtbot, overview):
    with qtbot.waitActive(overview):
        overview.activateWindow()
    assert overview.cards[1].hasFocus()
    with qtbot.waitSignal(overview.chosen) as told:
        qtbot.keyClick(overview.cards[1], Qt.Key.Key_Return)
    assert told.args == [LESSONS[1].name]


def test_a_press_opens_it(qtbot, overview):
    with qtbot.waitSignal(overview.chosen) as told:
        overview.cards[1].click()
    assert told.args == [LESSONS[1].name]


@pytest.mark.parametrize(("width", "zoom"), [(640, 1.0), (1280, 1.0), (1280, 1.25), (1440, 2.0)])
def test_words_are_never_clipped_and_nothing_scrolls_sideways(qtbot, overview, look, width, zoom):
    look.set_zoom(zoom)
    overview.resize(width, 600)

    def fits(card):
        wide = card.geometry().right() <= overview.viewport().width()
        return wide and card.height() >= card.heightForWidth(card.width())

    qtbot.waitUntil(lambda: all(map(fits, overview.cards)))


def test_every_lesson_has_a_drawing_of_its_own(overview):
    seen = set()
    for card in overview.cards:
        image = card.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        part = image.copy(16, 16, 120, 60)
        seen.add(bytes(part.constBits()))
    assert len(seen) == len(overview.cards)
