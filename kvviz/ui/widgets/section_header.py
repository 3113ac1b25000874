"""The small capitals that name a part of a panel."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.tag import Tag

HEIGHT_UNITS = 20


class SectionHeader(QWidget):
    """A heading, its tags, and on the right whatever the part wants to say in one glance."""

    def __init__(
        self,
        manager: ThemeManager,
        text: str,
        tags: Sequence[str] = (),
        right: QWidget | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager = manager
        # Real capitals: an SVG knows no font that makes them.
        self._label = Label(
            manager, text.upper(), size=11, weight=SEMIBOLD, tone="secondary", spacing=107.0
        )
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._label)
        for word in tags:
            self._row.addWidget(Tag(manager, word))
        self._row.addStretch(1)
        if right is not None:
            self.add_right(right)
        self.setAccessibleName(text)
        manager.changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        """The heading as written."""
        return self.accessibleName()

    def set_text(self, text: str) -> None:
        """Name the part anew."""
        self._label.setText(text.upper())
        self.setAccessibleName(text)

    def add_right(self, widget: QWidget) -> None:
        """Put ``widget`` at the right end."""
        self._row.addWidget(widget)

    def sizeHint(self) -> QSize:
        """Return room for what stands in it, and never less than a heading alone has."""
        return super().sizeHint().expandedTo(QSize(0, self._manager.px(HEIGHT_UNITS)))

    def minimumSizeHint(self) -> QSize:
        """Return the least width, and the height as it is."""
        return super().minimumSizeHint().expandedTo(QSize(0, self._manager.px(HEIGHT_UNITS)))

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._manager.px(8))
        self.updateGeometry()
