"""The table of a comparison in the grid's place: what was run, how far it is, what came of it."""

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QProgressBar, QVBoxLayout, QWidget

from kvviz.session.comparison_text import csv_text, markdown, set_names
from kvviz.session.progress import total_steps
from kvviz.session.runs import Run, RunState
from kvviz.session.settings import prompt_of
from kvviz.sizing.units import count_text
from kvviz.ui.changes import Change
from kvviz.ui.comparison.differences import Differences
from kvviz.ui.comparison.table import TableView
from kvviz.ui.comparison.table_words import agreement
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.prose import Prose
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tall_area import TallArea

ROOM_FOR_WORDS, ROOM_FOR_TITLE = 560, 370  # px of width at zoom 1; below it says less
CHANGE = "Choose other layouts and compare again."
COPY = "Copy the table: as Markdown, or as CSV with whole bytes and nanoseconds."
BACK = "Back to the attention grid, of the run that is lit. The comparison stays in the list."
STOP = "End the comparison; the runs that have ended stay."
LEGEND = "• best · bars: solid used, hatched wasted, tick peak"
AGREE = (
    "Used, reserved, peak and copied bytes were predicted for each step from the settings alone, "
    "and read off the tensors: both are equal, byte for byte."
)


class ComparisonPage(QWidget):
    """Heading with what can be done, the table, and a line that says what holds for all rows."""

    change_wanted = Signal()

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.header = SectionHeader(look, "Compared layouts", ["measured"])
        self.change = Button(look, "Other layouts…", CHANGE)
        self.copy = Button(look, "Copy ▾", COPY)
        self.back = Button(look, "Back to the grid", BACK, shortcut="Esc")
        self.stop = Button(look, "Stop", STOP, kind="strong")
        for button in (self.stop, self.change, self.copy, self.back):
            self.header.add_right(button)
        self.words = Prose(look, tone="secondary")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        place = self.progress.sizePolicy()
        place.setRetainSizeWhenHidden(True)  # the table stays where it is when all have ended
        self.progress.setSizePolicy(place)
        self.view = TableView(store, look)
        self.differences = Differences(look)
        self.verdict = Label(look, size=11, tone="good")
        self.legend = Label(look, LEGEND, size=11, tone="muted")
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.verdict)
        self._foot.addStretch(1)
        self._foot.addWidget(self.legend)
        self._content = QWidget()
        self._rows = QVBoxLayout(self._content)
        self._rows.addWidget(self.view)
        self._rows.addLayout(self._foot)
        self._rows.addWidget(self.differences)
        self._rows.addStretch(1)
        self.area = TallArea(self._content, greedy=False)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._column = QVBoxLayout(self)
        for part in (self.header, self.words, self.progress):
            self._column.addWidget(part)
        self._column.addWidget(self.area, 1)
        self.setAccessibleName("Comparison of layouts")
        self._connect()
        self._restyle()
        self._read()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less in the heading where there is less room."""
        super().resizeEvent(event)
        self._fit_heading()

    def markdown(self) -> str:
        """Return the table as Markdown."""
        return markdown(self.view.table)

    def csv(self) -> str:
        """Return the table as CSV."""
        return csv_text(self.view.table)

    def _connect(self) -> None:
        self._menu = QMenu(self.copy)
        self._menu.addAction("as Markdown").triggered.connect(partial(self._put, self.markdown))
        self._menu.addAction("as CSV").triggered.connect(partial(self._put, self.csv))
        self.copy.clicked.connect(self._on_copy)
        self.change.clicked.connect(self.change_wanted)
        self.back.clicked.connect(self._on_back)
        self.stop.clicked.connect(self._store.stop)
        self._store.changed.connect(self._on_changed)
        self._look.changed.connect(self._restyle)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.STEPS):
            self._read()

    def _read(self) -> None:
        runs = self._store.runs.compared
        if not runs:
            return
        going = any(run.live for run in runs)
        self.stop.setVisible(going)
        self.copy.setVisible(not going)
        self.change.setVisible(not going)
        self.progress.setVisible(going)
        self.words.setText(self._progress_words(runs) if going else _run_words(runs[0]))
        if going:
            self.progress.setMaximum(1000)
            self.progress.setValue(round(1000 * sum(map(_share, runs)) / len(runs)))
        self.view.read(Change.RUNS)
        self.differences.follow(self.view.table)
        said = agreement(self.view.table)
        self.verdict.setVisible(said is not None)
        if said is not None:
            self.verdict.set_tone("good" if said[0] else "error")
            self.verdict.setText(said[1])
            explain(self.verdict, AGREE if said[0] else said[1])

    def _progress_words(self, runs: tuple[Run, ...]) -> str:
        place = next(n for n, run in enumerate(runs) if run.live)
        run = runs[place]
        done = f"{len(run.trace):,} of {count_text(total_steps(run), 'step')}"
        return f"{place + 1} of {len(runs)}: {set_names(runs)[place]}, {done}, at full speed"

    def _put(self, text: object, _checked: bool = False) -> None:
        assert callable(text)
        QGuiApplication.clipboard().setText(text())
        self._store.tell("The table is on the clipboard.", is_error=False)

    @Slot()
    def _on_copy(self) -> None:
        self._menu.popup(self.copy.mapToGlobal(QPoint(0, self.copy.height())))

    @Slot()
    def _on_back(self) -> None:
        self._store.show_comparison(None)

    def _fit_heading(self) -> None:
        px = self._look.px
        narrow = self.width() < px(ROOM_FOR_WORDS)
        short = "Layouts" if self.width() >= px(ROOM_FOR_TITLE) else ""
        self.header.set_text(short if narrow else "Compared layouts")
        self.change.setText("Others" if narrow else "Other layouts…")
        self.back.setText("Grid" if narrow else "Back to the grid")

    @Slot()
    def _restyle(self) -> None:
        self._fit_heading()
        px = self._look.px
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(px(6))
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(px(10))
        self._foot.setSpacing(px(12))
        self.progress.setFixedHeight(px(4))


def _run_words(run: Run) -> str:
    """Say what all rows share."""
    config, sampling = run.config, run.config.sampling
    prompt = " ".join(prompt_of(config).split())
    short = prompt if len(prompt) <= 32 else f"{prompt[:31]}…"
    chosen = "greedy" if sampling.greedy else f"temperature {sampling.temperature:g}"
    chosen += "" if sampling.greedy else f", seed {sampling.seed}"
    new = count_text(config.max_new_tokens, "token")
    batch = f" · batch {config.batch}" if config.batch > 1 else ""
    return (
        f"“{short}” · {len(config.prompt_ids):,} + {new} · {chosen} · "
        f"{config.dtype.short}{batch} · the first row is the reference"
    )


def _share(run: Run) -> float:
    if run.state is RunState.WAITING:
        return 0.0
    return len(run.trace) / max(1, total_steps(run)) if run.live else 1.0
