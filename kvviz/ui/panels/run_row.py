"""One run of the list."""

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Slot
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QHBoxLayout, QSizePolicy, QWidget

from kvviz.session.runs import Run, RunState
from kvviz.ui.fonts import MEDIUM
from kvviz.ui.panels.run_words import asked_words, figure_words, state_words
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import IconButton
from kvviz.ui.widgets.explain import explain

KEYS = "Keys: Enter shows it, P pins it, Delete removes it."
PIN = "Pin this run as the reference: it stays as a ghost in every chart. Key: P"
UNPIN = "Unpin this run: no ghost is drawn. Key: P"
REMOVE = "Remove this run from the list; it cannot be had back. Key: Delete"
ROW_UNITS = 40
PAD_UNITS = 8


class RunRow(QAbstractButton):
    """Number, label, how far it is and what it measured; pressed, it is shown.

    Pin and remove are there for the run on screen, the pinned one, and the one pointed at.
    """

    def __init__(
        self, store: Store, look: ThemeManager, run: Run, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._store, self._look, self._run = store, look, run
        self._shown = self._pinned = False
        self._words: tuple[object, ...] = ()
        self._state = ""
        self._figures: tuple[str, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.pin = IconButton(look, "pin", PIN, kind="quiet", small=True, name="Pin")
        self.close_button = IconButton(
            look, "close", REMOVE, kind="quiet", small=True, name="Remove"
        )
        self._row = QHBoxLayout(self)
        self._row.addStretch(1)
        for button in (self.pin, self.close_button):
            self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
            button.installEventFilter(self)
        place = self.close_button.sizePolicy()
        place.setRetainSizeWhenHidden(True)  # so that every pin stands in one column
        self.close_button.setSizePolicy(place)
        self.clicked.connect(self._on_clicked)
        self.pin.clicked.connect(self._on_pin)
        self.close_button.clicked.connect(self._on_remove)
        look.changed.connect(self.restyle)
        self.restyle()

    @property
    def run_id(self) -> int:
        """The run's number."""
        return self._run.run_id

    @property
    def pinned(self) -> bool:
        """Whether it is the reference."""
        return self._pinned

    @property
    def shown(self) -> bool:
        """Whether it is on screen."""
        return self._shown

    @property
    def detail(self) -> str:
        """The second line, whole."""
        return " · ".join(part for part in (self._state, *self._figures) if part)

    def refresh(self) -> None:
        """Read the run and what it is to the list."""
        runs, run = self._store.runs, self._run
        shown, pinned = runs.shown_id == run.run_id, runs.reference_id == run.run_id
        words = (run.state, run.loading, len(run.trace), run.message, shown, pinned)
        if words == self._words:
            return
        self._words, self._shown, self._pinned = words, shown, pinned
        self._state = state_words(run)
        # While it runs, figures would only flicker.
        self._figures = () if run.live else figure_words(run)
        self.pin.set_kind("strong" if pinned else "quiet")
        self.pin.set_tooltip(UNPIN if pinned else PIN)
        self.pin.setAccessibleName("Unpin" if pinned else "Pin")
        marks = [word for word, on in (("shown", shown), ("pinned", pinned)) if on]
        self.setAccessibleName(f"Run {run.run_id}: {', '.join([run.label, *marks])}")
        said = [part for part in (run.label, self.detail, asked_words(run)) if part]
        explain(self, f"{'. '.join(said)}. {KEYS}".replace("..", "."))
        self._show_buttons()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of two small lines."""
        return QSize(self._look.px(200), self._look.px(ROW_UNITS))

    @Slot()
    def restyle(self) -> None:
        """Follow theme and zoom."""
        px = self._look.px
        self._row.setContentsMargins(px(PAD_UNITS), 0, px(2), px(1))
        self._row.setSpacing(px(2))
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter shows, P pins, Delete removes."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_P:
            self._on_pin()
        elif event.key() == Qt.Key.Key_Delete:
            self._on_remove()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Offer what can be done."""
        super().enterEvent(event)
        self._show_buttons()

    def leaveEvent(self, event: QEvent) -> None:
        """Be quiet again."""
        super().leaveEvent(event)
        self._show_buttons()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Offer what can be done."""
        super().focusInEvent(event)
        self._show_buttons()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Be quiet again, unless the focus went to a button of this row."""
        super().focusOutEvent(event)
        self._show_buttons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the focus through the row's buttons."""
        if event.type() == QEvent.Type.FocusOut:
            self._show_buttons()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw two lines; the run on screen stands on the colour of what is selected."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        px, half = self._look.px, self.height() // 2
        metrics = QFontMetrics(self._look.font(11, MEDIUM))
        left = px(PAD_UNITS) + metrics.horizontalAdvance("00") + px(6)
        first = QRect(left, px(4), self.width() - px(PAD_UNITS) - left, half - px(4))
        buttons = (self.pin, self.close_button)
        right = min((b.x() for b in buttons if not b.isHidden()), default=first.right())
        second = QRect(left, half, right - left, half - px(4))
        label, rest = self._split_traits(metrics, first.width())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._look.font(11, MEDIUM))
        painter.setPen(self._look.color("muted"))
        painter.drawText(first.translated(px(PAD_UNITS) - left, 0), middle, str(self.run_id))
        painter.setPen(self._look.color("text" if self._shown else "secondary"))
        painter.drawText(first, middle, label)
        painter.setFont(self._look.font(11))
        failed = self._run.state is RunState.FAILED
        painter.setPen(self._look.color("error" if failed else "muted"))
        painter.drawText(second, middle, self._detail_within(second.width(), rest))
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        focused = self.hasFocus()
        if not (self._shown or self.underMouse() or focused):
            return
        edge = self._look.zoom * 1.5
        painter.setPen(QPen(self._look.color("text"), edge) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(self._look.color("bg3" if self._shown else "bg2"))
        inset = edge / 2
        radius = 6 * self._look.zoom
        ground = self.rect().toRectF().adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(ground, radius, radius)

    def _split_traits(self, metrics: QFontMetrics, width: int) -> tuple[str, tuple[str, ...]]:
        """Return what fits on the first line, and the traits that go to the second."""
        traits = self._run.traits
        count = len(traits)
        while count > 1 and metrics.horizontalAdvance(" · ".join(traits[:count])) > width:
            count -= 1
        return " · ".join(traits[:count]), traits[count:]

    def _detail_within(self, width: int, traits: tuple[str, ...]) -> str:
        """Drop the least telling figures until the line fits."""
        metrics = QFontMetrics(self._look.font(11))
        parts = [part for part in (*traits, self._state, *self._figures) if part]
        while len(parts) > 1 and metrics.horizontalAdvance(" · ".join(parts)) > width:
            parts.pop()
        return metrics.elidedText(" · ".join(parts), Qt.TextElideMode.ElideRight, width)

    def _show_buttons(self) -> None:
        focus = QApplication.focusWidget()
        near = self.underMouse() or (
            focus is not None and (focus is self or self.isAncestorOf(focus))
        )
        self.pin.setVisible(near or self._shown or self._pinned)
        self.close_button.setVisible(near or self._shown)
        self.update()

    def _bring_up(self) -> None:
        self._store.show_run(self.run_id)

    def _toggle_pin(self) -> None:
        self._store.set_reference(None if self._pinned else self.run_id)

    @Slot()
    def _on_clicked(self) -> None:
        self._bring_up()

    @Slot()
    def _on_pin(self) -> None:
        self._toggle_pin()

    @Slot()
    def _on_remove(self) -> None:
        self._store.remove_run(self.run_id)
