"""A number that can be clicked and typed over."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from kvviz.ui.theme import ThemeManager


class ValueEdit(QLineEdit):
    """Looks like text until it is pointed at; Enter or leaving commits, Esc takes it back."""

    typed = Signal(str)
    left = Signal()  # Enter or Esc: the keyboard goes back to where it came from

    def __init__(self, manager: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._manager = manager
        self._shown = ""
        self.setProperty("role", "value")
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        manager.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, text: str) -> None:
        """Show ``text`` as the committed value."""
        self._shown = text
        self.setText(text)

    def begin(self, start: str) -> None:
        """Take the keyboard and start typing with ``start``, or with all selected if empty."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if start:
            self.setText(start)
            self.setModified(True)
        else:
            self.selectAll()

    @property
    def is_typing(self) -> bool:
        """Whether a person is in the middle of a number."""
        return self.hasFocus() and self.isModified()

    def commit(self) -> None:
        """Hand over what was typed, if anything was."""
        self.setModified(False)
        if self.text() != self._shown:
            self.typed.emit(self.text())
        self.deselect()

    def mark_bad(self, bad: bool) -> None:
        """Show that the last wish was not followed."""
        if bad != bool(self.property("bad")):
            self.setProperty("bad", bad)
            self.style().unpolish(self)
            self.style().polish(self)
            self._restyle()  # polishing takes an earlier font back

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select everything at the click that starts typing."""
        starting = not self.hasSelectedText() and self.text() == self._shown
        super().mousePressEvent(event)
        if starting:
            self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter commits, Esc restores; both give the keyboard back."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.commit()
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.setText(self._shown)
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit what was typed."""
        super().focusOutEvent(event)
        self.commit()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._manager.font(13))


def commit_typing() -> None:
    """Commit a number being typed: buttons do not take the focus on a click, yet act on it."""
    focused = QApplication.focusWidget()
    if isinstance(focused, ValueEdit):
        focused.clearFocus()
