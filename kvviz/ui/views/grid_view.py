"""The causal attention grid: query rows, key columns, drawn as far as the run has come."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.selection import GridMode, Pointer
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.cell_readout import read_out
from kvviz.ui.views.color_table import color_table
from kvviz.ui.views.found_rows import found_note, paint_found_note
from kvviz.ui.views.grid_camera import ONE_TO_ONE, GridCamera
from kvviz.ui.views.grid_labels import GridLabels
from kvviz.ui.views.grid_marks import GridMarks
from kvviz.ui.views.grid_square import GridSquare
from kvviz.ui.views.pieces import phase_spans
from kvviz.ui.views.tiles_overlay import TilesOverlay
from kvviz.ui.views.view import View

LEFT, TOP, RIGHT, BOTTOM = 52, 57, 58, 4
NOTCH = 120.0  # wheel units per notch
NOTCH_FACTOR = 1.25
DRAG_FROM = 4  # px; less is a click
ARROWS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}


class GridView(View):
    """Pans by drag, zooms at the mouse; F fits, 1 is one to one, Ctrl+arrows move the cell."""

    concerns = (
        Change.RUNS
        | Change.STEPS
        | Change.CURSOR
        | Change.SELECTION
        | Change.POINTER
        | Change.PICTURE
    )

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self.camera = GridCamera()
        self.tiles = TilesOverlay(store, look, self)
        self.tiles.moved.connect(self._on_tiles_moved)
        self._pieces: list[str] = []
        self._spans: list[tuple[Phase, int, int]] = []
        self._pressed: QPointF | None = None
        self._dragged = False
        self._cell = store.selection.cell
        self._newest_row = store.rows - 1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Attention grid")
        self.read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return a size at which a short prompt has room for its labels."""
        return QSize(self.look.px(560), self.look.px(500))

    def minimumSizeHint(self) -> QSize:
        """Return the least that is wanted before the heads beside it get all of their width."""
        return QSize(self.look.px(LEFT + RIGHT + 330), self.look.px(TOP + BOTTOM + 140))

    @property
    def newest(self) -> range:
        """Rows that the step at the cursor computed: all of them where nothing is kept."""
        step, run = self.store.step, self.store.shown
        if step is None or run is None:
            return range(0)
        first = step.first_row if run.config.layout.keeps_entries else 0
        first += step.num_tokens_reused
        return range(first, step.seq_len)

    @property
    def notes(self) -> tuple[QRectF, ...]:
        """Where words stand in the black."""
        if not self.camera.side:
            return ()
        masked = GridMarks(self.look, self.camera).masked_note()
        found = found_note(self.camera, self.look, self.store.found_rows)
        return tuple(note for note in (masked, found) if note is not None)

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the (row, key) under ``position`` in this view's px."""
        return self.camera.cell_at(position)

    def labels(self) -> GridLabels:
        """Return the labels as they would be written now."""
        return GridLabels(self.look, self.camera, self._pieces, self.width())

    def fit(self) -> None:
        """Show the whole square."""
        self.camera.fit()
        self.update()

    def one_to_one(self) -> None:
        """Show cells large enough for their labels, the newest in sight."""
        row = self._cell[0] if self._cell else max(0, self.store.rows - 1)
        self.camera.one_to_one(ONE_TO_ONE * self.look.zoom, row)
        self.update()

    def read(self, changes: Change) -> None:
        """Take rows, tokens and the cell cursor from the store."""
        self.camera.set_side(self.store.planned_rows)
        newest = self.store.rows - 1
        if newest != self._newest_row:
            self.camera.follow(self._newest_row, newest)
            self._newest_row = newest
        if changes & ~(Change.POINTER | Change.PICTURE | Change.SELECTION):
            tokens = self.store.tokens
            self._pieces = [token.piece for token in tokens[: self.store.rows or len(tokens)]]
            self._spans = phase_spans(self.store.trace, self.store.cursor)
        self.tiles.follow()
        cell = self.store.selection.cell
        if cell != self._cell:
            self._cell = cell
            if cell is not None:
                self.camera.reveal(*cell)
        if changes & Change.SELECTION:
            readout = read_out(self.store, cell)
            self.setAccessibleDescription(readout.text if readout else "")

    def restyle(self) -> None:
        """Make room for labels of the present zoom."""
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the camera its room."""
        super().resizeEvent(event)
        self._lay_out()

    def event(self, event: QEvent) -> bool:
        """Follow the density of the screen the window is on."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._lay_out()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square, then its marks, then its labels."""
        painter = self.painter()
        # A picture is painted at its own density, not at the screen's.
        if self.camera.ratio != (ratio := painter.deviceTransform().m11()):
            self._lay_out(ratio)
        store, marks, newest = self.store, GridMarks(self.look, self.camera), self.newest
        if not self.camera.side:
            painter.end()
            return
        colors = color_table(self.look.theme, store.selection)
        square = GridSquare(self.camera, self.look.theme, colors)
        square.paint(painter, store.pictures.grid, store)
        weights = store.selection.mode is GridMode.WEIGHTS
        marks.paint_notes(painter, colors if weights else None)
        paint_found_note(painter, self.camera, self.look, store.found_rows)
        marks.paint_pointed(painter, store.pointer, store.rows)
        if newest:
            marks.paint_newest(painter, newest.start, newest.stop)
        self.tiles.paint(painter, self.camera)
        if self._cell is not None:
            marks.paint_cell(painter, self._cell)
        marks.paint_phases(painter, self._spans)
        self.labels().paint(painter, newest, self._pointed())
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while pressed, else point."""
        position = event.position()
        if self._pressed is None:
            self._point(position)
            return
        moved = position - self._pressed
        if self._dragged or moved.manhattanLength() >= DRAG_FROM:
            self._dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.camera.pan(moved.x(), moved.y())
            self._pressed = position
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag or a click."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position(), False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Put the cell cursor where a click was."""
        if event.button() is not Qt.MouseButton.LeftButton or self._pressed is None:
            return
        self._pressed = None
        self.unsetCursor()
        cell = self.cell_at(event.position())
        if not self._dragged and cell is not None:
            seen = cell[1] <= cell[0] and self.store.found_rows <= cell[0] < self.store.rows
            self.store.select(cell=cell if seen else None)
        self._point(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the mouse."""
        notches = event.angleDelta().y() / NOTCH
        if notches and self.camera.side:
            self.camera.zoom(NOTCH_FACTOR**notches, event.position())
            self._point(event.position())
            self.update()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cell cursor, zoom, fit."""
        key, held = Qt.Key(event.key()), event.modifiers()
        if key in ARROWS and held & Qt.KeyboardModifier.ControlModifier:
            self.store.move_cell(*ARROWS[key])
        elif key is Qt.Key.Key_F and not held:
            self.fit()
        elif key is Qt.Key.Key_1 and not held:
            self.one_to_one()
        elif key is Qt.Key.Key_Escape and self._cell is not None:
            self.store.select(cell=None)
        else:
            super().keyPressEvent(event)

    def _lay_out(self, ratio: float | None = None) -> None:
        px = self.look.px
        room = QRectF(self.rect()).adjusted(px(LEFT), px(TOP), -px(RIGHT), -px(BOTTOM))
        self.camera.set_room(room, ratio or self.devicePixelRatioF())

    @Slot()
    def _on_tiles_moved(self) -> None:
        self.update()

    def _point(self, position: QPointF) -> None:
        cell = self.cell_at(position)
        self.store.point(Pointer(*cell) if cell else Pointer())

    def _pointed(self) -> set[int]:
        pointer = self.store.pointer
        return {token for token in (pointer.row, pointer.key) if token is not None}
