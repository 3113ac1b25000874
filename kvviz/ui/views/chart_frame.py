"""A chart with its heading and its line of words, kept up with the store."""

import html
from abc import abstractmethod

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from kvviz.session.runs import Run
from kvviz.session.selection import Pointer
from kvviz.session.step_marks import StepMarks
from kvviz.ui.changes import Change
from kvviz.ui.gate import Gate
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.chart import Chart
from kvviz.ui.views.chart_items import Ring
from kvviz.ui.views.view import View
from kvviz.ui.widgets.figure import Figure
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader

WORDS_MS = 200  # while running fast: five texts a second
DRAWN_ON = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SETTINGS


class ChartFrame(View):
    """What the three charts share: when to read, where the mouse is, what is said of a step.

    A hidden one reads nothing until it is shown.
    """

    concerns = DRAWN_ON | Change.POINTER

    def __init__(self, store: Store, look: ThemeManager, title: str, tags: tuple[str, ...]) -> None:
        super().__init__(store, look)
        self.header = SectionHeader(look, title, tags)
        self.words = Label(look, size=11, tone="secondary")
        self.chart = Chart(look)
        self.marks: StepMarks | None = None
        self.ghost_marks: StepMarks | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.header)
        self._column.addWidget(self.words)
        self._column.addWidget(self.chart, 1)
        self._texts = Gate(WORDS_MS, self)
        self._texts.opened.connect(self._say)
        self.chart.hovered.connect(self._on_hovered)
        self.chart.clicked.connect(self._on_clicked)
        self.setAccessibleName(title)
        self._unread = self.concerns
        self.restyle()

    # What a chart fills in (Qt's metaclass leaves no room for ABC's: mypy keeps it)

    @abstractmethod
    def draw(self, run: Run | None) -> None:
        """Set lines, dots and axes from the store."""

    @abstractmethod
    def say(self, run: Run | None) -> None:
        """Set the figures and, where nothing is pointed at, the words."""

    @abstractmethod
    def step_at(self, x: float) -> int:
        """Return the recorded step nearest to ``x``."""

    @abstractmethod
    def ring_at(self, index: int) -> Ring | None:
        """Return the ring round a step's point, pointed at from anywhere."""

    @abstractmethod
    def readout(self, index: int) -> str:
        """Return what is said of a step, its tag included."""

    # What a chart may ask

    @property
    def reference(self) -> Run | None:
        """The run to draw as a ghost, with steps and not the one shown."""
        run = self.store.runs.reference
        return None if run is None or run is self.store.shown or not len(run.trace) else run

    @property
    def pointed_step(self) -> int | None:
        """The step, up to the cursor, that added the row pointed at anywhere."""
        trace, row = self.store.trace, self.store.pointer.row
        if trace is None or row is None or row >= trace.seq_len:
            return None
        index = int(trace.row_steps()[row])
        return index if index <= self.store.cursor else None

    def toned(self, tone: str, text: str) -> str:
        """Return ``text`` marked with a colour of the theme, for the line of words."""
        return f"<span style='color:{getattr(self.look.theme, tone)}'>{html.escape(text)}</span>"

    def fit_unit(self, figure: Figure, value: str, *units: str) -> None:
        """Show ``value`` with the first of the units, longest first, that the heading has room for.

        A unit that is left out is said by the figure's neighbours or by the axis.
        """
        for unit in units:
            figure.set_value(value, unit)
            for widget in (figure, self.header):
                if (layout := widget.layout()) is not None:
                    layout.activate()
            if self.header.minimumSizeHint().width() <= self.width():
                return

    # Keeping up

    def read(self, changes: Change) -> None:
        """Draw the curves anew, and the words in their turn; a pointer moves a ring only."""
        if changes & DRAWN_ON:
            self.chart.holds_words = self.hurried
            self._draw()
            self._texts.ask(hurried=self.hurried)
        if changes & Change.POINTER:
            self._point()
            self._say()

    def restyle(self) -> None:
        """Take theme and zoom anew; the words carry colours of their own."""
        self._column.setSpacing(self.look.px(2))
        self.words.setMinimumHeight(self.look.px(16))
        if not self._unread:
            self._say()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Read what was not read while hidden: a picture can be taken of a hidden widget too."""
        if not self.isVisible():
            self._catch_up_if_late()
        super().paintEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self._catch_up_if_late()

    def sizeHint(self) -> QSize:
        """Return the size of the drawings."""
        return QSize(self.look.px(340), self.look.px(212))

    def hear(self, changes: Change) -> None:
        """Read what changed where it is seen."""
        if self.isVisible():
            super().hear(changes)
        else:
            self._unread |= changes & self.concerns

    @Slot()
    def _catch_up(self) -> None:
        """Read; what changes asks to be painted itself, the rest of the frame stays as it is."""
        changes, self._unread = self._unread, Change.NONE
        self.read(changes)

    def _catch_up_if_late(self) -> None:
        if self._unread:
            self._catch_up()

    def _draw(self) -> None:
        run, ghost = self.store.shown, self.reference
        self.marks = _followed(self.marks, run)
        self.ghost_marks = _followed(self.ghost_marks, ghost)
        self.draw(run)
        self._point()

    @Slot()
    def _say(self) -> None:
        self.chart.place_words()
        self.say(self.store.shown)
        index = self.pointed_step
        if index is not None:
            self.words.setText(self.toned("text", self.readout(index)))

    def _point(self) -> None:
        index = self.pointed_step
        self.chart.show_pointer(None if index is None else self.ring_at(index))

    @Slot(object)
    def _on_hovered(self, x: float | None) -> None:
        trace = self.store.trace
        if x is None or trace is None or self.store.cursor < 0:
            self.store.point(Pointer())
            return
        step = trace.steps[min(self.step_at(x), self.store.cursor)]
        self.store.point(Pointer(row=step.seq_len - 1))

    @Slot(float)
    def _on_clicked(self, x: float) -> None:
        trace = self.store.trace
        if trace is not None and len(trace):
            self.store.seek(self.step_at(x))


def _followed(marks: StepMarks | None, run: Run | None) -> StepMarks | None:
    """Return the marks of a run, those at hand where they are of the same one."""
    if run is None:
        return None
    if marks is None or marks.trace is not run.trace:
        return StepMarks(run.trace)
    marks.follow()
    return marks
