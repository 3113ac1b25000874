"""Buttons: a word, or an icon; when off they say why."""

from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from kvviz.ui.fonts import MEDIUM, REGULAR
from kvviz.ui.icons import themed_icon
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.value_edit import commit_typing

ButtonKind = Literal["plain", "strong", "primary", "quiet"]


class Button(QPushButton):
    """A word to press; ``set_reason`` switches it off and says why in its tooltip.

    A ``tight`` one has its word near its own edge, to stand in line with text.
    """

    def __init__(
        self,
        manager: ThemeManager,
        text: str,
        tooltip: str = "",
        *,
        shortcut: str = "",
        kind: ButtonKind = "plain",
        icon: str = "",
        tight: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._manager = manager
        self._tooltip, self._shortcut, self._icon_name = tooltip, shortcut, icon
        self._kind: ButtonKind = kind
        self._reason: str | None = None
        # A click leaves the keyboard where it was: Space stays the transport's.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("kind", kind)
        self.setProperty("fit", "tight" if tight else "")
        explain(self, tooltip, None, shortcut)
        manager.changed.connect(self._on_look_changed)
        self._restyle()

    @property
    def reason(self) -> str | None:
        """Why it is off; None when it is on."""
        return self._reason

    def set_reason(self, reason: str | None) -> None:
        """Switch off with ``reason``, or on with None."""
        self._reason = reason
        explain(self, self._tooltip, reason, self._shortcut)

    def set_tooltip(self, tooltip: str) -> None:
        """Say something else when pointed at."""
        self._tooltip = tooltip
        explain(self, tooltip, self._reason, self._shortcut)

    def set_kind(self, kind: ButtonKind) -> None:
        """Take another weight: ``primary`` is the one thing to do next."""
        if kind != self._kind:
            self._kind = kind
            self.setProperty("kind", kind)
            self._restyle()

    def set_icon(self, name: str) -> None:
        """Show another icon."""
        if name != self._icon_name:
            self._icon_name = name
            self._restyle()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a number still being typed into account before acting on it."""
        commit_typing()
        super().mousePressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Draw icons anew when the window comes to a screen of another density."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._restyle()
        return super().event(event)

    @Slot()
    def _on_look_changed(self) -> None:
        self._restyle()

    def _restyle(self) -> None:
        weight = MEDIUM if self._kind in ("strong", "primary") else REGULAR
        self.style().unpolish(self)
        self.style().polish(self)
        self.setFont(self._manager.font(13, weight))  # polishing takes an earlier font back
        if self._icon_name:
            side = self._manager.px(16)
            tone = {"primary": "bg0", "quiet": "secondary"}.get(self._kind, "text")
            ratio = self.devicePixelRatio()
            self.setIcon(themed_icon(self._icon_name, self._manager.theme, tone, side, ratio))
            self.setIconSize(QSize(side, side))


class IconButton(Button):
    """A square of 32 px with an icon, ``small`` 22; its tooltip is also its name."""

    def __init__(
        self,
        manager: ThemeManager,
        icon: str,
        tooltip: str,
        shortcut: str = "",
        *,
        kind: ButtonKind = "plain",
        name: str = "",
        small: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        self._units = 22 if small else 32
        super().__init__(
            manager, "", tooltip, shortcut=shortcut, kind=kind, icon=icon, parent=parent
        )
        self.setProperty("shape", "small" if small else "square")
        self.setAccessibleName(name or tooltip.split(".")[0])
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._restyle()

    def sizeHint(self) -> QSize:
        """Return the square."""
        return QSize(self._manager.px(self._units), self._manager.px(self._units))
