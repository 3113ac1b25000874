"""One part of the control column."""

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.section_header import SectionHeader

HEADER_GAP = 4


class Panel(QWidget):
    """A heading and the controls under it; ``refresh`` follows every change that concerns it.

    ``more`` in the heading unfolds what is seldom needed.
    """

    concerns = Change.SETTINGS

    def __init__(
        self,
        store: Store,
        look: ThemeManager,
        title: str,
        tags: Sequence[str] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.store, self.look = store, look
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.header = SectionHeader(look, title, tags)
        self.setAccessibleName(title)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.header)
        self.more = Button(look, "", kind="quiet", tight=True, parent=self)
        self.more.setCheckable(True)
        self.more.setVisible(False)
        self.more.toggled.connect(self._on_more)
        self._folded: list[QWidget] = []
        self._gaps: list[tuple[QWidget, int]] = []
        self._header_gap = self._spacer(HEADER_GAP)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)

    def add(self, part: QWidget | QLayout, gap: int = 0) -> None:
        """Put ``part`` below what is there, ``gap`` px at zoom 1 further down."""
        if gap:
            self._spacer(gap)
        if isinstance(part, QLayout):
            self._column.addLayout(part)
        else:
            self._column.addWidget(part)

    def add_more(self, *parts: QWidget, names: str, gap: int = 0) -> None:
        """Fold ``parts``, called ``names`` together, away behind a button of the heading.

        The first stands ``gap`` px at zoom 1 further down.
        """
        if gap:
            self._folded += (self._spacer(gap),)
        self._folded += parts
        for part in parts:
            self.add(part)
        self.more.set_tooltip(f"Show or hide what is seldom needed: {names}.")
        self.header.add_right(self.more)
        self.more.setVisible(True)
        self._on_more(False)

    @abstractmethod
    def refresh(self) -> None:
        """Read the store and show it, telling no one."""

    def restyle(self) -> None:
        """Follow the theme and the zoom; the widgets do so by themselves."""

    def _spacer(self, units: int) -> QWidget:
        spacer = QWidget()
        spacer.setFixedHeight(self.look.px(units))
        self._gaps.append((spacer, units))
        self._column.addWidget(spacer)
        return spacer

    @Slot(bool)
    def _on_more(self, opened: bool) -> None:
        for part in self._folded:
            part.setVisible(opened)
        self.more.setText(f"more {'▴' if opened else '▾'}")
        self.more.setAccessibleName(f"More of {self.header.text}, {'open' if opened else 'closed'}")

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & self.concerns:
            self.refresh()

    @Slot()
    def _on_look_changed(self) -> None:
        for spacer, units in self._gaps:
            spacer.setFixedHeight(self.look.px(units))
        self.restyle()
        self.refresh()


def yield_width(label: QLabel) -> None:
    """Let ``label`` take the width there is, as many lines as that needs, and never widen it."""
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(label.wordWrap())
    label.setSizePolicy(policy)
