"""The bottom of the window: play, step, pace, timeline, and how far the run is."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.session.latency_figures import latency_figures
from kvviz.session.playback import FIRST
from kvviz.session.progress import Place, place_of
from kvviz.session.runs import Run
from kvviz.session.step_marks import StepMarks
from kvviz.sizing.units import NO_FIGURE
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.gate import Gate
from kvviz.ui.pace import UNLIMITED, pace_at, pace_position, pace_text
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.timeline import Timeline
from kvviz.ui.widgets.button import IconButton
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.slider import Slider
from kvviz.ui.widgets.tag import Tag

HEIGHT, SPACING, PACE_WIDTH = 56, 12, 106
WIDEST_RATE = "99,999 tokens/s"
WORDS_MS = 200
NO_RUN = "There is no run yet: type a prompt and press Run."
AT_START = "This is the start."
AT_NEWEST = "This is the newest step."
AT_END = "The run ends here: run again, or continue it."


class Transport(QWidget):
    """Five buttons, the pace, the timeline, and where in the run we are."""

    def __init__(self, store: Store, look: ThemeManager) -> None:
        super().__init__()
        self.store, self.look = store, look
        self._marks: StepMarks | None = None
        self._folded = 0
        self._build_buttons()
        self.pace_label = Label(look, "pace", tone="secondary")
        self.pace_slider = Slider(look, UNLIMITED, pace_position(store.playback.pace))
        self.pace_words = Label(look, tone="secondary")
        self.timeline = Timeline(store, look)
        self.place = Label(look, tone="secondary")
        self.rate = Label(look, tone="secondary")
        self.tag = Tag(look, "measured")
        self._words = Gate(WORDS_MS, self)
        self._words.opened.connect(self._say)
        self._lay_out()
        self.pace_slider.moved.connect(self._on_pace_moved)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)
        self.setAccessibleName("Transport")
        set_ground(self, "bg1")
        self._on_look_changed()
        self._follow()
        self._words.ask(hurried=False)
        self._fold()

    def _build_buttons(self) -> None:
        look = self.look
        self.to_start = IconButton(look, "to-start", "Before the first step.", "Home")
        self.back = IconButton(look, "step-back", "One step back.", "Left")
        self.play = IconButton(
            look, "play", "Play or pause.", "Space", kind="primary", name="Play or pause"
        )
        self.forward = IconButton(
            look,
            "step-forward",
            "One step on; at the newest one, a live run computes the next.",
            "Right",
            name="One step on",
        )
        self.to_end = IconButton(look, "to-end", "The newest step.", "End")
        self.to_start.clicked.connect(self._on_to_start)
        self.back.clicked.connect(self._on_back)
        self.play.clicked.connect(self._on_play)
        self.forward.clicked.connect(self._on_forward)
        self.to_end.clicked.connect(self._on_to_end)

    @property
    def buttons(self) -> tuple[IconButton, ...]:
        """The five, from the left."""
        return self.to_start, self.back, self.play, self.forward, self.to_end

    def _lay_out(self) -> None:
        self._row = QHBoxLayout(self)
        for button in self.buttons:
            self._row.addWidget(button)
        for widget in (self.pace_label, self.pace_slider, self.pace_words):
            self._row.addWidget(widget)
        self._row.addWidget(self.timeline, 1)
        for words in (self.place, self.rate, self.tag):
            self._row.addWidget(words)

    # Keeping up

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.STEPS | Change.CURSOR):
            self._follow()
            self._words.ask(hurried=self.timeline.hurried)

    def _follow(self) -> None:
        """Show what the buttons do now, and why they do not."""
        run, cursor, playing = self.store.shown, self.store.cursor, self.store.playback.playing
        nothing = run is None or (not len(run.trace) and not run.live)
        at_start = NO_RUN if nothing else AT_START if cursor <= FIRST else None
        ended = run is not None and not run.live and cursor >= len(run.trace) - 1
        newest = run is None or cursor >= len(run.trace) - 1
        reasons = (
            at_start,
            at_start,
            NO_RUN if nothing else None,
            NO_RUN if nothing else AT_END if ended else None,
            NO_RUN if nothing else AT_NEWEST if newest else None,
        )
        for button, reason in zip(self.buttons, reasons, strict=True):
            if button.reason != reason:
                button.set_reason(reason)
        self.play.set_icon("pause" if playing else "play")
        if not self.pace_slider.isSliderDown():
            self.pace_slider.set_position(pace_position(self.store.playback.pace))
        self._say_pace()

    def _say_pace(self) -> None:
        words = pace_text(self.store.playback.pace)
        self.pace_words.setText(words)
        self.pace_slider.setAccessibleName(f"Pace: {words}")

    @Slot()
    def _say(self) -> None:
        run, cursor = self.store.shown, self.store.cursor
        if run is None:
            self._marks = None
        elif self._marks is None or self._marks.trace is not run.trace:
            self._marks = StepMarks(run.trace)
        else:
            self._marks.follow()
        marks = self._marks
        place = place_of(run, marks, cursor) if run is not None and marks is not None else None
        self.place.set_parts(*_place_parts(run, place))
        rate = latency_figures(marks, cursor).tokens_per_second if marks is not None else None
        self.rate.setText(f"{NO_FIGURE if rate is None else f'{rate:,.0f}'} tokens/s")
        self._reserve(place)

    def _reserve(self, place: Place | None) -> None:
        """Give the words the room they will need, so that the timeline stays as wide as it is."""
        metrics = QFontMetrics(self.look.font(13, SEMIBOLD))
        total = place.total if place is not None else 99
        widest = max("before the first step", f"decode {total:,} of {total:,}", key=len)
        self.place.setMinimumWidth(metrics.horizontalAdvance(widest))
        self.rate.setMinimumWidth(metrics.horizontalAdvance(WIDEST_RATE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what there is no room for, the least needed first."""
        super().resizeEvent(event)
        self._fold()

    def minimumSizeHint(self) -> QSize:
        """Return room for the buttons and a short timeline."""
        buttons = len(self.buttons) * self.look.px(32 + SPACING)
        return QSize(
            buttons + self.timeline.minimumSizeHint().width() + self.look.px(32),
            self.look.px(HEIGHT),
        )

    def _fold(self) -> None:
        groups = self._by_need()
        room = self.width() - self.minimumSizeHint().width()
        spacing = self.look.px(SPACING)
        widths = [sum(_wish(widget) + spacing for widget in group) for group in groups]
        fits = (n for n in range(len(groups)) if sum(widths[n:]) <= room)
        self._folded = next(fits, len(groups))
        for number, group in enumerate(groups):
            for widget in group:
                widget.setVisible(number >= self._folded)

    def _by_need(self) -> tuple[tuple[QWidget, ...], ...]:
        """What can be left out, the least needed first."""
        return (
            (self.tag,),
            (self.pace_label, self.pace_words),
            (self.rate,),
            (self.pace_slider,),
            (self.place,),
        )

    @Slot()
    def _on_look_changed(self) -> None:
        px = self.look.px
        self.setFixedHeight(px(HEIGHT))
        self._row.setContentsMargins(px(16), 0, px(16), 0)
        self._row.setSpacing(px(SPACING))
        self.pace_slider.setFixedWidth(px(PACE_WIDTH))
        explain(
            self.pace_slider,
            "How many steps a second are shown: 1 to 200, or as fast as the machine goes. "
            "The model waits for it; latencies do not include the wait.",
        )
        # As wide as the longest, so that the timeline stays where it is.
        metrics = QFontMetrics(self.look.font(13))
        self.pace_words.setFixedWidth(metrics.horizontalAdvance(pace_text(None)) + px(2))
        self.rate.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._reserve(None)
        self.updateGeometry()
        self._fold()

    # Intents

    @Slot()
    def _on_to_start(self) -> None:
        self.store.seek(FIRST)

    @Slot()
    def _on_back(self) -> None:
        self.store.step_by(-1)

    @Slot()
    def _on_play(self) -> None:
        self.store.toggle_play()

    @Slot()
    def _on_forward(self) -> None:
        self.store.step_by(1)

    @Slot()
    def _on_to_end(self) -> None:
        if (trace := self.store.trace) is not None:
            self.store.seek(len(trace) - 1)

    @Slot(int)
    def _on_pace_moved(self, position: int) -> None:
        self.store.set_pace(pace_at(position))


def _place_parts(run: Run | None, place: Place | None) -> tuple[str, ...]:
    """Return what is said of the cursor, plain and stressed in turn."""
    if run is None:
        return ("no run yet",)
    if place is None:
        return ("before the first step",)
    if place.phase is Phase.PREFILL and place.total == 1:
        return ("", "prefill")
    return ("", f"{place.phase} {place.number:,}", f" of {place.total:,}")


def _wish(widget: QWidget) -> int:
    return max(widget.sizeHint().width(), widget.minimumWidth())
