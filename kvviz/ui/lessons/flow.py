"""Widgets in rows: as many side by side as there is room for."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.ui.theme import ThemeManager

GAP = 8


class Flow(QWidget):
    """Its height follows its width."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._widgets: list[QWidget] = []
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        look.changed.connect(self.arrange)

    def set_widgets(self, widgets: Sequence[QWidget]) -> None:
        """Take other widgets; those there were are deleted."""
        for widget in self._widgets:
            widget.hide()
            widget.deleteLater()
        self._widgets = list(widgets)
        for widget in self._widgets:
            widget.setParent(self)
            widget.show()
        self.arrange()

    def arrange(self) -> None:
        """Place the widgets anew: one may have become wider."""
        for widget, place in zip(self._widgets, self._places(self.width()), strict=True):
            widget.setGeometry(place)
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return all of them in a row."""
        hints = [widget.sizeHint() for widget in self._widgets]
        width = sum(hint.width() + self._look.px(GAP) for hint in hints)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def heightForWidth(self, width: int) -> int:
        """Return the height of the rows that ``width`` makes."""
        return max((place.bottom() + 1 for place in self._places(width)), default=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the widgets in the room there is."""
        super().resizeEvent(event)
        self.arrange()

    def _places(self, width: int) -> list[QRect]:
        gap, x, y, row = self._look.px(GAP), 0, 0, 0
        places = []
        for widget in self._widgets:
            hint = widget.sizeHint()
            if x and x + hint.width() > width:
                x, y, row = 0, y + row + gap, 0
            places.append(QRect(x, y, min(hint.width(), max(1, width)), hint.height()))
            x += hint.width() + gap
            row = max(row, hint.height())
        return places
