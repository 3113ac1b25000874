import pytest
from PySide6.QtCore import Qt

from kvviz.sizing.shape import ModelShape
from kvviz.ui.heads_dialog import HeadsDialog, likely_heads, shape_text


def shapes_of(hidden, *heads):
    return {n: ModelShape(1, n, n, hidden // n) for n in heads}


@pytest.mark.parametrize(
    ("shapes", "likely"),
    [
        (shapes_of(64, 1, 2, 4, 8, 16), 4),
        (shapes_of(768, 1, 2, 3, 4, 6, 8, 12, 16), 12),
        (shapes_of(256, 1, 2, 4, 8), 4),
        (shapes_of(63, 1, 3, 7, 9), 1),
        (shapes_of(24, 3, 6, 12), 3),
    ],
)
def test_the_guess_is_the_tutorials_own_or_heads_of_64(shapes, likely):
    assert likely_heads(shapes) == likely


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (ModelShape(1, 4, 4, 16), "4 of 16 values"),
        (ModelShape(1, 6, 2, 32), "6 of 32 values, 2 KV heads"),
        (ModelShape(1, 6, 1, 32), "6 of 32 values, 1 KV head"),
    ],
)
def test_a_shape_in_words(shape, text):
    assert shape_text(shape) == text


@pytest.fixture
def dialog(qtbot, dressed):
    dialog = HeadsDialog(dressed, "tiny.safetensors", shapes_of(64, 2, 4, 8), 4)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


def test_begins_with_the_guess_and_says_what_is_chosen(qtbot, dialog):
    assert dialog.heads.value == 4
    assert "tiny.safetensors" in dialog.windowTitle()
    qtbot.keyClick(dialog.heads, Qt.Key.Key_Down)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    assert chosen.args == [8]
    assert not dialog.isVisible()


def test_enter_opens_and_esc_does_not(qtbot, dialog):
    heard = []
    dialog.chosen.connect(heard.append)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert heard == []
    dialog.open()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert heard == [4]


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_nothing_is_clipped(dialog, dressed, zoom):
    dressed.set_zoom(zoom)
    dialog.adjustSize()
    assert dialog.width() == dressed.px(400)
    assert dialog.sentence.height() >= dialog.sentence.heightForWidth(dialog.sentence.width())
    assert dialog.heads.width() >= dialog.heads.minimumSizeHint().width()
