"""Blocks, drawn: who wrote each slot, what is reserved and empty, what another request has."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from kvviz.session.pool_picture import Block, BlockState, PoolPicture, Slot
from kvviz.sizing.units import count_text
from kvviz.trace.step import Phase
from kvviz.ui.fonts import MEDIUM, REGULAR
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.color_table import mixed
from kvviz.ui.views.pool_layout import PoolLayout
from kvviz.ui.views.slot_painter import OLDER
from kvviz.ui.views.textures import fill_rect, hatch

HATCH = 4.0
FRAMES = {Slot.BLANK: 16, Slot.REUSABLE: 17}  # what the edge of a block without owners is
CLEAR = 255  # the ground shows through

Pixels = NDArray[np.uint8]


class BlockPainter:
    """Paints what is in sight of a pool."""

    def __init__(
        self, painter: QPainter, look: ThemeManager, layout: PoolLayout, picture: PoolPicture
    ) -> None:
        self._painter = painter
        self._look = look
        self._layout = layout
        self._picture = picture

    def paint(self) -> None:
        """Paint every slot, then patterns and words, then what the step wrote."""
        layout = self._layout
        in_sight = layout.in_sight
        slots = self._picture.slots(in_sight.stop)[in_sight.start :]
        image = self._image(pool_pixels(slots, layout))
        self._painter.drawImage(layout.whole(in_sight.start).topLeft(), image)
        self._paint_hatch(slots, Slot.EMPTY, self._look.color("muted", 0.6))
        self._paint_hatch(slots, Slot.FOUND, self._look.color("prefill", 0.75))
        for number in in_sight if layout.head else ():
            self._paint_heading(self._picture.block(number))
        for number, (first, last) in self._picture.fresh.items():
            if number in in_sight:
                self.outline(layout.slots(number, first, last), "cursor", self._look.px(2))

    def outline(self, area: QRectF, tone: str, width: float) -> None:
        """Outline slots in a colour of the palette."""
        spare = max(0.0, 4 - area.width()) / 2
        painter = self._painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.color(tone), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        grown = min(1.5, self._layout.gap / 2)
        painter.drawRoundedRect(area.adjusted(-1 - spare, -grown, spare, grown), 2.5, 2.5)
        painter.restore()

    def _image(self, pixels: Pixels) -> QImage:
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, width, QImage.Format.Format_Indexed8)
        image.setColorTable(slot_colors(self._look))
        image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._layout.ratio)
        return image

    def _paint_hatch(self, slots: Pixels, kind: Slot, color: QColor) -> None:
        """Hatch slots of one kind; in a block they stand side by side."""
        layout, ratio = self._layout, self._layout.ratio
        found = slots == kind
        tile = hatch(color, HATCH * ratio, ratio)
        for place in np.flatnonzero(found.any(axis=1)):
            first = int(found[place].argmax())
            last = first + int(found[place].sum())
            area = layout.slots(layout.in_sight.start + int(place), first, last)
            fill_rect(self._painter, area, tile, ratio)

    def _paint_heading(self, block: Block) -> None:
        whole, painter = self._layout.whole(block.number), self._painter
        x = whole.left()
        for index, (text, tone) in enumerate(self._heading(block)):
            font = self._look.font(11, REGULAR if index else MEDIUM)
            width = QFontMetricsF(font).horizontalAdvance(text)
            if index and x + width > whole.right() + 2:
                break
            box = QRectF(x, whole.top(), width + 2, self._layout.head - 1)
            # Words stand on the ground: a wire to a lower row goes behind them.
            painter.fillRect(box, self._look.color("bg0"))
            painter.setFont(font)
            painter.setPen(self._look.color(tone))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            x += width + self._look.px(6)

    def _heading(self, block: Block) -> list[tuple[str, str]]:
        """Return a block's words in the order of their weight, with their tones."""
        if block.state is BlockState.BLANK:
            return [(str(block.number), "muted")]
        parts = [(str(block.number), "text")]
        if len(self._picture.map.tables) > 1 and block.places:
            rows = dict.fromkeys(str(self._picture.names[place.row]) for place in block.places)
            parts.append((f"seq {' '.join(rows)}", "secondary"))
        parts += [(word, "cursor") for word in block.changes]
        if block.state is BlockState.REUSABLE:
            parts.append(("reusable", "secondary"))
        elif block.state is BlockState.FOREIGN:
            parts.append(("other", "secondary"))
        if block.references:
            parts.append((count_text(block.references, "ref"), "secondary"))
        return [*parts, (block.hash_text, "muted")]


def pool_pixels(slots: Pixels, layout: PoolLayout) -> Pixels:
    """Return blocks that are ``slots`` [count, size] as indices of colours, in device px.

    They stand as in ``layout``, from the first block's heading on.
    """
    ratio, columns = layout.ratio, layout.columns
    wide, high = round(layout.slot * ratio), round(layout.strip * ratio)
    head, period = round(layout.head * ratio), round((layout.width + layout.gap) * ratio)
    rows = -(-len(slots) // columns)
    whole = np.full((rows * columns, layout.size), CLEAR, np.uint8)
    whole[: len(slots)] = slots
    blocks = np.full((rows, columns, high, period), CLEAR, np.uint8)
    inner = blocks[..., : wide * layout.size]
    inner[:] = whole.repeat(wide, axis=1).reshape(rows, columns, 1, -1)
    if layout.apart:
        inner[..., wide - 1 : -1 : wide] = CLEAR
    for state, edge in FRAMES.items():
        free = (whole[:, 0] == state).reshape(rows, columns)
        framed = inner[free]
        framed[:, (0, -1), :] = edge
        framed[:, :, (0, -1)] = edge
        inner[free] = framed
    pixels = np.full((rows, round(layout.pitch * ratio), columns, period), CLEAR, np.uint8)
    pixels[:, head : head + high] = blocks.transpose(0, 2, 1, 3)
    return pixels.reshape(rows * pixels.shape[1], columns * period)


def slot_colors(look: ThemeManager) -> list[int]:
    """Return the colours that ``pool_pixels`` stand for, 0xAARRGGBB."""
    colors = [0] * 256
    for slot, color in {
        Slot.REUSABLE: look.color("ghost", 0.16),
        Slot.FOREIGN: look.color("ghost", 0.55),
        Slot.EMPTY: look.color("bg1"),
        Slot.FOUND: phase_color(look, None),
        Slot.PREFILL: phase_color(look, Phase.PREFILL),
        Slot.DECODE: phase_color(look, Phase.DECODE),
        Slot.NEW_PREFILL: look.color("prefill"),
        Slot.NEW_DECODE: look.color("decode"),
        FRAMES[Slot.BLANK]: look.color("line"),
        FRAMES[Slot.REUSABLE]: look.color("ghost", 0.8),
    }.items():
        colors[slot] = color.rgba()
    return colors


def phase_color(look: ThemeManager, phase: Phase | None) -> QColor:
    """The colour of what a phase wrote before this step; None is an earlier request."""
    if phase is None:
        return look.color("not_yet")
    return mixed(look.color("bg0"), look.color(phase.value), OLDER)
