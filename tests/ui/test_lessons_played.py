"""Every lesson in the real window, forwards at the smallest size and back at the largest.

The runs are real and short: what the texts claim of whole ones is checked without a window.
"""

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from kvviz.lessons.course import all_lessons
from kvviz.session.regions import Region
from kvviz.ui.comparison.sheet import ComparisonSheet
from kvviz.ui.lessons.question_box import TRY_AGAIN
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window
from kvviz.ui.theme import ThemeChoice

LARGEST = (3840, 2160)
IN_A_WINDOW = 3  # lessons one after the other; a window, its thread and its model take their time
MOST_NEW_TOKENS = 14  # every place that a step looks at lies within
REST_MS = 120_000  # the first run imports torch
CLOCK = re.compile(r"[0-9.,]+(&nbsp;| )(ms|s)\b")


def short(lesson):
    """The lesson with runs that end early."""

    def shorter(wish):
        tokens = wish.max_new_tokens or MOST_NEW_TOKENS
        return wish.model_copy(update={"max_new_tokens": min(tokens, MOST_NEW_TOKENS)})

    return replace(lesson, runs={name: shorter(wish) for name, wish in lesson.runs.items()})


LESSONS = [short(lesson) for lesson in all_lessons()]


@pytest.fixture
def window(qtbot):
    preferences = PreferencesFile()
    preferences.values.theme = ThemeChoice.DARK
    preferences.values.reduce_motion = True
    window = build_window(QApplication.instance(), preferences)
    window.resize(window.minimumSizeHint())
    window.lessons.lessons[:] = LESSONS
    yield window
    window.close()
    window.deleteLater()


def begin(window, lesson, step=0):
    window.begin_with(None, (lesson.name, step))
    window.show()
    window.activateWindow()
    window.playground.centre.grid.setFocus()


def in_lesson_at_rest(window):
    return window.in_lesson and window.lessons.guide.resting and window.store.frames.idle


def told(window):
    """The filled text of a step, without what a clock said, and what caches hold where it is said.

    What they hold is of this moment, not of the step: it is said by a step alone that is about it.
    """
    memory = window.playground.charts.memory
    points = window.lessons.guide.player.step.scenery.points
    held_is_said = memory.held.isVisibleTo(memory)
    assert held_is_said == (Region.MEMORY_HELD in points)
    text = CLOCK.sub("some time", window.lessons.panel.text.text())
    return text, memory.held.bytes_held if held_is_said else None


def seen(window):
    """Whatever a step puts on screen but for what is painted."""
    store, player = window.store, window.lessons.guide.player
    selection = store.selection
    return (
        player.index,
        store.shown.config,
        store.runs.reference and store.runs.reference.config,
        store.cursor,
        (selection.layer, selection.head, selection.mode, selection.cell),
        told(window),
    )


def nothing_clipped(panel):
    labels = (panel.text, panel.origins, panel._title, panel.question._ask, panel.question._why)
    for label in labels:
        if label.isVisible():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
    for button in (panel.back, panel.next, panel.leave):
        assert button.width() >= button.minimumSizeHint().width(), button.text()


def all_lit(window, points):
    """Whether every part that is pointed at is outlined; the transport only stays bright."""
    spotlight = window.lessons.spotlight
    outlined = [lit.part for lit in spotlight.lit if lit.part is not None]
    inside = all(spotlight.rect().toRectF().contains(part.center()) for part in outlined)
    return spotlight.isVisible() and inside and len(outlined) == len(points)


def play_forwards(qtbot, window, lesson):
    """Press Space to the last step; return what each showed."""
    states = []
    for index in range(len(lesson.steps)):
        if index:
            qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
        states.append(seen(window))
        nothing_clipped(window.lessons.panel)
        assert "…" not in window.lessons.panel.text.text()
        assert window.store.notice is None
        points = lesson.steps[index].scenery.points
        qtbot.waitUntil(lambda points=points: all_lit(window, points))
    assert [state[0] for state in states] == list(range(len(lesson.steps)))
    return states


def play_backwards(qtbot, window, lesson):
    """Press Left to the first step; return what each showed."""
    states = [seen(window)]
    for _ in lesson.steps[1:]:
        qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_Left)
        qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
        states.append(seen(window))
    return states


@pytest.mark.parametrize("first", range(0, len(LESSONS), IN_A_WINDOW))
def test_every_lesson_goes_forward_and_back_by_keys_alone(qtbot, window, first):
    smallest = window.size()
    for lesson in LESSONS[first : first + IN_A_WINDOW]:
        if window.isVisible():
            window.lessons.open(lesson.name, 0)
        else:
            begin(window, lesson)
        forwards = play_forwards(qtbot, window, lesson)
        assert window.size() == smallest, lesson.name
        window.resize(*LARGEST)
        assert play_backwards(qtbot, window, lesson) == forwards[::-1], lesson.name
        window.resize(smallest)


def test_a_question_is_answered_by_keys_alone(qtbot, window):
    grid, lesson = window.playground.centre.grid, LESSONS[0]
    asked = next(i for i, step in enumerate(lesson.steps) if step.question is not None)
    begin(window, lesson, asked)
    qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
    guide, scale = window.lessons.guide, grid.camera.cell
    for key, choice in zip((Qt.Key.Key_1, Qt.Key.Key_2), guide.choices(), strict=True):
        qtbot.keyClick(grid, key)
        assert guide.player.answered == choice.text
        assert (window.lessons.panel.question._why.text() != TRY_AGAIN) == choice.right
    qtbot.keyClick(grid, Qt.Key.Key_4)  # there is no such answer
    assert guide.player.answered == guide.choices()[1].text
    assert grid.camera.cell == scale  # 1 is the grid's own size elsewhere


