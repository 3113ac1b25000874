import pytest
from PySide6.QtGui import QColor, QIcon

from kvviz.assets import assets_dir
from kvviz.ui.icons import NAMES, themed_icon, themed_pixmap
from kvviz.ui.theme import DARK, LIGHT

SIDE = 16


def colors(pixmap):
    """The opaque colours of a picture, as #RRGGBB."""
    image = pixmap.toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {pixel.name().upper() for pixel in pixels if pixel.alpha() == 255}


def alike(first, second):
    """Whether two colours differ by no more than rounding."""
    channels = zip(QColor(first).getRgb(), QColor(second).getRgb(), strict=True)
    return all(abs(a - b) <= 2 for a, b in channels)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_icons_take_the_themes_colour(qapp, name, theme):
    found = colors(themed_pixmap(name, theme, "text", SIDE, 4))
    assert theme.text in found
    assert all(alike(color, theme.text) for color in found)


def test_every_drawing_has_a_name():
    drawn = {path.stem for path in (assets_dir() / "icons").glob("*.svg")}
    assert drawn == {*NAMES, "logo"}


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_the_logo_wears_the_phases(qapp, theme):
    assert colors(themed_pixmap("logo", theme, "text", 24, 4)) >= {theme.prefill, theme.decode}
    assert len(colors(themed_pixmap("logo", theme, "text", 24, 4))) == 2


def test_icons_are_drawn_at_the_screens_density(qapp):
    pixmap = themed_pixmap("play", DARK, "text", SIDE, 1.5)
    assert (pixmap.width(), pixmap.devicePixelRatio()) == (24, 1.5)


def test_icons_stay_inside_their_square(qapp):
    for name in NAMES:
        image = themed_pixmap(name, DARK, "text", SIDE, 4).toImage()
        last = image.width() - 1
        edge = [image.pixelColor(i, j).alpha() for i in range(last + 1) for j in (0, last)]
        edge += [image.pixelColor(j, i).alpha() for i in range(last + 1) for j in (0, last)]
        assert max(edge) == 0, name


def test_an_icon_that_is_off_is_muted(qapp):
    icon = themed_icon("stop", DARK, "text", SIDE, 1)
    assert colors(icon.pixmap(SIDE, SIDE, QIcon.Mode.Disabled)) == {DARK.muted}
