"""The answer in one glance: how much, and whether it fits."""

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from kvviz.session.calculator.words import verdict
from kvviz.sizing.units import both_units, bytes_text, count_text
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.fonts import MEDIUM, SEMIBOLD
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import TIMES
from kvviz.ui.views.rich_line import RichLine
from kvviz.ui.views.textures import fill_rect, hatch
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label

UNKNOWN = "weights not known"


class TotalPart(Part):
    """The total in GiB and GB, the verdict, the bar of the card's memory."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "KV cache", ("formula",), gap=8)
        self.asked = RichLine(look, align=Qt.AlignmentFlag.AlignRight)
        self.header.add_right(self.asked)
        self.binary = Label(look, size="answer", weight=SEMIBOLD)
        self.decimal = Label(look, size=20, tone="secondary")
        self.verdict = Label(look, weight=MEDIUM)
        self.bar = BudgetBar(desk, look)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.binary)
        self._row.addWidget(self.decimal)
        self._row.addWidget(self.verdict, 1)
        self.verdict.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom)
        self.verdict.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        line = QWidget()
        line.setLayout(self._row)
        self.add(line, self.bar)
        self._said: tuple[str, ...] = ("",)
        look.changed.connect(self._restyle)
        self.begin()
        self._restyle()

    def refresh(self) -> None:
        """Show the total."""
        calculator = self.desk.calculator
        size, load = calculator.answer.size, calculator.answer.load
        binary, decimal = both_units(size.total_bytes)
        self.binary.setText(binary)
        self.decimal.setText(decimal)
        *said, tone = verdict(calculator)
        self._said = tuple(said)
        self.verdict.set_tone(tone)
        explain(self.binary, f"{size.total_bytes:,} bytes, over all sequences and GPUs.")
        self.binary.setAccessibleName(f"KV cache: {binary}, {decimal}")
        name = calculator.sheet.model.name
        sequences = "" if load.sequences == 1 else f"{load.sequences:,} {TIMES} "
        asked = f", {sequences}{count_text(load.tokens, 'token')}"
        self.asked.set_parts(((name, True), (asked, False)), ((name, True),))
        self.bar.update()
        self.bar.say()
        self._fit_verdict()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much of the verdict as there is room for."""
        super().resizeEvent(event)
        self._fit_verdict()

    def _fit_verdict(self) -> None:
        taken = (self.binary, self.decimal)
        room = self.width() - sum(w.sizeHint().width() + self.look.px(10) for w in taken)
        metrics = self.verdict.fontMetrics()
        fitting = (said for said in self._said if metrics.horizontalAdvance(said) < room)
        self.verdict.setText(next(fitting, ""))
        self.bar.lead(self._said[-1] if not self.verdict.text() else "")
        explain(self.verdict, self._said[0])

    @Slot()
    def _restyle(self) -> None:
        """Put the small words on the large number's baseline."""
        self._row.setSpacing(self.look.px(10))
        base = self.binary.fontMetrics().descent()
        for label in (self.decimal, self.verdict):
            drop = base - label.fontMetrics().descent()
            label.setContentsMargins(0, 0, 0, max(0, drop))
        self._row.setAlignment(self.decimal, Qt.AlignmentFlag.AlignBottom)


