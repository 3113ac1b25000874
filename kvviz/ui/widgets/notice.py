"""One sentence that must be read, in the window's flow: never a dialog."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button, IconButton
from kvviz.ui.widgets.label import Label

NoticeKind = Literal["error", "info", "good"]


class NoticeBar(QFrame):
    """A bar with a sentence, one action if there is one, and a way to close it.

    The newest notice replaces the one before. ``closed`` follows when it goes away. The action's
    button is hidden when there is no action.
    """

    closed = Signal()

    def __init__(self, manager: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._manager = manager
        self._act: Callable[[], None] | None = None
        self._stripe = QFrame()
        self.label = Label(manager)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action_button = Button(manager, "", kind="strong")
        self.close_button = IconButton(manager, "close", "Close this notice", "Esc", kind="quiet")
        self._row = QHBoxLayout(self)
        for widget, stretch in ((self._stripe, 0), (self.label, 1), (self.action_button, 0)):
            self._row.addWidget(widget, stretch)
        self._row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.dismiss)
        self.action_button.clicked.connect(self._on_action)
        self.close_button.clicked.connect(self.dismiss)
        self.setProperty("role", "notice")
        manager.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def text(self) -> str:
        """The sentence on screen; empty when there is none."""
        return self.label.text() if not self.isHidden() else ""

    @property
    def will_pass(self) -> bool:
        """Whether it goes away by itself."""
        return self._timer.isActive()

    def show_message(
        self,
        text: str,
        kind: NoticeKind = "error",
        *,
        action: tuple[str, Callable[[], None]] | None = None,
        seconds: int | None = None,
    ) -> None:
        """Show ``text``; it stays until closed, or for ``seconds`` when given."""
        self.label.setText(text)
        self._act = action[1] if action else None
        self.action_button.setText(action[0] if action else "")
        self.action_button.setVisible(action is not None)
        self._stripe.setProperty("tone", kind)
        self._stripe.style().unpolish(self._stripe)
        self._stripe.style().polish(self._stripe)
        self.setAccessibleName(text)
        self.show()
        self._timer.stop()
        if seconds is not None:
            self._timer.start(seconds * 1000)

    @Slot()
    def dismiss(self) -> None:
        """Take the bar away."""
        self._timer.stop()
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    @Slot()
    def _on_action(self) -> None:
        act = self._act
        self.dismiss()
        if act is not None:
            act()

    @Slot()
    def _restyle(self) -> None:
        px = self._manager.px
        self._row.setContentsMargins(px(12), px(6), px(6), px(6))
        self._row.setSpacing(px(12))
        self._stripe.setFixedWidth(px(3))
        self.setMinimumHeight(px(44))
