"""The sheet behind "?": all keys, what the words and colours mean, what kvviz is made of."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QVBoxLayout, QWidget

from kvviz.ui.about import About
from kvviz.ui.key_table import KeyTable
from kvviz.ui.legend import Legend
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.hairline import Hairline

WIDTH = 800
SCREEN_SHARE = 0.9


class HelpSheet(QDialog):
    """Stays beside the window until it is closed; scrolls where the screen is too small."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        for earlier in parent.findChildren(HelpSheet) if parent is not None else ():
            earlier.close()  # one at a time: asking again brings it to the front
        super().__init__(parent)
        self._look = look
        self.setWindowTitle("Keys and words - kvviz")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_ground(self, "bg1")
        self.keys = KeyTable(look)
        self.legend = Legend(look)
        self.about = About(look)
        self._page = QWidget()
        self._column = QVBoxLayout(self._page)
        for part in (self.keys, Hairline(), self.legend, Hairline(), self.about):
            self._column.addWidget(part)
        self._column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self._page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._scroll)
        look.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        """Return the size of the page, or most of the screen where that is smaller."""
        width = max(self._look.px(WIDTH), self._page.minimumSizeHint().width())
        height = self._column.heightForWidth(width)
        room = self.screen().availableSize() * SCREEN_SHARE
        return QSize(width, height).boundedTo(room)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setContentsMargins(px(28), px(24), px(28), px(24))
        self._column.setSpacing(px(20))
        self.resize(self.sizeHint())  # adjustSize would stop at two thirds of the screen
