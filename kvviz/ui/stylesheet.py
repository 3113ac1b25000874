"""The window's one style sheet and palette, made from the theme and the zoom."""

import weakref
from dataclasses import asdict
from string import Template

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from kvviz.ui.theme import Theme, ThemeManager

# ${name} is a colour token, ${n} px at zoom 1; fonts are set on widgets, as QSS knows no tabular
# figures.
_BUTTONS = """
QPushButton, QToolButton {
  background: $bg2; color: $text; border: ${e}px solid transparent; border-radius: ${n6}px;
  padding: 0 ${n10}px; min-height: ${n24}px;
}
QPushButton:hover, QToolButton:hover { background: $bg3; }
QPushButton:pressed, QToolButton:pressed { background: $line; }
QPushButton:focus, QToolButton:focus { border-color: $text; }
QPushButton:disabled, QToolButton:disabled {
  background: transparent; color: $muted; border: ${e}px solid $line;
}
QFileDialog QToolButton { padding: 0; }
QPushButton[kind="strong"] { background: $bg3; }
QPushButton[kind="strong"]:hover { background: $line; }
QPushButton[kind="primary"] { background: $text; color: $bg0; }
QPushButton[kind="primary"]:hover { background: $secondary; }
QPushButton[kind="primary"]:focus { border-color: $ghost; }
QPushButton[kind="primary"]:disabled { background: transparent; color: $muted; }
QPushButton[kind="quiet"] { background: transparent; color: $secondary; }
QPushButton[kind="quiet"]:hover { background: $bg2; color: $text; }
QPushButton[kind="quiet"]:disabled { border-color: transparent; color: $muted; }
QPushButton[fit="tight"] { padding: 0 ${n2}px; min-height: ${n20}px; }
QPushButton[shape="square"] {
  padding: 0; min-width: ${square}px; max-width: ${square}px; min-height: ${square}px;
  max-height: ${square}px;
}
QPushButton[shape="small"] {
  padding: 0; min-width: ${small}px; max-width: ${small}px; min-height: ${small}px;
  max-height: ${small}px;
}
QPushButton[answer="right"] { border-color: $good; }
QPushButton[answer="wrong"] { border-color: $error; }
QFrame[role="segmented"] { background: $bg2; border-radius: ${n6}px; }
QPushButton[role="segment"] { background: transparent; color: $secondary; padding: 0 ${n8}px; }
QPushButton[role="segment"]:hover { color: $text; }
QPushButton[role="segment"]:checked { background: $bg3; color: $text; }
QPushButton[role="segment"]:focus { border-color: $text; }
QPushButton[role="segment"]:disabled {
  color: $muted; border-color: transparent; text-decoration: line-through;
}
QPushButton[role="segment"]:checked:disabled { text-decoration: none; }
"""
_FIELDS = """
QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox {
  background: $bg2; color: $text; border: ${h}px solid transparent; border-radius: ${n6}px;
  padding: ${n4}px ${n8}px; placeholder-text-color: $muted;
  selection-background-color: $prefill; selection-color: $on_phase;
}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus {
  border-color: $secondary;
}
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled { color: $muted; }
QLineEdit[role="value"] {
  background: transparent; padding: 0 0 0 ${n4}px; border-radius: ${n4}px; min-height: ${n20}px;
}
QLineEdit[role="value"]:hover { background: $bg2; }
QLineEdit[role="value"]:focus { background: $bg2; border-color: $secondary; }
QLineEdit[role="value"]:disabled { background: transparent; color: $muted; }
QLineEdit[role="value"][bad="true"] { color: $error; border-color: $error; }
QComboBox {
  background: $bg2; color: $text; border: ${e}px solid transparent; border-radius: ${n6}px;
  padding: 0 ${n24}px 0 ${n8}px; min-height: ${n24}px;
}
QComboBox:hover { background: $bg3; }
QComboBox:focus { border-color: $text; }
QComboBox:disabled { background: transparent; color: $muted; border-color: $line; }
QComboBox::drop-down { border: none; width: 0; }
QComboBox::down-arrow { image: none; width: 0; height: 0; }
QComboBox QAbstractItemView {
  background: $bg1; color: $text; border: ${h}px solid $line; padding: ${n4}px; outline: none;
  selection-background-color: $bg3; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: ${n28}px; padding: 0 ${n8}px; }
QComboBox QAbstractItemView::item:disabled { color: $muted; }
QProgressBar { background: $bg3; border: none; border-radius: ${n2}px; max-height: ${n4}px; }
QProgressBar::chunk { background: $prefill; border-radius: ${n2}px; }
"""
_GROUNDS = """
QMainWindow, QDialog { background: $bg0; }
*[ground="bg0"] { background: $bg0; }
*[ground="bg1"] { background: $bg1; }
*[ground="bg2"] { background: $bg2; border-radius: ${n8}px; }
QFrame[role="hairline"] { background: $line; border: none; }
QFrame[role="notice"] { background: $bg2; border-radius: ${n8}px; }
QFrame[tone="error"] { background: $error; border-radius: ${h}px; }
QFrame[tone="info"] { background: $secondary; border-radius: ${h}px; }
QFrame[tone="good"] { background: $good; border-radius: ${h}px; }
QLabel[role="tag"] {
  color: $secondary; border: ${h}px solid $tag; border-radius: ${n4}px;
  padding: ${h}px ${n5}px ${n2}px ${n5}px;
}
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: ${n8}px; }
QScrollBar:horizontal { height: ${n8}px; }
QScrollBar::handle { background: $tag; border-radius: ${n3}px; margin: ${h}px; }
QScrollBar::handle:vertical { min-height: ${n32}px; }
QScrollBar::handle:horizontal { min-width: ${n32}px; }
QScrollBar::handle:hover { background: $ghost; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: $line; }
"""
_POPUPS = """
QMenu { background: $bg1; color: $text; border: ${h}px solid $line; padding: ${n4}px; }
QMenu::item {
  padding: ${n6}px ${n24}px ${n6}px ${n12}px; border-radius: ${n4}px; background: transparent;
}
QMenu::item:selected { background: $bg3; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: ${n4}px ${n8}px; }
QToolTip { background: $bg3; color: $text; border: ${h}px solid $tag; padding: ${n6}px; }
QListView, QTableView, QTreeView {
  background: transparent; color: $text; border: none; outline: none;
  selection-background-color: $bg3; selection-color: $text;
}
QListView::item { min-height: ${n28}px; padding: 0 ${n8}px; border-radius: ${n4}px; }
QListView::item:hover { background: $bg2; }
QListView::item:selected { background: $bg3; color: $text; }
"""
_SHEET = Template(_BUTTONS + _FIELDS + _GROUNDS + _POPUPS)
_SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 28, 32)


