"""One part of the page: a heading, what stands under it, and when it is read anew."""

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.section_header import SectionHeader


class Part(QWidget):
    """Shows something of the desk; ``refresh`` follows every answer that it listens to.

    ``more`` in the heading unfolds what is seldom needed.
    """

    def __init__(
        self,
        desk: CalculatorDesk,
        look: ThemeManager,
        title: str,
        tags: Sequence[str] = (),
        *,
        gap: int = 4,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.desk, self.look = desk, look
        self.header = SectionHeader(look, title, tags)
        self._gap = gap
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.header)
        self.more = Button(look, "", kind="quiet", tight=True, parent=self)
        self.more.setCheckable(True)
        self.more.hide()
        self.more.toggled.connect(self._on_more)
        self._folded: list[QWidget] = []
        self._listens = True
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        desk.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)

    def add(self, *parts: QWidget, stretch: int = 0) -> None:
        """Put ``parts`` below what is there."""
        for part in parts:
            self._column.addWidget(part, stretch)

    def add_more(self, *parts: QWidget, names: str) -> None:
        """Fold ``parts``, called ``names`` together, away behind a button of the heading."""
        self._folded += parts
        self.add(*parts)
        self.more.set_tooltip(f"Show or hide what is seldom needed: {names}.")
        self.header.add_right(self.more)
        self.more.show()
        self._on_more(False)

    def sizeHint(self) -> QSize:
        """Return the height at the width it has: Qt's own is that of a much narrower column."""
        hint = super().sizeHint()
        if self._column.hasHeightForWidth():
            hint.setHeight(self._column.totalHeightForWidth(self.width()))
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height where lines wrap otherwise."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def listen(self, on: bool) -> None:
        """Follow the desk, or rest where nobody looks."""
        caught_up, self._listens = self._listens, on
        if on and not caught_up:
            self._on_changed()

    @abstractmethod
    def refresh(self) -> None:
        """Read the desk and show it, telling no one."""

    def applies(self, part: QWidget) -> bool:
        """Whether a folded part has a meaning now; one that has not stays away."""
        return True

    @Slot(bool)
    def _on_more(self, opened: bool) -> None:
        for part in self._folded:
            part.setVisible(opened and self.applies(part))
        self.more.setText(f"more {'▴' if opened else '▾'}")
        self.more.setAccessibleName(f"More of {self.header.text}, {'open' if opened else 'closed'}")

    @Slot()
    def _on_changed(self) -> None:
        if not self._listens:
            return
        self.refresh()
        if self.more.isChecked():
            self._on_more(True)

    @Slot()
    def _on_look_changed(self) -> None:
        self._column.setSpacing(self.look.px(self._gap))
        self.refresh()

    def begin(self) -> None:
        """Show the desk for the first time."""
        self._on_look_changed()
