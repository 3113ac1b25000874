import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from kvviz.session.prompt_text import MOST_CHARACTERS
from kvviz.ui.panels.prompt_edit import FEWEST_LINES, MOST_LINES, PromptEdit


@pytest.fixture
def edit(qtbot, look):
    edit = PromptEdit(look)
    qtbot.addWidget(edit)
    edit.resize(248, 60)
    return edit


def pasted(text):
    data = QMimeData()
    data.setText(text)
    return data


def test_enter_runs_and_shift_enter_is_a_new_line(qtbot, edit):
    with qtbot.waitSignal(edit.entered):
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.toPlainText() == ""
    with qtbot.assertNotEmitted(edit.entered):
        qtbot.keyClicks(edit, "a")
        qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        qtbot.keyClicks(edit, "b")
    assert edit.toPlainText() == "a\nb"


def test_it_grows_from_two_lines_to_five(edit):
    heights = []
    for lines in (1, 2, 3, 5, 9):
        edit.show_text("\n".join("x" * lines))
        heights.append(edit.height())
    assert heights[0] == heights[1] < heights[2] < heights[3] == heights[4]
    assert edit.lines_shown() == MOST_LINES
    edit.show_text("")
    assert edit.lines_shown() == FEWEST_LINES


def test_a_line_too_long_for_the_width_counts_as_wrapped(edit):
    edit.show()
    edit.show_text("one long line without any break in it, wrapped three times or more, " * 3)
    assert edit.lines_shown() > FEWEST_LINES


def test_showing_text_is_no_edit(qtbot, edit):
    with qtbot.assertNotEmitted(edit.edited):
        edit.show_text("The cat")


def test_ten_megabytes_are_cut_with_a_notice(qtbot, edit):
    with qtbot.waitSignal(edit.noticed) as said:
        edit.insertFromMimeData(pasted("word " * 2_000_000))
    assert len(edit.toPlainText()) == MOST_CHARACTERS
    assert "10,000,000" in said.args[0]
    assert "8,192" in said.args[0]


def test_pasting_again_and_again_stays_within_the_length(qtbot, edit):
    edit.insertFromMimeData(pasted("a" * MOST_CHARACTERS))
    with qtbot.waitSignal(edit.noticed):
        edit.insertFromMimeData(pasted("b" * 100))
    assert len(edit.toPlainText()) == MOST_CHARACTERS


def test_what_is_no_text_is_replaced_with_a_notice(qtbot, edit):
    with qtbot.waitSignal(edit.noticed):
        edit.insertFromMimeData(pasted("a\x00b"))
    assert edit.toPlainText() == "a\ufffdb"


def test_files_are_left_to_the_window(edit):
    data = pasted("file")
    data.setUrls([QUrl.fromLocalFile("/somewhere/run.safetensors")])
    assert not edit.canInsertFromMimeData(data)
    assert edit.canInsertFromMimeData(pasted("text"))


def asks_for_undo(edit):
    key = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    key.ignore()
    edit.event(key)
    return key.isAccepted()


def test_undo_is_the_windows_once_the_text_has_nothing_to_undo(qtbot, edit):
    edit.show_text("The cat")
    assert not asks_for_undo(edit)
    qtbot.keyClicks(edit, "x")
    assert asks_for_undo(edit)


def test_the_hint_has_the_size_of_every_zoom(qtbot, dressed):
    edit = PromptEdit(dressed)
    qtbot.addWidget(edit)
    edit.show()
    for zoom in (0.75, 2.0, 1.0):
        dressed.set_zoom(zoom)
        QApplication.processEvents()
        assert edit.viewport().font().pixelSize() == edit.font().pixelSize() == round(13 * zoom)


@pytest.mark.parametrize("kind", ["text/rtf", "application/x-qt-image", "application/x-own"])
def test_pasting_what_is_no_text_leaves_what_is_selected(edit, kind):
    mime = QMimeData()
    mime.setData(kind, b"{\\rtf1 hello}")
    edit.show_text("The cat")
    edit.selectAll()
    edit.insertFromMimeData(mime)
    assert edit.toPlainText() == "The cat"