def style_sheet(theme: Theme, zoom: float = 1.0) -> str:
    """Return the QSS of ``theme`` with every size in px times ``zoom``."""
    sizes = {f"n{units}": max(1, round(units * zoom)) for units in _SIZES}
    edges = {"h": max(1, round(zoom)), "e": max(1, round(1.5 * zoom))}
    # Icon buttons are 32 and 22 px with their edges.
    icons = {
        "square": round(32 * zoom) - 2 * edges["e"],
        "small": round(22 * zoom) - 2 * edges["e"],
    }
    tag = "#3A444F" if theme.is_dark else "#C3CCD5"  # a border on a panel, stronger than a hairline
    return _SHEET.substitute(asdict(theme), tag=tag, **sizes, **edges, **icons)


def palette(theme: Theme) -> QPalette:
    """Return the palette for what the style sheet leaves to Fusion."""
    roles = QPalette.ColorRole
    result = QPalette()
    for role, token in (
        (roles.Window, "bg0"),
        (roles.Base, "bg2"),
        (roles.AlternateBase, "bg1"),
        (roles.Button, "bg2"),
        (roles.Light, "bg3"),
        (roles.Midlight, "bg3"),
        (roles.Mid, "line"),
        (roles.Dark, "line"),
        (roles.Shadow, "masked"),
        (roles.WindowText, "text"),
        (roles.Text, "text"),
        (roles.ButtonText, "text"),
        (roles.BrightText, "error"),
        (roles.PlaceholderText, "muted"),
        (roles.Highlight, "prefill"),
        (roles.Accent, "prefill"),
        (roles.HighlightedText, "on_phase"),
        (roles.Link, "prefill"),
        (roles.LinkVisited, "prefill"),
        (roles.ToolTipBase, "bg3"),
        (roles.ToolTipText, "text"),
    ):
        result.setColor(role, theme.color(token))
    muted: QColor = theme.color("muted")
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, muted)
    return result


class Wardrobe(QObject):
    """Dresses the application when asked, and at each change of theme or zoom.

    Made before the widgets: a change must reach the sheet first, which undoes their own palettes.
    The sheet is better worn by the window, whose menus and dialogs inherit it: the application's
    polishes all widgets in no order, children before parents, which takes four times as long.
    """

    def __init__(self, app: QApplication, manager: ThemeManager) -> None:
        super().__init__(manager)
        self._app = app
        self._window: weakref.ref[QWidget] | None = None
        self._manager = manager
        manager.changed.connect(self.dress)

    def dress_window(self, window: QWidget) -> None:
        """Let ``window`` wear the sheet from now on, as long as it is there."""
        self._window = weakref.ref(window)
        self.dress()

    @Slot()
    def dress(self) -> None:
        """Give the application font, palette and sheet of the present theme and zoom."""
        theme = self._manager.theme
        self._app.setPalette(palette(theme))
        self._app.setFont(self._manager.font(13))
        wearer = self._app if self._window is None else self._window()
        if wearer is not None and isValid(wearer):
            wearer.setStyleSheet(style_sheet(theme, self._manager.zoom))


def set_ground(widget: QWidget, token: str) -> None:
    """Give a plain ``widget`` the background bg0, bg1 or bg2 (bg2 has round corners)."""
    widget.setProperty("ground", token)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
