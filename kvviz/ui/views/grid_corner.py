"""The buttons in the grid's empty corner, between the names of its rows and its columns."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QWidget

from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.grid_menu import GridMenu
from kvviz.ui.views.grid_view import LEFT, TOP, GridView
from kvviz.ui.widgets.button import IconButton


class GridCorner(QWidget):
    """The menu, fit and one to one; it stands over the grid, whose pictures are without it."""

    def __init__(
        self, store: Store, look: ThemeManager, grid: GridView, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.menu = GridMenu(store, grid, self)
        self.more = self._button("more", "More ways to show the grid")
        self.fit = self._button("fit", "Fit. Shows the whole square.", "F")
        self.one_to_one = self._button(
            "one-to-one", "One to one. Cells large enough for their labels.", "1"
        )
        self.more.clicked.connect(self._open_menu)
        self.fit.clicked.connect(grid.fit)
        self.one_to_one.clicked.connect(grid.one_to_one)
        self._layout = QGridLayout(self)
        self._layout.setRowStretch(0, 1)
        for place, button in (((1, 0), self.more), ((2, 0), self.fit), ((2, 1), self.one_to_one)):
            self._layout.addWidget(button, *place)
        look.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        """Return the corner that the names leave."""
        return QSize(self._look.px(LEFT), self._look.px(TOP))

    def over(self, grid: GridView) -> QGridLayout:
        """Return a layout with both in one place, this one on top."""
        both = QGridLayout()
        both.addWidget(grid, 0, 0)
        both.addWidget(self, 0, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        return both

    def _button(self, icon: str, tooltip: str, shortcut: str = "") -> IconButton:
        return IconButton(self._look, icon, tooltip, shortcut, kind="quiet", small=True)

    @Slot()
    def _open_menu(self) -> None:
        self.menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self.setFixedSize(self.sizeHint())
        self._layout.setContentsMargins(0, 0, px(8), px(4))
        self._layout.setSpacing(0)
