"""Which model runs, how far it is loaded, and the menu to take another."""

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from kvviz.session.model_words import heads_line, model_line
from kvviz.session.runs import Run
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import ModelChoice
from kvviz.ui.changes import Change
from kvviz.ui.icons import themed_pixmap
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label

BUILT_IN = "Built-in (tiny stories)"
BUILT_IN_SAYS = "A small model of our own, trained on children's stories: its text makes sense."
MISSING = "This installation came without the built-in model."
RANDOM = "Random weights, this shape"
RANDOM_SAYS = "Weights nobody trained, of the shape the sliders say: noise text, real costs."
FOLDER = "Open a model folder …"
FOLDER_SAYS = "A folder with config.json, weights as .safetensors and a tokenizer.json."
FILE = "Open a file …"
FILE_SAYS = "A saved run, or the weights of the tutorial's model."
TOOLTIP = "The model that runs. Click to take another: built in, random, or from a folder."
HEIGHT, CHEVRON = 32, 12


class ModelPill(QPushButton):
    """``folder_wanted`` and ``file_wanted`` ask to open one; all else is an intent of the store."""

    folder_wanted = Signal()
    file_wanted = Signal()

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self._loaded = 0.0
        self.label = Label(look)
        self.label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.menu_shown = QMenu(self)
        self.menu_shown.setToolTipsVisible(True)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open_menu)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._show_model()

    @property
    def loaded(self) -> float:
        """How much of the model that is being loaded is there, 0 to 1; 0 when none is."""
        return self._loaded

    def sizeHint(self) -> QSize:
        """Return room for the words and the chevron."""
        return QSize(self._row.sizeHint().width(), self._look.px(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Return the same: a model's name is not cut."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the chevron, and how far a load is along the lower edge."""
        super().paintEvent(event)
        px, side = self._look.px, self._look.px(CHEVRON)
        painter = QPainter(self)
        ratio = self.devicePixelRatio()
        pixmap = themed_pixmap("chevron", self._look.theme, "secondary", side, ratio)
        place = QRectF(self.width() - side - px(10), (self.height() - side) / 2, side, side)
        painter.drawPixmap(place, pixmap, QRectF(pixmap.rect()))
        if self._loaded:
            room = QRectF(px(6), self.height() - px(2), self.width() - px(12), px(2))
            painter.fillRect(room, self._look.color("line"))
            room.setWidth(room.width() * self._loaded)
            painter.fillRect(room, self._look.color("cursor"))
        painter.end()

    def fill_menu(self) -> QMenu:
        """Return the menu as it is now."""
        menu, store = self.menu_shown, self._store
        menu.clear()
        models, settings = store.models, store.controls.settings
        group = QActionGroup(menu)
        built_in = self._entry(group, BUILT_IN, BUILT_IN_SAYS if models.built_in else MISSING)
        built_in.setEnabled(models.built_in is not None)
        built_in.setChecked(settings.model is not None and settings.model == models.built_in)
        if models.built_in is not None:
            built_in.triggered.connect(partial(self._take, models.built_in))
        random = self._entry(group, RANDOM, RANDOM_SAYS)
        random.setChecked(settings.model is None)
        random.triggered.connect(self._take_random)
        if models.opened:
            menu.addSeparator()
        for choice in models.opened:
            says = f"{model_line(choice.spec)}. {choice.spec.path}"
            entry = self._entry(group, choice.spec.name, says)
            entry.setChecked(choice == settings.model)
            entry.triggered.connect(partial(self._take, choice))
        menu.addSeparator()
        for text, says, wanted in (
            (FOLDER, FOLDER_SAYS, self.folder_wanted),
            (FILE, FILE_SAYS, self.file_wanted),
        ):
            action = menu.addAction(text)
            action.setToolTip(says)
            action.triggered.connect(wanted)
        return menu

    def _entry(self, group: QActionGroup, text: str, says: str) -> QAction:
        action = self.menu_shown.addAction(text.replace("&", "&&"))
        action.setCheckable(True)
        action.setToolTip(says)
        group.addAction(action)
        return action

    def _take(self, choice: ModelChoice, _checked: bool = False) -> None:
        if choice != self._store.controls.settings.model:
            self._store.use_model(choice)

    @Slot()
    def _take_random(self) -> None:
        if self._store.controls.settings.model is not None:
            self._store.use_random_weights()

    @Slot()
    def _open_menu(self) -> None:
        self.fill_menu().popup(self.mapToGlobal(self.rect().bottomLeft()))

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & Change.RUNS:
            self._show_model()

    def _show_model(self) -> None:
        run = self._store.shown
        self._loaded = _loaded(run)
        if run is None:
            self.label.set_parts("Model ", "none yet")
        elif run.loading is not None:
            done, total = (bytes_text(count) for count in run.loading)
            self.label.set_parts("Loading ", run.config.model.name, f"  {done} of {total}")
        else:
            spec = run.config.model
            self.label.set_parts("Model ", spec.name, f"  {heads_line(spec)}")
        self.setAccessibleName("".join(self.label.parts))
        explain(self, TOOLTIP if run is None else f"{model_line(run.config.model)}. {TOOLTIP}")
        self.updateGeometry()
        self.update()

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._row.setContentsMargins(px(10), 0, px(16) + px(CHEVRON), 0)
        self.updateGeometry()


def _loaded(run: Run | None) -> float:
    if run is None or run.loading is None:
        return 0.0
    done, total = run.loading
    return min(1.0, done / total) if total else 0.0
