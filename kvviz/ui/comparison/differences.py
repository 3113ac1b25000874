"""Where runs of a comparison write something else than the reference."""

import html

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from kvviz.session.comparison_table import ComparisonTable
from kvviz.session.comparison_text import set_names
from kvviz.session.text_difference import TextDifference, text_difference
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader

ENDED = "(ends here)"
REFERENCE = "reference"


class Differences(QWidget):
    """Two lines for each run that differs: its own text and the reference's, from there on."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._shown: tuple[tuple[str, TextDifference], ...] = ()
        self._theme = look.theme
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(SectionHeader(look, "Where the text differs", ["measured"]))
        self._column.addLayout(self._grid)
        look.changed.connect(self._restyle)
        self._restyle()

    @property
    def lines(self) -> list[str]:
        """What is written, line by line, as a person reads it."""
        return [line for name, found in self._shown for line in _plain(name, found)]

    def follow(self, table: ComparisonTable) -> None:
        """Show where each run leaves the reference's text; nothing where none does."""
        names = set_names([row.run for row in table.rows])
        pairs = (
            (name, text_difference(table.rows[0].run, row))
            for name, row in zip(names, table.rows, strict=True)
        )
        shown = tuple((name, found) for name, found in pairs if found is not None)
        self.setVisible(bool(shown))
        if shown != self._shown:
            self._shown = shown
            self._write()

    def _write(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (label := item.widget()) is not None:
                label.hide()
                label.deleteLater()
        for place, (name, found) in enumerate(self._shown):
            own = (name, found.own, found.own_after, "error")
            theirs = (REFERENCE, found.theirs, found.theirs_after, "text")
            for line, (who, piece, after, tone) in enumerate((own, theirs)):
                row = 2 * place + line
                self._grid.addWidget(Label(self._look, who, size=11, tone="muted"), row, 0)
                self._grid.addWidget(self._text(found.shared, piece, after, tone), row, 1)

    def _text(
        self, shared: tuple[str, ...], piece: str | None, after: tuple[str, ...], tone: str
    ) -> Label:
        theme = self._look.theme
        muted = f"<span style='color:{theme.muted}'>{{}}</span>"
        strong = f"<span style='font-weight:600; color:{getattr(theme, tone)}'>{{}}</span>"
        label = Label(self._look, size=11, tone="secondary")
        label.setTextFormat(Qt.TextFormat.RichText)
        parts = (
            muted.format(_marked("".join(("…", *shared)))),
            strong.format(_marked(ENDED if piece is None else piece)),
            _marked("".join(after)),
        )
        label.setText("".join(parts))
        label.setAccessibleName("".join((*shared, piece or ENDED, *after)))
        label.setMinimumWidth(1)
        return label

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setSpacing(px(4))
        self._grid.setHorizontalSpacing(px(12))
        self._grid.setVerticalSpacing(px(2))
        if self._look.theme is not self._theme:
            self._theme = self._look.theme
            self._write()


def _marked(text: str) -> str:
    one_line = text.replace("\n", "⏎")
    return f"<span style='white-space:pre'>{html.escape(one_line, quote=False)}</span>"


def _plain(name: str, found: TextDifference) -> tuple[str, str]:
    shared = "".join(found.shared)
    own = (found.own or ENDED, *found.own_after)
    theirs = (found.theirs or ENDED, *found.theirs_after)
    return f"{name}: {shared}{''.join(own)}", f"{REFERENCE}: {shared}{''.join(theirs)}"
