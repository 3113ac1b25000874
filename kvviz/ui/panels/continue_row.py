"""Going on with a run that has ended."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from kvviz.session.prompt_text import MOST_CHARACTERS, fit_for_prompt
from kvviz.sizing.errors import InputError
from kvviz.sizing.units import count_text
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain

MORE = "Go on with the shown run on the cache it kept: only the new tokens are computed."
TEXT = (
    "Type what comes next, then Enter: it is a second prefill on the kept cache, and new tokens "
    "follow it."
)


class ContinueRow(QWidget):
    """More tokens, or more text first; off with the reason where the run cannot go on."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.button = Button(look, "Continue", MORE)
        self.edit = QLineEdit()
        self.edit.setAccessibleName("Text to continue with")
        self.edit.setPlaceholderText("or more text ↵")
        self.edit.setMaxLength(MOST_CHARACTERS)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.button)
        self._row.addWidget(self.edit, 1)
        self.button.clicked.connect(self._go_on)
        self.edit.returnPressed.connect(self._go_on)
        self.edit.textChanged.connect(self._on_text_changed)
        self.edit.inputRejected.connect(self._on_text_cut)
        self.restyle()
        self.refresh()

    @property
    def new_tokens(self) -> int:
        """How many tokens would follow: what the controls ask for, as far as there is room."""
        wanted = self._store.controls.settings.max_new_tokens
        try:
            text_ids = self._store.further_ids(self.edit.text()) or ()
        except InputError:
            return 0
        return max(0, min(wanted, self._store.continue_room - len(text_ids)))

    @property
    def reason(self) -> str:
        """Why the run cannot go on; empty where it can."""
        if problem := self._store.continue_problem:
            return problem
        try:
            self._store.further_ids(self.edit.text())
        except InputError as error:
            return str(error)
        if self.new_tokens:
            return ""
        run = self._store.shown
        most = count_text(run.config.max_seq_len if run else 0, "token")
        if self.edit.text():
            return f"This text leaves no room for a new token: the run's limit is {most}."
        return f"This run's sequence limit of {most} is full: raise it and run."

    def refresh(self) -> None:
        """Say how far the shown run can go on, or why not."""
        reason = self.reason or None
        count = self.new_tokens
        self.button.setText("Continue" if reason else f"Continue +{count:,}")
        self.button.set_reason(reason)
        # Too much text must stay open for shortening.
        explain(self.edit, TEXT, None if self.edit.text() else reason)

    def restyle(self) -> None:
        """Follow theme and zoom."""
        self._row.setSpacing(self._look.px(8))
        self.edit.setFont(self._look.font(13))
        self.edit.setFixedHeight(self._look.px(28))

    @Slot()
    def _go_on(self) -> None:
        if self.reason:
            self._store.tell(self.reason)
            return
        fitted = fit_for_prompt(self.edit.text())
        count = self.new_tokens
        self.edit.clear()
        self.edit.clearFocus()  # off while the run goes on, it would hand the keyboard to anyone
        self._store.continue_run(count, fitted.text)
        if fitted.notice:
            self._store.tell(fitted.notice, is_error=False)

    @Slot(str)
    def _on_text_changed(self, _text: str) -> None:
        self.refresh()

    @Slot()
    def _on_text_cut(self) -> None:
        self._store.tell(f"The text was cut to {MOST_CHARACTERS:,} characters.", is_error=False)
