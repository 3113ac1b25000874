"""The window: bar, notice, and the part of kvviz that is on screen."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from kvviz.ui.actions import menu_actions, window_actions
from kvviz.ui.calculator_keys import page_actions
from kvviz.ui.changes import Change
from kvviz.ui.dialogs import WindowDialogs
from kvviz.ui.drop import take_copy
from kvviz.ui.files import FileDesk
from kvviz.ui.keys import install_keys
from kvviz.ui.playground import Playground
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.store import Store
from kvviz.ui.tabs import Pages
from kvviz.ui.theme import ThemeChoice, ThemeManager
from kvviz.ui.top_bar import CALCULATOR, LESSONS, PLAYGROUND, TopBar
from kvviz.ui.widgets.notice import NoticeBar
from kvviz.ui.window_place import remember_place, restore_place
from kvviz.ui.worker import Worker

if TYPE_CHECKING:
    from kvviz.session.calculator.model import SizedModel
    from kvviz.ui.calculator_part import CalculatorPart
    from kvviz.ui.lessons.desk import LessonDesk

NOTICE_S = 6
BEGIN_AT_LATEST_MS = 500  # a window shown minimized is not painted


class MainWindow(QMainWindow):
    """Holds the parts, starts the worker once it is on screen, and closes all down."""

    def __init__(
        self, worker: Worker, store: Store, look: ThemeManager, preferences: PreferencesFile
    ) -> None:
        super().__init__()
        self.store, self.look, self.preferences = store, look, preferences
        self.files = FileDesk(store, WindowDialogs(self, look), preferences.values, self)
        self.worker = worker
        self._path: str | None = None
        self._lesson: tuple[str, int | None] | None = None
        self._lessons: LessonDesk | None = None
        self._calculator: CalculatorPart | None = None
        self._begun = False
        self._beginning = QTimer(self, singleShot=True)
        self._beginning.timeout.connect(self._begin)
        self.top_bar = TopBar(store, look)
        self.notice_bar = NoticeBar(look)
        self.playground, self.pages = Playground(store, look), Pages()
        values = preferences.values
        self.playground.centre.grid.tiles.reduced_motion = lambda: values.reduce_motion
        self._lay_out()
        restore_place(self, values)
        self._connect()

    def begin_with(self, path: str | None, lesson: tuple[str, int | None] | None = None) -> None:
        """Say what to open once the window is there: a file, a lesson, or the default prompt.

        A lesson is its name and the step to begin at, None where it was left.
        """
        self._path, self._lesson = path, lesson

    @property
    def lessons(self) -> "LessonDesk":
        """The lessons, read when they are first asked for."""
        if self._lessons is None:
            from kvviz.ui.lesson_part import lesson_desk  # pydantic takes its time

            self._lessons = lesson_desk(self)
        return self._lessons

    @property
    def calculator(self) -> "CalculatorPart":
        """The calculator, made when it is first asked for."""
        if self._calculator is None:
            from kvviz.ui.calculator_part import CalculatorPart

            self._calculator = CalculatorPart(self)
        return self._calculator

    @property
    def calculator_if_shown(self) -> "CalculatorPart | None":
        """The calculator while its page is on screen."""
        made = self._calculator
        return made if made is not None and made.shown else None

    @property
    def in_lesson(self) -> bool:
        """Whether a lesson is going on."""
        return self._lessons is not None and self._lessons.active

    @Slot(str)
    def show_part(self, name: str) -> None:
        """Show the playground, the lessons' overview or another part; a lesson ends."""
        if self._lessons is not None:
            self._lessons.leave()
        self.pages.show_page(name)
        self.top_bar.tabs.set_current(name)
        self.top_bar.show_tools(self.calculator.tools if name == CALCULATOR else None)
        if name == PLAYGROUND:
            self.playground.centre.grid.setFocus()
        elif name == CALCULATOR:
            self.calculator.page.setFocus()

    @Slot(object)
    def show_sized(self, model: "SizedModel") -> None:
        """Show the calculator with the config that was opened."""
        if self.store.shown is None:  # the playground is not left empty behind it
            self._begin_run("")
        self.show_part(CALCULATOR)
        self.calculator.desk.take_model(model)

    @Slot()
    def clear(self) -> None:
        """Take the comparison's table away, else the cell cursor and the notice."""
        if self.store.runs.compared:
            self.store.show_comparison(None)
            return
        self.store.select(cell=None)
        self.store.dismiss_notice()

    @Slot()
    def show_help(self) -> None:
        """Show all keys and what the words mean."""
        from kvviz.ui.help_sheet import HelpSheet  # only a person who asks waits for it

        HelpSheet(self.look, self).show()

    @Slot()
    def show_preferences(self) -> None:
        """Show what can be preferred."""
        from kvviz.ui.preferences_dialog import PreferencesDialog

        PreferencesDialog(self.store, self.look, self.preferences.values, self).show()

    def event(self, event: QEvent) -> bool:
        """Start the worker right after the first paint: importing torch must not delay it."""
        handled = super().event(event)
        if event.type() == QEvent.Type.Paint and self._beginning.isActive():
            self._beginning.start(0)
        return handled

    def showEvent(self, event: QShowEvent) -> None:
        """Take the place things were left in, the first time."""
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self.playground.restore_columns(self.preferences.values.columns)
            # Space and arrows are the run's from the first moment.
            self.playground.centre.grid.setFocus()
            self._beginning.start(BEGIN_AT_LATEST_MS)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End timers and threads, keep what is preferred; closing always works."""
        self._remember()
        self._beginning.stop()
        self.hide()  # what must still be waited for need not be watched
        if self._lessons is not None:
            self._lessons.stop()
        if self._calculator is not None:
            self._calculator.shut_down()
        self.files.shut_down()
        self.store.shut_down()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, and say a word to anything else."""
        take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        self.files.open_dropped(event.mimeData())
        take_copy(event)

    @Slot()
    def _begin(self) -> None:
        self.store.start()
        notice = self.preferences.notice
        if self._lesson is None and self._path is None:
            self._begin_run(notice)
            return
        if self._lesson is not None:
            self.lessons.open(*self._lesson)
        elif self._path is not None:
            self.files.open_path(self._path, otherwise=self.store.run_saying)
        if notice:
            self.store.tell(notice)

    def _begin_run(self, problem: str) -> None:
        self.store.seek_pattern()
        self.store.run_saying(problem)

    def _lay_out(self) -> None:
        self.pages.register(PLAYGROUND, lambda: self.playground)
        self.pages.register(LESSONS, lambda: self.lessons.overview)
        self.pages.register(CALCULATOR, lambda: self.calculator.page)
        self.pages.show_page(PLAYGROUND)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top_bar)
        layout.addWidget(self.notice_bar)
        layout.addWidget(self.pages, 1)
        self.setCentralWidget(body)
        self.setAcceptDrops(True)
        self.setWindowTitle("kvviz")

    def _connect(self) -> None:
        actions = page_actions(self, window_actions(self))
        install_keys(self, actions)
        self.top_bar.fill_menu(menu_actions(self, actions))
        self.top_bar.model.folder_wanted.connect(self.files.ask_open_folder)
        self.top_bar.model.file_wanted.connect(self.files.ask_open)
        self.top_bar.tabs.chosen.connect(self.show_part)
        self.top_bar.theme_button.clicked.connect(self._other_theme)
        self.top_bar.help_button.clicked.connect(self.show_help)
        self.notice_bar.closed.connect(self.store.dismiss_notice)
        self.files.opened.connect(self._show_opened)
        self.files.sized.connect(self.show_sized)
        self.store.changed.connect(self._on_changed)

    @Slot()
    def _show_opened(self) -> None:
        if self.top_bar.tabs.current != PLAYGROUND:
            self.show_part(PLAYGROUND)

    @Slot()
    def _other_theme(self) -> None:
        self.look.choose(ThemeChoice.LIGHT if self.look.theme.is_dark else ThemeChoice.DARK)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & Change.RUNS:
            run = self.store.shown
            self.setWindowTitle(f"{run.label} - kvviz" if run else "kvviz")
        if changes & Change.NOTICE:
            self._show_notice()

    def _show_notice(self) -> None:
        notice = self.store.notice
        if notice is None:
            self.notice_bar.dismiss()
        elif notice.is_error:
            self.notice_bar.show_message(notice.text)
        else:
            self.notice_bar.show_message(notice.text, "good", seconds=NOTICE_S)

    def _remember(self) -> None:
        values = self.preferences.values
        values.theme, values.zoom = self.look.choice, self.look.zoom
        values.pace = self.store.playback.pace
        values.colour_map = self.store.selection.color_map.value
        values.columns = self.playground.columns.sizes()
        remember_place(self, values)
        self.preferences.save()
