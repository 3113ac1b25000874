"""Which layers own how much."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from kvviz.sizing.cache_size import LayerSize
from kvviz.sizing.formula import WORDS
from kvviz.sizing.units import bytes_text
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import TIMES
from kvviz.ui.views.explained_view import Explained
from kvviz.ui.widgets.prose import Prose

HEIGHT_UNITS = 36
ROUND_UNITS = 6  # corners of narrower columns are not seen to be round, and take long to draw
LONG_WORDS = {"full": "full attention", "recurrent": "recurrent state"}


class LayersPart(Part):
    """A column for each layer, as high as its share; under it the kinds in words."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Layers", ("formula",), gap=6)
        self.strip = LayerStrip(desk, look)
        self.kinds = Prose(look, tone="secondary")
        self.add(self.strip, self.kinds)
        self.begin()

    def refresh(self) -> None:
        """Count the kinds anew."""
        counts: Counter[tuple[str, int]] = Counter()
        for layer, number in self.desk.calculator.answer.size.groups:
            counts[layer_word(layer), layer_bytes(layer)] += number
        said = [
            f"{count:,} {TIMES} {word}" + (f", {bytes_text(size)} each" if size else "")
            for (word, size), count in counts.items()
        ]
        self.kinds.setText("; ".join(said))
        self.strip.setAccessibleName("Layers: " + "; ".join(said))
        self.strip.update()


class LayerStrip(Explained):
    """Columns from the first layer to the last."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__()
        self._desk, self._look = desk, look
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._restyle)

    def layer_at(self, x: float) -> int | None:
        """Return the layer at a pixel column, None where there is none."""
        count = len(self._layers())
        layer = int(x * count / max(1, self.width()))
        return layer if 0 <= layer < count else None

    def said_of(self, layer: int) -> str:
        """Return what a layer keeps."""
        size = self._layers()[layer]
        kept = f", {bytes_text(layer_bytes(size))} ({layer_bytes(size):,} B)" if size.parts else ""
        return f"Layer {layer}: {layer_word(size)}{kept}"

    def sizeHint(self) -> QSize:
        """Return a strip."""
        return QSize(self._look.px(300), self._look.px(HEIGHT_UNITS))

    def minimumSizeHint(self) -> QSize:
        """Return the same height in little width."""
        return QSize(self._look.px(120), self._look.px(HEIGHT_UNITS))

    def explained(self, position: QPointF) -> str:
        """Say what is pointed at."""
        layer = self.layer_at(position.x())
        return "" if layer is None else self.said_of(layer)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw columns; where layers are thinner than a pixel, the highest of each pixel."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        layers = self._layers()
        sizes = {id(layer): layer_bytes(layer) for layer in distinct(layers)}
        most = max(sizes.values()) or 1
        looks = {
            id(layer): (
                layer_tone(layer, size := sizes[id(layer)]),
                self._height(layer, size, most),
            )
            for layer in distinct(layers)
        }
        tall = [sizes[id(layer)] for layer in layers]
        columns = min(len(layers), self.width())
        edges = [n * len(layers) // columns for n in range(columns + 1)]
        highest = [max(range(a, b), key=tall.__getitem__) for a, b in pairwise(edges)]
        step = self.width() / columns
        gap = self._look.px(2) if step >= self._look.px(6) else 0
        by_look: dict[tuple[str, float], list[QRectF]] = {}
        for number, layer in enumerate(highest):
            seen, height = looks[id(layers[layer])]
            box = QRectF(number * step, self.height() - height, step - gap, height)
            by_look.setdefault(seen, []).append(box)
        for (tone, alpha), boxes in by_look.items():
            self._paint_columns(painter, self._look.color(tone, alpha), boxes)
        painter.end()

    def _height(self, layer: LayerSize, size: int, most: int) -> float:
        """Return a column's height; a layer that only reads another's has a low one."""
        if size:
            return max(self._look.px(3), self.height() * (size / most))
        return self._look.px(6 if layer.shares_with is not None else 2)

    def _paint_columns(self, painter: QPainter, color: QColor, boxes: list[QRectF]) -> None:
        """Fill all of one look at once: a call for each takes longer than drawing them."""
        if boxes[0].width() < self._look.px(ROUND_UNITS):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRects(boxes)
            return
        radius, path = self._look.px(2), QPainterPath()
        for box in boxes:
            path.addRoundedRect(box, radius, radius)
        painter.fillPath(path, color)

    def _layers(self) -> tuple[LayerSize, ...]:
        return self._desk.calculator.answer.size.layers

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


def distinct(layers: Iterable[LayerSize]) -> list[LayerSize]:
    """Return each object once: layers alike are one."""
    return list({id(layer): layer for layer in layers}.values())


def layer_bytes(layer: LayerSize) -> int:
    """Return what a layer keeps on one GPU."""
    return sum(part.total for part in layer.parts)


def layer_word(layer: LayerSize) -> str:
    """Say what a layer keeps."""
    if layer.shares_with is not None:
        return f"reading layer {layer.shares_with}'s cache"
    words = []
    for part in layer.parts:
        word = LONG_WORDS.get(WORDS[part.row.kind], WORDS[part.row.kind])
        words.append(f"{word} of {part.row.window:,}" if part.row.window else word)
    return " and ".join(words) or "no cache"


def layer_tone(layer: LayerSize, size: int) -> tuple[str, float]:
    """Return colour and strength of a layer's column; what grows with length is blue."""
    if not size:
        return "ghost", 1.0
    row = layer.parts[0].row
    if row.state:
        return "good", 1.0
    return ("prefill", 0.5) if row.window else ("prefill", 1.0)
