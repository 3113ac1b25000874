"""Colours, sizes and fonts of the window: two palettes, one zoom, one owner of both."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication

from kvviz.ui.fonts import REGULAR, SizeName, load_fonts, make_font

ZOOM_STEPS = (0.75, 0.875, 1.0, 1.125, 1.25, 1.5, 1.75, 2.0)


class ThemeChoice(StrEnum):
    """What a person asks for; ``system`` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of the window, as ``#RRGGBB``."""

    name: str
    bg0: str  # window
    bg1: str  # panels
    bg2: str  # controls
    bg3: str  # selected
    line: str  # hairlines
    text: str
    secondary: str
    muted: str
    prefill: str
    decode: str
    on_phase: str  # text on a prefill or decode bar
    masked: str  # never computed: a token does not see the future
    not_yet: str  # planned, with a faint hatch
    cursor: str  # where we are
    ghost: str  # the reference run's lines
    ghost_text: str
    good: str  # proved, fits
    error: str
    fifth: str  # one more line in a chart, where the others have a meaning

    def color(self, name: str, alpha: float = 1.0) -> QColor:
        """Return the token ``name`` as a colour with ``alpha`` from 0 to 1."""
        color = QColor(getattr(self, name))
        color.setAlphaF(alpha)
        return color

    @property
    def is_dark(self) -> bool:
        """Whether light text stands on a dark ground."""
        return self.name == "dark"


DARK = Theme(
    name="dark",
    bg0="#0E1115",
    bg1="#14181D",
    bg2="#1C2229",
    bg3="#252C35",
    line="#262E37",
    text="#E8ECF1",
    secondary="#9BA7B4",
    muted="#8A96A3",
    prefill="#5090FF",
    decode="#FF5D5D",
    on_phase="#0E1115",
    masked="#06080A",
    not_yet="#171C22",
    cursor="#F5C451",
    ghost="#7C8794",
    ghost_text="#8F9BA8",
    good="#5BC98C",
    error="#FF9A8B",
    fifth="#C48BFF",
)

# decode, cursor, ghost_text and good are a shade darker than the drawings', and the dark prefill a
# shade lighter: all must reach 4.5:1 on bg3 too. bg2 is a shade darker, as controls
# also stand on bg0.
LIGHT = Theme(
    name="light",
    bg0="#F4F6F8",
    bg1="#FFFFFF",
    bg2="#EBEFF3",
    bg3="#E4E9EE",
    line="#DDE3E9",
    text="#18202A",
    secondary="#556270",
    muted="#5C6773",
    prefill="#1F5FE0",
    decode="#C82626",
    on_phase="#FFFFFF",
    masked="#14181D",
    not_yet="#EEF1F4",
    cursor="#8E5E00",
    ghost="#98A3B0",
    ghost_text="#606974",
    good="#147542",
    error="#B3261E",
    fifth="#7B3FC8",
)


class ThemeManager(QObject):
    """Owns the theme and the zoom; hands out colours, pixels and fonts, says when they change.

    Every widget and view takes it as its first argument and re-reads it on ``changed``.
    """

    changed = Signal()

    def __init__(
        self,
        choice: ThemeChoice = ThemeChoice.SYSTEM,
        zoom: float = 1.0,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._choice = choice
        self._zoom = _bounded(zoom)
        self._family = load_fonts()
        hints = QGuiApplication.styleHints()
        self._system_dark = hints.colorScheme() is Qt.ColorScheme.Dark
        hints.colorSchemeChanged.connect(self._on_color_scheme_changed)

    @property
    def theme(self) -> Theme:
        """The palette in force."""
        if self._choice is ThemeChoice.SYSTEM:
            return DARK if self._system_dark else LIGHT
        return DARK if self._choice is ThemeChoice.DARK else LIGHT

    @property
    def choice(self) -> ThemeChoice:
        """What was asked for."""
        return self._choice

    @property
    def zoom(self) -> float:
        """Factor on every size and font of the interface, 0.75 to 2."""
        return self._zoom

    def choose(self, choice: ThemeChoice) -> None:
        """Take ``choice``; ``changed`` follows if it is another one."""
        if choice is not self._choice:
            self._choice = choice
            self.changed.emit()

    def set_zoom(self, factor: float) -> None:
        """Enlarge the whole interface by ``factor``, held between 0.75 and 2."""
        factor = _bounded(factor)
        if factor != self._zoom:
            self._zoom = factor
            self.changed.emit()

    def zoom_in(self) -> None:
        """Go to the next larger zoom step."""
        self.set_zoom(next((step for step in ZOOM_STEPS if step > self._zoom), self._zoom))

    def zoom_out(self) -> None:
        """Go to the next smaller zoom step."""
        smaller = (step for step in reversed(ZOOM_STEPS) if step < self._zoom)
        self.set_zoom(next(smaller, self._zoom))

    def color(self, name: str, alpha: float = 1.0) -> QColor:
        """Return the token ``name`` of the palette in force."""
        return self.theme.color(name, alpha)

    def px(self, units: float) -> int:
        """Return ``units`` of the drawings' pixels at the present zoom; never below 1 for > 0."""
        pixels = round(units * self._zoom)
        return max(1, pixels) if units > 0 else pixels

    def font(self, size: SizeName, weight: QFont.Weight = REGULAR) -> QFont:
        """Return Inter at 11, 13, 20 px or the size of an answer, at the present zoom."""
        return make_font(self._family, size, weight, self._zoom)

    def _on_color_scheme_changed(self, scheme: Qt.ColorScheme) -> None:
        self._system_dark = scheme is Qt.ColorScheme.Dark
        if self._choice is ThemeChoice.SYSTEM:
            self.changed.emit()


def _bounded(zoom: float) -> float:
    return min(ZOOM_STEPS[-1], max(ZOOM_STEPS[0], zoom))
