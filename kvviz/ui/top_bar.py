"""The bar at the top: what runs, on what, and the menu."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from kvviz.ui.changes import Change
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.icons import themed_pixmap
from kvviz.ui.model_pill import ModelPill
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.tabs import Tabs
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import IconButton
from kvviz.ui.widgets.hairline import Hairline
from kvviz.ui.widgets.label import Label

HEIGHT = 48
PLAYGROUND, LESSONS, CALCULATOR = "Playground", "Lessons", "Calculator"
PARTS = (
    (PLAYGROUND, "A real model, its cache and its clock, to play with."),
    (LESSONS, "From what a next token is to what a cache costs, step by step."),
    (CALCULATOR, "What any model's cache takes and what fits, from its config.json."),
)


class TopBar(QWidget):
    """Name and parts at the left; model, machine, theme, help and the menu at the right."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self._logo = QLabel()
        self._name = Label(look, "kvviz", weight=SEMIBOLD)
        self.model = ModelPill(store, look)
        self.machine = Label(look, tone="secondary")
        self.theme_button = IconButton(
            look, "theme", "Light or dark; preferences can follow the system"
        )
        self.help_button = IconButton(look, "help", "All keys, and what the words mean", "?")
        self.menu_button = IconButton(look, "more", "Open, save, export, preferences")
        self.menu = QMenu(self)
        self.menu_button.clicked.connect(self._open_menu)
        self._row = QHBoxLayout()
        self.tabs = Tabs(look, PARTS)
        for widget in (self._logo, self._name, self.tabs):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._pills: tuple[QWidget, ...] = (self.model, _pill(self.machine))
        self._tools: QWidget | None = None
        for pill in self._pills:
            self._row.addWidget(pill)
        for button in (self.theme_button, self.help_button, self.menu_button):
            self._row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._row, 1)
        layout.addWidget(Hairline())
        set_ground(self, "bg1")
        look.changed.connect(self._restyle)
        store.changed.connect(self._on_changed)
        self._restyle()
        self._show_run()

    def fill_menu(self, actions: list[QAction | None]) -> None:
        """Put actions into the menu; None is a line between two groups."""
        self.menu.clear()
        for action in actions:
            if action is None:
                self.menu.addSeparator()
            else:
                self.menu.addAction(action)

    def show_tools(self, tools: QWidget | None) -> None:
        """Put a part's own buttons where the model and the machine are named; None: those again."""
        if self._tools is not None and self._tools is not tools:
            self._tools.hide()
        if tools is not None and tools is not self._tools:
            self._row.insertWidget(self._row.indexOf(self._pills[0]), tools)
        self._tools = tools
        for pill in self._pills:
            pill.setVisible(tools is None)
        if tools is not None:
            tools.show()

    @Slot()
    def _open_menu(self) -> None:
        corner = self.menu_button.rect().bottomRight()
        corner.setX(corner.x() - self.menu.sizeHint().width())
        self.menu.popup(self.menu_button.mapToGlobal(corner))

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.STATUS):
            self._show_run()

    def _show_run(self) -> None:
        run, status = self._store.shown, self._store.status
        if run is None:
            self.machine.setText("starting" if not status.ready else "ready")
            return
        device = run.config.device.upper() if status.ready else "loading torch"
        self.machine.setText(f"{device} · {run.config.dtype.value}")

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self.setFixedHeight(px(HEIGHT))
        self._row.setContentsMargins(px(16), 0, px(16), 0)
        self._row.setSpacing(px(8))
        side = px(20)
        ratio = self.devicePixelRatio()
        self._logo.setPixmap(themed_pixmap("logo", self._look.theme, "text", side, ratio))


def _pill(label: Label) -> QFrame:
    """Return the label on a ground of its own."""
    pill = QFrame()
    set_ground(pill, "bg2")
    row = QHBoxLayout(pill)
    row.setContentsMargins(10, 5, 10, 5)
    row.addWidget(label)
    return pill
