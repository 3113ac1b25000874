"""A chart with its heading and its line of words, kept up with the store."""

import html

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.session.runs import Run
from kvviz.session.selection import Pointer
from kvviz.session.step_marks import StepMarks
from kvviz.ui.changes import Change
from kvviz.ui.gate import Gate
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.chart import Chart
from kvviz.ui.views.chart_items import Ring
from kvviz.ui.widgets.figure import Figure
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader

CURVES_MS, WORDS_MS = 100, 200  # while running fast: ten pictures a second, five texts
FAST = 8.0  # steps a second from which that holds
DRAWN_ON = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SETTINGS


class ChartFrame(QWidget):
    """What the three charts share: when to read, where the mouse is, what is said of a step.

    A hidden one reads nothing until it is shown.
    """

    def __init__(self, store: Store, look: ThemeManager, title: str, tags: tuple[str, ...]) -> None:
        super().__init__()
        self.store, self.look = store, look
        self.header = SectionHeader(look, title, tags)
        self.words = Label(look, size=11, tone="secondary")
        self.chart = Chart(look)
        self.marks: StepMarks | None = None
        self.ghost_marks: StepMarks | None = None
        self._stale = True
        self._hovered: int | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.header)
        self._column.addWidget(self.words)
        self._column.addWidget(self.chart, 1)
        self._curves = Gate(CURVES_MS, self)
        self._texts = Gate(WORDS_MS, self)
        self._curves.opened.connect(self._draw)
        self._texts.opened.connect(self._say)
        self.chart.hovered.connect(self._on_hovered)
        self.chart.clicked.connect(self._on_clicked)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)
        self.setAccessibleName(title)
        self._on_look_changed()

    # What a chart fills in

    def draw(self, run: Run | None) -> None:
        """Set lines, dots and axes from the store."""
        raise NotImplementedError

    def say(self, run: Run | None) -> None:
        """Set the figures and, where nothing is pointed at, the words."""
        raise NotImplementedError

    def step_at(self, x: float) -> int:
        """Return the recorded step nearest to ``x``."""
        raise NotImplementedError

    def ring_at(self, index: int) -> Ring | None:
        """Return the ring round a step's point, pointed at from anywhere."""
        raise NotImplementedError

    def readout(self, index: int) -> str:
        """Return what is said of a step, its tag included."""
        raise NotImplementedError

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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Read the store if it was not read while hidden; a picture of this widget needs it too."""
        if self._stale:
            self.read()
        super().paintEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        if self._stale:
            self.read()

    def sizeHint(self) -> QSize:
        """Return the size of the drawings."""
        return QSize(self.look.px(340), self.look.px(212))

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if not self.isVisible():
            self._stale = True
            return
        if changes & DRAWN_ON:
            hurried = self._hurried()
            self._curves.ask(hurried=hurried)
            self._texts.ask(hurried=hurried)
        if changes & Change.POINTER:
            self._point()
            self._say()

    def _hurried(self) -> bool:
        playback = self.store.playback
        return playback.playing and (playback.pace is None or playback.pace > FAST)

    def read(self) -> None:
        """Draw and say everything anew."""
        self._stale = False
        self._draw()
        self._say()

    @Slot()
    def _draw(self) -> None:
        run, ghost = self.store.shown, self.reference
        self.marks = _followed(self.marks, run)
        self.ghost_marks = _followed(self.ghost_marks, ghost)
        self.draw(run)
        self._point()

    @Slot()
    def _say(self) -> None:
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

    @Slot()
    def _on_look_changed(self) -> None:
        self._column.setSpacing(self.look.px(2))
        self.words.setMinimumHeight(self.look.px(16))
        self.updateGeometry()
        if not self._stale:
            self._say()


def _followed(marks: StepMarks | None, run: Run | None) -> StepMarks | None:
    """Return the marks of a run, those at hand where they are of the same one."""
    if run is None:
        return None
    if marks is None or marks.trace is not run.trace:
        return StepMarks(run.trace)
    marks.follow()
    return marks
