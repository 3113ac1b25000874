import re

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from kvviz.ui.stylesheet import Wardrobe, palette, set_ground, style_sheet
from kvviz.ui.theme import DARK, LIGHT, ThemeChoice, ThemeManager


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_the_sheet_is_made_of_the_themes_own_colours(theme):
    used = set(re.findall(r"#[0-9A-F]{6}", style_sheet(theme)))
    other = LIGHT if theme is DARK else DARK
    assert theme.bg2 in used
    assert not used & ({other.bg0, other.bg1, other.text, other.secondary} - {theme.bg1})
    assert "$" not in style_sheet(theme)


def test_every_size_grows_with_the_zoom():
    sizes = [list(map(int, re.findall(r"(\d+)px", style_sheet(DARK, zoom)))) for zoom in (1, 2)]
    assert all(large >= small for small, large in zip(*sizes, strict=True))
    assert sum(sizes[1]) > 1.8 * sum(sizes[0])


@pytest.mark.parametrize("zoom", [0.75, 0.875, 1, 1.25, 2])
def test_edges_never_vanish(zoom):
    assert " 0px solid" not in style_sheet(LIGHT, zoom)


def test_disabled_text_stays_readable():
    for theme in (DARK, LIGHT):
        color = palette(theme).color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        assert color.name().upper() == theme.muted


def test_the_wardrobe_follows_theme_and_zoom(qtbot, qapp):
    manager = ThemeManager(ThemeChoice.DARK)
    Wardrobe(qapp, manager).dress()
    button = QPushButton("Run")
    qtbot.addWidget(button)
    before = button.sizeHint().height()
    manager.choose(ThemeChoice.LIGHT)
    manager.set_zoom(2.0)
    assert qapp.palette().color(QPalette.ColorRole.Window).name().upper() == LIGHT.bg0
    assert button.sizeHint().height() > 1.5 * before
    assert qapp.font().pixelSize() == 26
    qapp.setStyleSheet("")


def test_a_ground_is_painted(dressed, qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    set_ground(widget, "bg1")
    widget.resize(8, 8)
    assert widget.grab().toImage().pixelColor(4, 4).name().upper() == DARK.bg1


def test_what_belongs_to_the_window_wears_its_sheet(qtbot, qapp):
    manager = ThemeManager(ThemeChoice.DARK)
    window = QWidget()
    qtbot.addWidget(window)
    set_ground(window, "bg1")
    Wardrobe(qapp, manager).dress_window(window)
    dialog, late = QDialog(window), QPushButton("late", window)
    inside = QWidget(dialog)
    set_ground(inside, "bg2")
    for widget, token in ((window, "bg1"), (dialog, "bg0"), (inside, "bg2")):
        widget.resize(40, 40)
        color = widget.grab().toImage().pixelColor(20, 36)
        assert color == manager.color(token)
    before = late.sizeHint().height()
    manager.choose(ThemeChoice.LIGHT)
    manager.set_zoom(2.0)
    assert late.sizeHint().height() > 1.5 * before
    assert inside.grab().toImage().pixelColor(20, 20) == manager.color("bg2")
    assert qapp.styleSheet() == ""