def test_a_part_below_the_fold_is_scrolled_to_and_outlined(qtbot, window):
    lesson = next(lesson for lesson in LESSONS if lesson.name == "what-is-in-the-cache")
    points = [step.scenery.points for step in lesson.steps]
    begin(window, lesson, points.index((Region.INSPECTOR_OUTPUT,)))
    window.look.set_zoom(2.0)
    inspector = window.playground.inspector.inspector

    def outlined():
        lit, place = window.lessons.spotlight.lit, inspector.place_of(Region.INSPECTOR_OUTPUT)
        return place and lit and lit[0].part and lit[0].part.height() == place.height()

    qtbot.waitUntil(lambda: in_lesson_at_rest(window) and outlined(), timeout=REST_MS)
    assert window.playground.inspector.area.verticalScrollBar().value() > 0


def test_a_request_that_has_ended_gives_its_memory_back(qtbot, window):
    lesson = next(lesson for lesson in LESSONS if lesson.steps[-1].scenery.releases)
    memory, grid = window.playground.charts.memory, window.playground.centre.grid
    begin(window, lesson, len(lesson.steps) - 2)
    qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
    run = window.store.shown
    held_before = run.trace.steps[-1].measured.reserved
    assert memory.held.bytes_held == held_before > 0
    qtbot.keyClick(grid, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: in_lesson_at_rest(window) and memory.held.text().startswith("0 B"))
    lit = window.lessons.spotlight.lit[0]
    assert lit.part.width() == memory.held.width()
    assert lit.view.size() == memory.size().toSizeF()
    for key, held in ((Qt.Key.Key_Left, held_before), (Qt.Key.Key_Space, 0)):
        qtbot.keyClick(grid, key)
        qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
        qtbot.waitUntil(lambda held=held: memory.held.bytes_held == held)
    assert run not in window.store.runs.runs
    run = window.store.shown
    qtbot.keyClick(grid, Qt.Key.Key_Escape)
    assert window.store.shown is run
    assert "run it again" in window.store.continue_problem


def test_comparing_layouts_ends_the_lesson_and_keeps_its_run(qtbot, window):
    begin(window, LESSONS[0])
    qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
    run = window.store.shown
    qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_C)
    assert not window.in_lesson
    assert window.playground.left.currentWidget() is window.playground.controls
    assert window.store.shown is run
    [sheet] = window.findChildren(ComparisonSheet)
    assert sheet.isVisible()
    sheet.reject()


def test_a_lesson_that_is_left_early_can_be_played(qtbot, window):
    begin(window, LESSONS[0])
    qtbot.waitUntil(lambda: window.in_lesson and window.store.shown is not None, timeout=REST_MS)
    window.store.set_pace(None)
    left_early = not window.lessons.guide.resting
    qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_Escape)
    assert left_early
    store = window.store
    qtbot.waitUntil(lambda: store.cursor == len(store.shown.trace) - 1 > 0, timeout=REST_MS)


def test_who_leaves_at_the_last_step_has_done_the_lesson(qtbot, window):
    lesson, values = LESSONS[0], window.preferences.values
    begin(window, lesson, len(lesson.steps) - 1)
    assert lesson.name not in values.lessons_done
    qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
    qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_Escape)
    assert values.lessons_done == [lesson.name]
    assert lesson.name not in values.lesson_places


def test_the_parts_are_reached_by_keys_alone(qtbot, window):
    begin(window, LESSONS[0])
    qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
    control = Qt.KeyboardModifier.ControlModifier
    for key, part in ((Qt.Key.Key_3, "Calculator"), (Qt.Key.Key_2, "Lessons")):
        qtbot.keyClick(window, key, control)
        assert window.top_bar.tabs.current == part
    assert not window.in_lesson
    card = window.lessons.overview.cards[0]
    qtbot.waitUntil(card.hasFocus)
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert window.in_lesson
    qtbot.keyClick(window, Qt.Key.Key_1, control)
    assert window.top_bar.tabs.current == "Playground"


def test_a_lesson_is_left_ended_and_found_again(qtbot, window):
    lesson, store = LESSONS[0], window.store
    begin(window, lesson, 2)
    qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
    run = store.shown
    assert window.top_bar.tabs.current == "Lessons"
    qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_Escape)
    assert not window.in_lesson
    assert store.shown is run
    assert window.playground.left.currentWidget() is window.playground.controls
    assert window.top_bar.tabs.current == "Playground"
    assert not window.lessons.spotlight.isVisible()
    assert window.preferences.values.lesson_places[lesson.name] == 2

    window.top_bar.tabs._words.button("Lessons").click()
    assert window.pages.currentWidget() is window.lessons.overview
    assert window.lessons.overview.cards[0].state == f"step 3 of {len(lesson.steps)}"
    window.lessons.overview.cards[0].click()
    assert window.lessons.guide.player.index == 2
    for _ in lesson.steps[2:]:
        qtbot.waitUntil(lambda: in_lesson_at_rest(window), timeout=REST_MS)
        window.lessons.go_on()
    assert window.pages.currentWidget() is window.lessons.overview
    assert lesson.name in window.preferences.values.lessons_done
    assert lesson.name not in window.preferences.values.lesson_places
    assert window.lessons.overview.cards[0].state == "done"

    window.top_bar.tabs._words.button("Playground").click()
    assert window.pages.currentWidget() is window.playground
    store.select(cell=(2, 1))
    assert window.playground.right.currentWidget() is window.playground.inspector
    window.playground.centre.grid.setFocus()
    qtbot.keyClick(window.playground.centre.grid, Qt.Key.Key_Escape)
    assert window.playground.right.currentWidget() is window.playground.charts
