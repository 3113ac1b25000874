"""The same model with more and fewer KV heads."""

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.calculator.heads import HeadsBar
from kvviz.sizing.units import bytes_text
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.fonts import REGULAR, SEMIBOLD
from kvviz.ui.theme import ThemeManager

TITLE = "Same model, other KV heads"
ROW_UNITS, BAR_UNITS, NAME_UNITS, VALUE_UNITS = 30, 20, 164, 76


class HeadsPart(Part):
    """MHA, GQA, MQA or a latent, all else as asked."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager, parent: QWidget) -> None:
        super().__init__(desk, look, TITLE, ("formula",), gap=6, parent=parent)
        self.bars = HeadsBars(look)
        self.bars.setToolTip(
            "<qt>MHA keeps K and V for each query head, GQA for each group of them, MQA once; "
            "MLA keeps one latent. All else as asked.</qt>"
        )
        self.add(self.bars)
        self.begin()

    def refresh(self) -> None:
        """Work the bars out anew; a model without attention has none."""
        bars = self.desk.calculator.heads()
        self.setVisible(bool(bars))
        self.bars.show_bars(bars)


class HeadsBars(QWidget):
    """One bar a line, the model's own in the phase's blue."""

    def __init__(self, look: ThemeManager) -> None:
        super().__init__()
        self._look = look
        self.bars: list[HeadsBar] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._restyle)

    def show_bars(self, bars: list[HeadsBar]) -> None:
        """Show other bars."""
        if len(bars) != len(self.bars):
            self.updateGeometry()
        self.bars = bars
        said = [f"{bar.name}: {bytes_text(bar.total)}" for bar in bars]
        self.setAccessibleName("Same model, other KV heads. " + ". ".join(said))
        self.update()

    def sizeHint(self) -> QSize:
        """Return a line for each bar."""
        return QSize(self._look.px(300), self._look.px(ROW_UNITS) * max(1, len(self.bars)))

    def minimumSizeHint(self) -> QSize:
        """Return room for names, values and a little of a bar."""
        return QSize(self._look.px(260), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, bars to scale, and values at their ends."""
        look, painter = self._look, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row, left = look.px(ROW_UNITS), look.px(NAME_UNITS)
        room = self.width() - left - look.px(VALUE_UNITS)
        most = max((bar.total for bar in self.bars), default=1) or 1
        for number, bar in enumerate(self.bars):
            top = number * row
            painter.setFont(look.font(11, SEMIBOLD if bar.own else REGULAR))
            painter.setPen(look.color("text" if bar.own else "secondary"))
            name = f"{bar.name} (this)" if bar.own else bar.name
            metrics = QFontMetricsF(painter.font())
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, left - look.px(8))
            flags = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, top, left, row), flags, name)
            width = max(look.px(3), room * (bar.total / most))
            box = QRectF(left, top + (row - look.px(BAR_UNITS)) / 2, width, look.px(BAR_UNITS))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color("prefill" if bar.own else "bg3"))
            painter.drawRoundedRect(box, look.px(3), look.px(3))
            painter.setPen(look.color("text" if bar.own else "secondary"))
            value = QRectF(box.right() + look.px(8), top, look.px(VALUE_UNITS), row)
            painter.drawText(value, flags, bytes_text(bar.total))
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
