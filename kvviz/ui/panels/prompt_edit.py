"""Where the prompt is typed."""

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from kvviz.session.prompt_text import fit_for_prompt
from kvviz.ui.theme import ThemeManager

FEWEST_LINES, MOST_LINES = 2, 5
FRAME_UNITS = 5  # the style sheet's padding and border, above and below
MARGIN_UNITS = 3


class PromptEdit(QPlainTextEdit):
    """Plain text, two to five lines high.

    ``edited(text)`` at each change a person makes, ``entered`` on Enter (Shift+Enter is a new
    line; where ``takes_lines``, Enter is one too), ``noticed(sentence)`` when text had to be cut
    or mended.
    """

    edited = Signal(str)
    entered = Signal()
    noticed = Signal(str)

    def __init__(
        self,
        look: ThemeManager,
        name: str = "Prompt",
        hint: str = "Type a prompt, then press Enter",
        *,
        takes_lines: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._takes_lines = takes_lines
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._on_text_changed)
        look.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, text: str) -> None:
        """Show ``text`` without an echo; what is there already keeps its cursor."""
        if text != self.toPlainText():
            with QSignalBlocker(self):
                self.setPlainText(text)
            self._fit_height()

    def lines_shown(self) -> int:
        """How many lines there is room for."""
        return min(MOST_LINES, max(FEWEST_LINES, self._lines()))

    def minimumSizeHint(self) -> QSize:
        """Return a width that leaves the column free to be narrow."""
        return QSize(self._look.px(80), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._fit_height()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter runs, with Shift it is a new line."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if (
            enter
            and not self._takes_lines
            and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window where the text itself has nothing to undo."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            document = self.document()
            spent = (
                event.matches(QKeySequence.StandardKey.Undo) and not document.isUndoAvailable()
            ) or (event.matches(QKeySequence.StandardKey.Redo) and not document.isRedoAvailable())
            if spent:
                event.ignore()
                return True
        return super().event(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take text; files are for the window."""
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop text, cut before the document sees it: megabytes would stall it."""
        if not source.hasText():  # a picture in the place of what is selected would be nothing
            return
        fitted = fit_for_prompt(source.text())
        self.textCursor().insertText(fitted.text)
        self.ensureCursorVisible()
        if fitted.notice:
            self.noticed.emit(fitted.notice)

    def _lines(self) -> int:
        """Count lines as they are wrapped, no further than it matters."""
        layout, block, lines = self.document().documentLayout(), self.document().begin(), 0
        while block.isValid() and lines <= MOST_LINES:
            layout.blockBoundingRect(block)  # a plain document wraps a block only when it is asked
            lines += block.layout().lineCount()
            block = block.next()
        return lines

    @Slot()
    def _on_text_changed(self) -> None:
        self._fit_height()
        fitted = fit_for_prompt(self.toPlainText())
        if fitted.notice:
            self.show_text(fitted.text)
            self.noticed.emit(fitted.notice)
        self.edited.emit(fitted.text)

    @Slot()
    def _fit_height(self) -> None:
        px = self._look.px
        frame = 2 * (px(FRAME_UNITS) + px(MARGIN_UNITS)) + 1
        over = self._lines() > MOST_LINES
        policies = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policies.ScrollBarAsNeeded if over else policies.ScrollBarAlwaysOff
        )
        self.setFixedHeight(self.lines_shown() * self.fontMetrics().lineSpacing() + frame)

    @Slot()
    def _restyle(self) -> None:
        font = self._look.font(13)
        self.setFont(font)
        self.viewport().setFont(font)  # it paints the hint, and takes a zoom one change late
        self.document().setDocumentMargin(self._look.px(MARGIN_UNITS))
        self._fit_height()
