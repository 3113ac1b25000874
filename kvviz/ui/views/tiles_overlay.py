"""Outlines of the tiles that block-wise attention goes through, one after the other."""

from collections.abc import Callable, Iterable
from itertools import chain
from math import ceil

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen

from kvviz.session.tiling import Patch, Tiling, tiling
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.grid_camera import GridCamera

TICK_MS = 60
MOST_TICKS = 16  # however many tiles there are, a motion lasts about a second
SLOW = 1.0  # steps a second up to which a playing run leaves time for the tiles
SMALLEST = 5.0  # px a tile; smaller ones would be all outline


class TilesOverlay(QObject):
    """Follows the step at the cursor; moves where one step is looked at, unless motion is reduced.

    ``moved`` says that there is something else to paint.
    """

    moved = Signal()

    def __init__(self, store: Store, look: ThemeManager, parent: QObject) -> None:
        super().__init__(parent)
        self.reduced_motion: Callable[[], bool] = lambda: False
        self.tiling: Tiling | None = None
        self.going = 0  # tiles that are outlined, the last of them lit while it moves
        self._store, self._look = store, look
        self._key: object = None
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def moving(self) -> bool:
        """Whether tiles still come."""
        return self._timer.isActive()

    def follow(self) -> None:
        """Take the tiles of the step at the cursor."""
        store = self._store
        run, step = store.shown, store.step
        key = run and (run.run_id, store.cursor, store.selection.layer)
        if key == self._key:
            return
        before, self._key = self._key, key
        self._timer.stop()
        self.tiling = tiling(run.trace, step, store.selection.layer) if run and step else None
        count = len(self.tiling.tiles) if self.tiling else 0
        self.going = count
        playback = store.playback
        slow = not playback.playing or (playback.pace is not None and playback.pace <= SLOW)
        if count > 1 and before is not None and slow and not self.reduced_motion():
            self.going = 1
            self._timer.start()

    def paint(self, painter: QPainter, camera: GridCamera) -> None:
        """Outline the tiles in sight, each piece by piece where a ring has them in pieces."""
        if self.tiling is None or self.tiling.side * camera.cell < SMALLEST:
            return
        px = self._look.px
        shown = self.tiling.tiles[: self.going]
        boxes = _boxes(camera, chain(*shown))
        painter.save()
        painter.setClipRect(camera.visible.adjusted(-1, -1, 1, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Light on a dark edge: tiles lie over bright cells and over what is masked.
        for color, width in ((QColor(6, 8, 10, 190), px(3)), (QColor(255, 255, 255, 200), px(1))):
            painter.setPen(QPen(color, width))
            painter.drawRects(boxes)
        if self.moving:
            painter.setPen(QPen(QColor(255, 255, 255), px(2)))
            painter.setBrush(QColor(255, 255, 255, 50))
            painter.drawRects(_boxes(camera, shown[-1]))
        painter.restore()

    @Slot()
    def _tick(self) -> None:
        count = len(self.tiling.tiles) if self.tiling else 0
        self.going = min(count, self.going + ceil(count / MOST_TICKS))
        if self.going >= count:
            self._timer.stop()
        self.moved.emit()


def _boxes(camera: GridCamera, patches: Iterable[Patch]) -> list[QRectF]:
    """Return where patches stand that are in sight."""
    boxes = []
    for patch in patches:
        x, y = camera.x(patch.first_key), camera.y(patch.first_row)
        box = QRectF(x, y, camera.x(patch.end_key) - x, camera.y(patch.end_row) - y)
        if box.intersects(camera.viewport):
            boxes.append(box.adjusted(0.5, 0.5, -0.5, -0.5) if box.width() > 1 else box)
    return boxes
