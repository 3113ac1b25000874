"""A prompt cut into blocks: which were found in the pool, and which had to be computed."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.prefix_report import PromptBlock
from kvviz.sizing.units import count_text
from kvviz.ui.fonts import MEDIUM, REGULAR
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.explained_view import Explained
from kvviz.ui.views.pieces import visible

FOUND = "found in the pool, not computed"
COMPUTED = "computed"
HEIGHT_UNITS = 20
LEAST_FOR_WORDS = 26  # px at zoom 1; narrower blocks have none


class PrefixBlocks(Explained):
    """A box for each block, as wide as its tokens; those found are outlined, the rest are blue."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.blocks: tuple[PromptBlock, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Blocks of the prompt")
        look.changed.connect(self._on_look_changed)

    def show_blocks(self, blocks: tuple[PromptBlock, ...]) -> None:
        """Show other blocks."""
        if blocks != self.blocks:
            self.blocks = blocks
            found = sum(block.miss is None for block in blocks)
            self.setAccessibleDescription(f"found: {found:,} of {count_text(len(blocks), 'block')}")
            self.update()

    def sizeHint(self) -> QSize:
        """Return one line of boxes."""
        return QSize(self._look.px(300), self._look.px(HEIGHT_UNITS))

    def boxes(self) -> list[QRectF]:
        """Return where each block stands."""
        if not self.blocks:
            return []
        end, gap = self.blocks[-1].end, self._look.px(2)
        unit = min(self._look.px(28), (self.width() - 1) / end)
        space = gap if unit * (self.blocks[0].end) > 3 * gap else 0
        return [
            QRectF(
                block.first * unit,
                0.5,
                max(1.0, (block.end - block.first) * unit - space),
                self.height() - 1,
            )
            for block in self.blocks
        ]

    def explained(self, position: QPointF) -> str:
        """Return what the block under ``position`` holds, and why it missed if it did."""
        for number, (block, box) in enumerate(zip(self.blocks, self.boxes(), strict=True), 1):
            if box.contains(position):
                what = FOUND if block.miss is None else f"{COMPUTED}: {block.miss.value}"
                tokens = f"tokens {block.first:,} to {block.end - 1:,}"
                return f"block {number:,}, {tokens}, “{visible(block.text)}”: {what}"
        return ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint box by box."""
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
        )
        for block, box in zip(self.blocks, self.boxes(), strict=True):
            self._paint(painter, block, box)
        painter.end()

    def _paint(self, painter: QPainter, block: PromptBlock, box: QRectF) -> None:
        look, found = self._look, block.miss is None
        radius = min(3.0, box.width() / 3) * look.zoom
        painter.setPen(QPen(look.color("prefill"), look.zoom) if found else Qt.PenStyle.NoPen)
        painter.setBrush(look.color("bg2" if found else "prefill"))
        inset = look.zoom / 2 if found else 0
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius)
        if box.width() < look.px(LEAST_FOR_WORDS):
            return
        painter.setFont(look.font(11, REGULAR if found else MEDIUM))
        painter.setPen(look.color("text" if found else "bg0" if look.theme.is_dark else "bg1"))
        room = box.adjusted(look.px(5), 0, -look.px(4), 0)
        words = f"✓ {visible(block.text)}" if found else visible(block.text)
        shown = QFontMetricsF(painter.font()).elidedText(
            words, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _on_look_changed(self) -> None:
        self.updateGeometry()
        self.update()