class BudgetBar(QWidget):
    """One GPU's memory from left to right: weights, cache, allowance, free."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__()
        self._desk, self._look = desk, look
        self._lead = ""
        self.legend = ""  # under the bar: the parts that have no room for their own name
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._restyle)
        self.say()

    def segments(self) -> list[tuple[str, int]]:
        """Return (what, bytes) along the bar, all that is known of one GPU."""
        answer, question = self._desk.calculator.answer, self._desk.sheet.question
        used, memory = answer.size.per_gpu_bytes, question.memory or 0
        weights = answer.weights or 0
        allowance = answer.budget.allowance if answer.budget else 0
        free = max(0, memory - weights - used - allowance)
        parts = [("weights", weights), ("KV cache", used), ("allowance", allowance)]
        parts.append(("free" if answer.budget else UNKNOWN, free))
        return [(name, size) for name, size in parts if size]

    def say(self) -> None:
        """Tell the numbers to whoever points or listens."""
        said = ", ".join(f"{name} {bytes_text(size)}" for name, size in self.segments())
        gpus = self._desk.sheet.question.tp
        whose = "One GPU" if gpus == 1 else f"Each of {gpus:,} GPUs"
        explain(self, f"{whose}: {said}.")
        self.setAccessibleName(f"{whose}: {said}")

    def lead(self, words: str) -> None:
        """Begin the line under the bar with ``words``."""
        self._lead = words
        self.update()

    def sizeHint(self) -> QSize:
        """Return the bar with the line of words under it."""
        return QSize(self._look.px(300), self._look.px(34 + 22))

    def minimumSizeHint(self) -> QSize:
        """Return the least that can be read."""
        return QSize(self._look.px(200), self._look.px(34 + 22))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the parts to scale, and where the memory ends if they do not fit."""
        look, painter = self._look, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        memory = self._desk.sheet.question.memory or 0
        segments = self.segments()
        whole = max(memory, sum(size for _, size in segments), 1)
        height, x = look.px(34), 0.0
        unnamed = set()
        for name, size in segments:
            width = self.width() * (size / whole)
            box = QRectF(x, 0, max(look.zoom, width - look.px(2)), height)
            mark = self.width() * (memory / whole)
            if not self._paint_segment(painter, name, size, box, mark):
                unnamed.add(name)
            x += width
        self.legend = self._legend(unnamed)
        self._paint_words(painter, memory, whole, height)
        painter.end()

    def _paint_segment(
        self, painter: QPainter, name: str, size: int, box: QRectF, mark: float
    ) -> bool:
        """Fill one part, its words clear of ``mark``, where the memory ends; whether they fit."""
        look = self._look
        tone = {"weights": "bg3", "KV cache": "prefill", "allowance": "ghost"}.get(name, "bg2")
        radius = min(look.px(4), box.width() / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(tone))
        painter.drawRoundedRect(box, radius, radius)
        if tone == "bg2" and name != "free":
            ratio = self.devicePixelRatio()
            fill_rect(painter, box, hatch(look.color("ghost", 0.5), 6 * ratio, ratio), ratio)
        if tone not in ("bg3", "prefill"):
            return False
        painter.setFont(look.font(11, MEDIUM))
        painter.setPen(look.color("on_phase" if tone == "prefill" else "text"))
        metrics, inner = QFontMetricsF(painter.font()), box.adjusted(look.px(10), 0, -4, 0)
        for text in (f"{name} {bytes_text(size)}", name, bytes_text(size)):
            if metrics.horizontalAdvance(text) <= inner.width():
                right = inner.left() + metrics.horizontalAdvance(text)
                if box.left() < mark < right + look.px(4):
                    inner.setLeft(mark + look.px(8))
                if metrics.horizontalAdvance(text) <= inner.width():
                    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, text)
                    return True
                return False
        return False

    def _paint_words(self, painter: QPainter, memory: int, whole: int, height: int) -> None:
        look = self._look
        painter.setFont(look.font(11))
        line = QRectF(0, height + look.px(4), self.width(), look.px(18))
        flags = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(look.color("muted"))
        painter.drawText(line, flags | Qt.AlignmentFlag.AlignLeft, self.legend)
        if not memory:
            return
        end = self.width() * (memory / whole)
        said = f"{bytes_text(memory)} memory"
        if memory < whole:
            painter.fillRect(QRectF(end - 1, -2, 2, height + look.px(6)), look.color("error"))
            painter.setPen(look.color("error"))
        metrics = QFontMetricsF(painter.font())
        width = metrics.horizontalAdvance(said)
        left = max(metrics.horizontalAdvance(self.legend) + look.px(16), end - width)
        painter.drawText(QRectF(left, line.top(), width + 2, line.height()), flags, said)

    def _legend(self, unnamed: set[str]) -> str:
        """Name the parts that carry no word of their own."""
        small = [
            UNKNOWN if name == UNKNOWN else f"{name} {bytes_text(size)}"
            for name, size in self.segments()
            if name in unnamed
        ]
        lead = [self._lead] if self._lead and self._lead not in small else []
        return ", ".join([*lead, *small])

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
