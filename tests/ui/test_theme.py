from dataclasses import fields

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from kvviz.ui.theme import DARK, LIGHT, ZOOM_STEPS, Theme, ThemeChoice, ThemeManager

GROUNDS = ("bg0", "bg1", "bg2", "bg3")
INKS = ("text", "secondary", "muted", "prefill", "decode", "cursor", "ghost_text", "good", "error")
TEXT_RATIO = 4.5
SHAPE_RATIO = 3.0


def luminance(color):
    def linear(share):
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first, second):
    """WCAG 2 contrast ratio of two colours."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
class TestContrast:
    @pytest.mark.parametrize("ground", GROUNDS)
    @pytest.mark.parametrize("ink", INKS)
    def test_text_can_be_read_on_every_ground(self, theme, ink, ground):
        assert contrast(theme.color(ink), theme.color(ground)) >= TEXT_RATIO

    @pytest.mark.parametrize("phase", ["prefill", "decode"])
    def test_text_can_be_read_on_a_phase(self, theme, phase):
        assert contrast(theme.color("on_phase"), theme.color(phase)) >= TEXT_RATIO

    def test_text_can_be_read_on_what_is_masked(self, theme):
        assert contrast(DARK.color("secondary"), theme.color("masked")) >= TEXT_RATIO

    def test_text_can_be_read_on_what_is_selected_or_inverse(self, theme):
        assert contrast(theme.color("bg0"), theme.color("text")) >= TEXT_RATIO
        assert contrast(theme.color("bg0"), theme.color("secondary")) >= TEXT_RATIO

    def test_phases_stand_out_from_masked_and_planned(self, theme):
        for phase in ("prefill", "decode"):
            assert contrast(theme.color(phase), theme.color("masked")) >= SHAPE_RATIO
            assert contrast(theme.color(phase), theme.color("not_yet")) >= SHAPE_RATIO


def test_contrast_of_black_on_white_is_21():
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)


def test_both_themes_name_every_colour_in_full():
    for theme in (DARK, LIGHT):
        for field in fields(Theme):
            if field.name != "name":
                value = getattr(theme, field.name)
                assert value == theme.color(field.name).name().upper(), field.name


def test_color_takes_an_alpha():
    assert DARK.color("prefill", 0.5).alphaF() == pytest.approx(0.5, abs=0.01)


def test_unknown_system_scheme_is_light(qapp):
    assert qapp.styleHints().colorScheme() is Qt.ColorScheme.Unknown
    assert ThemeManager(ThemeChoice.SYSTEM).theme is LIGHT


def test_system_choice_follows_the_desktop(qtbot, qapp):
    manager = ThemeManager(ThemeChoice.SYSTEM)
    with qtbot.waitSignal(manager.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert manager.theme is DARK


def test_a_choice_of_ones_own_does_not_follow_the_desktop(qtbot, qapp):
    manager = ThemeManager(ThemeChoice.LIGHT)
    with qtbot.assertNotEmitted(manager.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert manager.theme is LIGHT
    manager.choose(ThemeChoice.SYSTEM)
    assert manager.theme is DARK


def test_changed_only_when_something_changed(qtbot, qapp):
    manager = ThemeManager(ThemeChoice.DARK, 1.5)
    with qtbot.assertNotEmitted(manager.changed):
        manager.choose(ThemeChoice.DARK)
        manager.set_zoom(1.5)


@pytest.mark.parametrize(("asked", "got"), [(0.1, 0.75), (0.75, 0.75), (1.3, 1.3), (9, 2.0)])
def test_zoom_stays_within_bounds(qapp, asked, got):
    manager = ThemeManager(ThemeChoice.DARK)
    manager.set_zoom(asked)
    assert manager.zoom == got


def test_zoom_in_and_out_walk_the_steps(qapp):
    manager = ThemeManager(ThemeChoice.DARK, ZOOM_STEPS[0])
    walked = [manager.zoom]
    for _ in ZOOM_STEPS:
        manager.zoom_in()
        walked.append(manager.zoom)
    assert tuple(walked[:-1]) == ZOOM_STEPS
    assert walked[-1] == ZOOM_STEPS[-1]
    for step in reversed(ZOOM_STEPS[:-1]):
        manager.zoom_out()
        assert manager.zoom == step
    manager.zoom_out()
    assert manager.zoom == ZOOM_STEPS[0]


def test_pixels_and_fonts_grow_with_the_zoom(qapp):
    manager = ThemeManager(ThemeChoice.DARK, 2.0)
    assert (manager.px(8), manager.px(0), manager.px(0.1)) == (16, 0, 1)
    assert manager.font(13).pixelSize() == 26
    assert manager.font("answer").pixelSize() > manager.font(20).pixelSize()
