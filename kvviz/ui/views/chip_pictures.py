"""Pictures of chips, drawn once: most chips of a strip look as they did a step before."""

from collections.abc import Callable, Hashable
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPixmap

MOST = 512  # pictures kept, a few KiB each
EDGE = 1.0  # px round a chip that its antialiased outline may touch


class ChipPictures:
    """Draws what was drawn before from a picture, where what is painted on is made of pixels."""

    def __init__(self) -> None:
        self._pictures: dict[Hashable, QPixmap] = {}

    def clear(self) -> None:
        """Forget all pictures: theme or zoom are other ones."""
        self._pictures.clear()

    def paint(
        self,
        painter: QPainter,
        box: QRectF,
        key: Hashable,
        draw: Callable[[QPainter, QRectF], None],
    ) -> None:
        """Draw into ``box``, in whole px; ``key`` says all that the look depends on."""
        engine = painter.paintEngine()
        if engine is None or engine.type() is not QPaintEngine.Type.Raster:
            draw(painter, box)
            return
        ratio = painter.deviceTransform().m11()
        key = (key, ratio, box.width(), box.height())
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._drawn(QRectF(QPointF(EDGE, EDGE), box.size()), ratio, draw)
            if len(self._pictures) >= MOST:
                self._pictures.clear()
            self._pictures[key] = picture
        painter.drawPixmap(box.topLeft() - QPointF(EDGE, EDGE), picture)

    @staticmethod
    def _drawn(box: QRectF, ratio: float, draw: Callable[[QPainter, QRectF], None]) -> QPixmap:
        width, height = (box.width() + 2 * EDGE) * ratio, (box.height() + 2 * EDGE) * ratio
        picture = QPixmap(ceil(width), ceil(height))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
        )
        draw(painter, box)
        painter.end()
        return picture
