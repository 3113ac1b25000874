from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QBuffer, QRect
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.sizing.errors import InputError
from kvviz.ui.export import copy_picture, image_of, picture_of, suffix_of
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.view import View

BLUE = QRect(10, 20, 40, 30)


class Painted(View):
    """A view with a blue block and a word."""

    def paintEvent(self, event):
        painter = self.painter()
        painter.setFont(self.look.font(13))
        painter.fillRect(BLUE, self.look.color("prefill"))
        painter.setPen(self.look.color("text"))
        painter.drawText(60, 40, "prefill")
        painter.end()


@pytest.fixture
def panel(qtbot, store, dressed):
    panel = QWidget()
    set_ground(panel, "bg1")
    column = QVBoxLayout(panel)
    column.setContentsMargins(8, 8, 8, 8)
    panel.view = Painted(store, dressed)
    panel.view.setAccessibleName("Painted view")
    column.addWidget(panel.view)
    panel.resize(216, 116)
    qtbot.addWidget(panel)
    panel.show()
    return panel


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
@pytest.mark.parametrize("scale", [1, 2, 3])
def test_png_has_the_scale_asked_for_and_the_panels_ground(panel, dressed, choice, scale):
    dressed.choose(choice)
    image = QImage.fromData(picture_of(panel.view, "png", scale))
    assert (image.width(), image.height()) == (200 * scale, 100 * scale)
    assert image.pixelColor(0, 0) == dressed.color("bg1")
    assert image.pixelColor(199 * scale, 99 * scale) == dressed.color("bg1")
    block = QRect(BLUE.topLeft() * scale, BLUE.size() * scale)
    inside = (block.topLeft(), block.bottomRight())
    assert all(image.pixelColor(point) == dressed.color("prefill") for point in inside)
    assert image.pixelColor(block.right() + 1, block.bottom()) == dressed.color("bg1")


def test_a_larger_scale_is_drawn_and_not_stretched(panel):
    small, large = image_of(panel.view, 1), image_of(panel.view, 4)
    stretched = small.scaled(large.size())
    stretched.setDevicePixelRatio(4)
    word = QRect(58 * 4, 25 * 4, 50 * 4, 20 * 4)
    assert large.copy(word) != stretched.copy(word)


def test_svg_keeps_shapes_and_words(panel, dressed):
    data = picture_of(panel.view, "svg")
    root = ElementTree.fromstring(data)
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("viewBox") == "0 0 200 100"
    assert root.findtext(f"{space}title") == "Painted view"
    assert [text.text.strip() for text in root.iter(f"{space}text")] == ["prefill"]
    image = QImage(200, 100, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    QSvgRenderer(data).render(painter)
    painter.end()
    assert image.pixelColor(0, 0) == dressed.color("bg1")
    assert image.pixelColor(BLUE.center()) == dressed.color("prefill")


def test_copies_a_picture(panel, dressed):
    copy_picture(panel.view)
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (400, 200)
    assert image.pixelColor(BLUE.center() * 2) == dressed.color("prefill")


def test_nothing_to_draw(panel):
    panel.view.resize(0, 40)
    for suffix in ("png", "svg"):
        with pytest.raises(InputError, match="folded away"):
            picture_of(panel.view, suffix)


def test_an_image_that_cannot_be_encoded(panel, monkeypatch):
    monkeypatch.setattr(QBuffer, "open", lambda *_: False)
    with pytest.raises(InputError, match="could not be made"):
        picture_of(panel.view, "png")


@pytest.mark.parametrize(("path", "suffix"), [("/a/b.png", "png"), ("c.SVG", "svg")])
def test_the_ending_says_the_kind(path, suffix):
    assert suffix_of(path) == suffix


@pytest.mark.parametrize("path", ["a.jpg", "png", "a.png.bak", ""])
def test_other_endings_are_refused(path):
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        suffix_of(path)
