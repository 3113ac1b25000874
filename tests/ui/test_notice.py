import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from kvviz.ui.widgets.notice import NoticeBar

SENTENCE = "12 layers need 3.2 GiB and 2.1 GiB are free: choose fewer layers."


@pytest.fixture
def bar(qtbot, dressed):
    bar = NoticeBar(dressed)
    qtbot.addWidget(bar)
    return bar


def test_it_is_not_there_until_there_is_something_to_say(bar):
    assert (bar.isHidden(), bar.text) == (True, "")


def test_it_stays_until_it_is_closed(qtbot, bar):
    bar.show_message(SENTENCE)
    assert bar.text == SENTENCE
    assert bar.accessibleName() == SENTENCE
    with qtbot.waitSignal(bar.closed):
        QTest.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert bar.isHidden()


def test_the_newest_replaces_the_one_before(bar):
    bar.show_message("one", action=("Undo", lambda: None))
    bar.show_message("two")
    assert bar.text == "two"
    assert bar.action_button.isHidden()


def test_an_action_is_done_after_the_bar_went(qtbot, bar):
    seen = []
    bar.show_message(SENTENCE, action=("Undo", lambda: seen.append(bar.isHidden())))
    QTest.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert seen == [True]


def test_an_action_may_say_something_itself(bar):
    bar.show_message("one", action=("More", lambda: bar.show_message("two")))
    QTest.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    assert bar.text == "two"


def test_it_can_go_by_itself(qtbot, bar):
    bar.show_message("Saved.", "good", seconds=0)
    qtbot.waitSignal(bar.closed).wait()
    assert bar.isHidden()


def test_a_lasting_notice_outlives_the_passing_one_before(bar):
    bar.show_message("Saved.", "good", seconds=60)
    bar.show_message(SENTENCE)
    assert not bar.will_pass


def test_closing_twice_says_so_once(qtbot, bar):
    closed = []
    bar.closed.connect(lambda: closed.append(1))
    bar.show_message(SENTENCE)
    bar.dismiss()
    bar.dismiss()
    assert closed == [1]


def test_each_kind_has_a_stripe_of_its_own(bar):
    stripes = set()
    for kind in ("error", "info", "good"):
        bar.show_message(SENTENCE, kind)
        bar.resize(400, 44)
        image = bar.grab().toImage()
        stripes.add(image.pixelColor(13, 22).name())
    assert len(stripes) == 3


def test_markup_is_shown_as_text(bar):
    bar.show_message("<img src=x> & <b>bold</b>")
    assert bar.text == "<img src=x> & <b>bold</b>"
    assert bar.label.textFormat() is Qt.TextFormat.PlainText


def test_a_long_sentence_is_wrapped_not_cut(bar):
    bar.show_message(SENTENCE * 3)
    bar.resize(400, 44)
    needed = bar.label.heightForWidth(bar.label.width())
    assert bar.sizeHint().height() >= needed or bar.heightForWidth(400) >= needed
