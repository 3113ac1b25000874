import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from kvviz.engine.system_report import PACKAGES, system_report
from kvviz.ui.about import COPIED, COPY, LICENCES
from kvviz.ui.help_sheet import HelpSheet
from kvviz.ui.key_table import COLUMNS, lines_of
from kvviz.ui.keys import GROUPS, KEYS
from kvviz.ui.legend import Swatch
from kvviz.ui.theme import ThemeChoice


@pytest.fixture
def sheet(qtbot, dressed):
    sheet = HelpSheet(dressed)
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(sheet)
    sheet.show()
    return sheet


def words(sheet):
    return [label.text() for label in sheet.findChildren(QLabel)]


def test_every_key_is_on_the_sheet(sheet):
    shown = words(sheet)
    for key in KEYS:
        assert key.sentence in shown
    assert {"Space", "Ctrl+Shift+E", "?", "Ctrl+arrows"} <= set(shown)
    assert sorted(group for column in COLUMNS for group in column) == sorted(GROUPS)


def test_keys_of_one_sentence_are_one_line():
    lines = [line for group in GROUPS for line in lines_of(group)]
    assert lines.count(("Ctrl+arrows", "Move the cell cursor")) == 1
    assert len({sentence for _, sentence in lines}) == len(lines)


def test_tags_and_colours_are_explained(sheet):
    said = " ".join(words(sheet))
    for word in ("measured", "formula", "simulated", "Blue, prefill", "Red, decode", "Black, mask"):
        assert word in said


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_swatches_have_the_colours_of_the_grid(sheet, dressed, choice):
    dressed.choose(choice)
    sheet.resize(sheet.sizeHint())
    page = sheet.legend.parentWidget()  # all of it, what must be scrolled to as well
    image = page.grab().toImage()
    middles = {
        swatch._token: image.pixelColor(swatch.mapTo(page, QPoint(7, 7)))
        for swatch in sheet.findChildren(Swatch)
    }
    for token in ("prefill", "decode", "masked"):
        assert middles[token] == dressed.color(token)
    assert middles["cursor"].alpha() == 0  # an outline


def test_versions_and_licences(sheet):
    assert set(LICENCES) == set(PACKAGES)
    said = " ".join(words(sheet))
    assert "Inter, SIL Open Font License 1.1" in said
    for licence in LICENCES.values():
        assert licence in said


def test_the_report_is_copied(qtbot, sheet, monkeypatch):
    monkeypatch.setattr("kvviz.engine.system_report.free_bytes", lambda: 2**30)
    assert sheet.about.copy_button.text() == COPY
    qtbot.mouseClick(sheet.about.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == system_report()
    assert sheet.about.copy_button.text() == COPIED


def test_the_window_stays_in_use_and_esc_closes(qtbot, sheet):
    assert not sheet.isModal()
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_nothing_is_cut_and_a_small_screen_scrolls(sheet, dressed, zoom):
    dressed.set_zoom(zoom)
    room = sheet.screen().availableSize()
    assert sheet.sizeHint().width() <= room.width()
    assert sheet.sizeHint().height() <= room.height()
    width = dressed.px(800)
    sheet.resize(width, sheet._column.heightForWidth(width))
    for label in sheet.findChildren(QLabel):
        assert label.width() >= label.minimumSizeHint().width(), label.text()
        if label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
        else:
            assert label.width() >= label.sizeHint().width(), label.text()


def test_it_opens_as_large_as_its_page_wants(sheet, dressed):
    assert sheet.size() == sheet.sizeHint()
    dressed.set_zoom(1.25)
    assert sheet.size() == sheet.sizeHint()


def test_there_is_one_at_a_time(qtbot, dressed):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    HelpSheet(dressed, window).show()
    newest = HelpSheet(dressed, window)
    newest.show()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert window.findChildren(HelpSheet) == [newest]
    assert newest.isVisible()
