import pytest
from lesson_text import small_lesson
from PySide6.QtCore import Qt
from still_worker import ready
from test_guide import finish_run

from kvviz.ui.lessons.guide import Guide
from kvviz.ui.lessons.panel import LessonPanel


@pytest.fixture
def guide(store, worker):
    ready(store, worker)
    guide = Guide(store, reduced_motion=lambda: True)
    guide.open(small_lesson())
    finish_run(store, worker)
    yield guide
    guide.leave()


@pytest.fixture
def panel(qtbot, dressed, guide):
    panel = LessonPanel(guide, dressed, 12)
    qtbot.addWidget(panel)
    panel.resize(panel.sizeHint().width(), 600)
    panel.show()
    panel.refresh()
    return panel


def test_it_says_what_the_step_says(panel, guide):
    assert "6" in panel.text.text()
    assert panel.origins.text() == "measured: prompt tokens"
    assert panel.bar.accessibleName() == "Step 1 of 4"
    assert panel.back.reason == "This is the first step."
    assert panel.question.isHidden()
    panel.next.click()
    assert guide.player.index == 1
    assert panel.bar.accessibleName() == "Step 2 of 4"
    panel.back.click()
    assert guide.player.index == 0


def test_a_question_is_answered_by_the_run(panel, guide, store, worker):
    guide.go_on()
    guide.go_on()
    assert panel.question.options == ()
    finish_run(store, worker)
    assert panel.question.options == ("1.00 KiB", "2.00 KiB")
    assert panel.question._hint.text() == "Keys 1 and 2 answer."
    assert [panel.question.button(text).key for text in panel.question.options] == [1, 2]
    assert panel.question._hint.isVisible()
    panel.question.button("1.00 KiB").click()
    assert panel.question.button("1.00 KiB").property("answer") == "wrong"
    assert panel.question.button("1.00 KiB").text().endswith("✕")
    panel.question.button("2.00 KiB").click()
    assert panel.question.button("2.00 KiB").property("answer") == "right"
    assert panel.question.button("2.00 KiB").text().endswith("✓")
    assert panel.question.button("1.00 KiB").text() == "1.00 KiB"
    assert panel.question._hint.isHidden()
    assert "2 ×" in panel.question._why.text()  # noqa: RUF001
    assert panel.question._why.isVisible()


def test_a_question_is_met_before_the_way_on(panel, guide, store, worker, qtbot):
    guide.go_on()
    guide.go_on()
    finish_run(store, worker)
    wrong, right = map(panel.question.button, panel.question.options)
    met = [wrong]
    while met[-1] is not panel.leave:
        met.append(met[-1].nextInFocusChain())
    pressed = [button for button in met if button.focusPolicy() is not Qt.FocusPolicy.NoFocus]
    assert pressed == [wrong, right, panel.back, panel.next, panel.leave]
    names = [button.accessibleName() for button in pressed]
    assert names == ["1.00 KiB", "2.00 KiB", "Back", "Next", "Leave the lesson"]
    panel.activateWindow()
    for button, holder in ((wrong, wrong), (right, panel.next)):  # Space is the way on again
        button.setFocus()
        qtbot.keyClick(button, Qt.Key.Key_Space)
        assert panel.focusWidget() is holder


def test_the_last_step_is_done(panel, guide, store, worker):
    for _ in range(3):
        guide.go_on()
    assert panel.next.text().startswith("Done")


def test_nothing_moves_when_next_becomes_done(panel, guide):
    before = panel.minimumSizeHint().width(), panel.next.geometry(), panel.leave.geometry()
    assert before[0] == 280
    for _ in range(3):
        guide.go_on()
    panel.layout().activate()
    assert panel.next.text().startswith("Done")
    assert (
        panel.minimumSizeHint().width(),
        panel.next.geometry(),
        panel.leave.geometry(),
    ) == before


def test_while_the_cursor_moves_the_way_on_is_to_its_end(qtbot, dressed, store, worker):
    ready(store, worker)
    guide = Guide(store)
    panel = LessonPanel(guide, dressed, 12)
    qtbot.addWidget(panel)
    guide.open(small_lesson())
    finish_run(store, worker)
    said = [panel.next.text()]
    for _ in range(2):
        panel.next.click()
        said.append(panel.next.text())
    assert said == ["Next  Space", "Skip  Space", "Next  Space"]
    assert guide.resting
    assert guide.player.index == 1
    guide.leave()


def test_leaving_is_asked_for(qtbot, panel):
    with qtbot.waitSignal(panel.left):
        panel.leave.click()


@pytest.mark.parametrize("zoom", [1.0, 1.25, 2.0])
def test_no_word_of_the_way_is_clipped(panel, dressed, zoom):
    dressed.set_zoom(zoom)
    panel.resize(panel.minimumSizeHint().width(), 600)
    for button in (panel.back, panel.next, panel.leave):
        words = button.fontMetrics().horizontalAdvance(button.text())
        assert button.width() >= words, button.text()
        assert button.width() >= button.minimumSizeHint().width()
    assert panel.text.width() <= panel.area.viewport().width()


def test_on_a_low_window_the_text_scrolls_and_the_way_on_stays(panel, guide):
    panel.resize(panel.width(), 220)
    assert panel.next.geometry().bottom() < panel.height()
    assert panel.area.verticalScrollBar().maximum() >= 0


def test_beside_the_scroll_bar_lines_are_as_long(qtbot, panel, guide):
    before = panel.text.width()
    panel.resize(panel.width(), 200)
    bar = panel.area.verticalScrollBar()
    qtbot.waitUntil(bar.isVisible)
    panel._column.activate()
    assert panel.text.width() == before


def test_why_an_answer_is_right_is_in_sight(qtbot, panel, guide, store, worker):
    panel.resize(panel.width(), 260)
    guide.go_on()
    guide.go_on()
    finish_run(store, worker)
    bar = panel.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert bar.value() == 0
    panel.question.button("2.00 KiB").click()
    qtbot.waitUntil(lambda: 0 < bar.value() >= bar.maximum() - 8)
    guide.go_back()
    assert bar.value() == 0
