import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget

from kvviz.sizing.shape import ModelShape
from kvviz.ui.dialogs import SaveWish, WindowDialogs, suffix_in
from kvviz.ui.heads_dialog import HeadsDialog


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def dialogs(qapp, window, look):
    # The system's own dialogs cannot be looked into.
    qapp.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    yield WindowDialogs(window, look)
    qapp.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, on=False)


def end(dialog, *, accept):
    """Answer a dialog and let it go."""
    dialog.accept() if accept else dialog.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not shiboken6.isValid(dialog)


@pytest.mark.parametrize("accept", [True, False])
def test_asks_for_a_file_without_holding_the_loop(window, dialogs, tmp_path, accept):
    (tmp_path / "run.safetensors").write_bytes(b"x")
    heard = []
    dialogs.ask_open(str(tmp_path), heard.append)
    dialog = window.findChild(QFileDialog)
    assert dialog.isVisible()
    assert dialog.directory().absolutePath() == str(tmp_path)
    dialog.selectFile("run.safetensors")
    end(dialog, accept=accept)
    assert heard == ([str(tmp_path / "run.safetensors")] if accept else [])


def test_the_icons_of_a_file_dialog_have_their_room(dressed, window, dialogs, tmp_path):
    dialogs.ask_open(str(tmp_path), print)
    dialog = window.findChild(QFileDialog)
    button = dialog.findChild(QToolButton, "newFolderButton")
    image = button.grab().toImage()
    ground = image.pixel(4, image.height() // 2)
    row = [image.pixel(x, image.height() // 2) for x in range(4, image.width() - 4)]
    assert sum(color != ground for color in row) >= button.iconSize().width() // 2
    end(dialog, accept=False)


def test_asks_where_to_save_with_the_ending_of_the_kind(window, dialogs, tmp_path):
    heard = []
    filters = ("PNG picture (*.png)", "SVG picture (*.svg)")
    dialogs.ask_save(SaveWish("Save a picture", str(tmp_path / "view.png"), filters), heard.append)
    dialog = window.findChild(QFileDialog)
    assert dialog.windowTitle() == "Save a picture"
    assert dialog.selectedFiles() == [str(tmp_path / "view.png")]
    assert dialog.defaultSuffix() == "png"
    dialog.filterSelected.emit(filters[1])
    dialog.selectFile("other")
    end(dialog, accept=True)
    assert heard == [str(tmp_path / "other.svg")]


def test_asks_for_the_heads(window, dialogs):
    heard = []
    shapes = {2: ModelShape(1, 2, 2, 32), 4: ModelShape(1, 4, 4, 16)}
    dialogs.ask_heads("tiny.safetensors", shapes, 4, heard.append)
    end(window.findChild(HeadsDialog), accept=True)
    assert heard == [4]


@pytest.mark.parametrize(
    ("name_filter", "suffix"), [("Runs (*.safetensors)", "safetensors"), ("All files (*)", "")]
)
def test_the_ending_in_a_filter(name_filter, suffix):
    assert suffix_in(name_filter) == suffix
