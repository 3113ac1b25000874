"""The least time of a decode step and of the prefill, as the context grows."""

from PySide6.QtWidgets import QSizePolicy

from kvviz.session.calculator.step_work import StepWork
from kvviz.session.calculator.words import time_text
from kvviz.sizing.policy import Load
from kvviz.sizing.roofline import is_sparse
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis, ms_axis
from kvviz.ui.views.chart import Chart
from kvviz.ui.views.chart_items import Line, Ring
from kvviz.ui.views.label_room import Note, along
from kvviz.ui.widgets.prose import Prose

POINTS = 33


class StepPart(Part):
    """A line that rises with the cache, over the dashed one of the weights alone."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "One decode step, at least", ("formula",), gap=4)
        self.chart = Chart(look)
        self.alone = self.chart.add_line(Line("ghost", width=1.2, dashed=True))
        self.step = self.chart.add_line(Line("prefill", width=2.0))
        self.words = Prose(look, size=11, tone="secondary")
        self.chart.setToolTip(f"<qt>{BOUND}</qt>")
        self.chart.unsetCursor()
        self.add(self.chart, stretch=1)
        self.add(self.words)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.begin()

    def refresh(self) -> None:
        """Work the bounds out anew."""
        calculator = self.desk.calculator
        load = calculator.answer.load
        work = calculator.work
        self.chart.setVisible(work is not None)
        grows = QSizePolicy.Policy.Maximum if work is None else QSizePolicy.Policy.Expanding
        self.setSizePolicy(QSizePolicy.Policy.Preferred, grows)
        if work is not None:
            self._draw(work, load)
        said = self.said()
        self.words.setText(said)
        self.chart.setAccessibleName(f"{self.header.text}. {said}")

    def said(self) -> str:
        """Return what bounds both phases, in words."""
        answer, reply = self.desk.calculator.answer, self.desk.calculator.reply
        found, machine = answer.roofline, answer.question.hardware
        if found is None or machine is None:
            sparse = any(map(is_sparse, answer.config.distinct_parts))
            hint = MISSING if answer.question.active is None else ""
            return SPARSE if sparse else f"{reply.work_problem} {hint}".strip()
        gpus = answer.policy.tp
        prefill, decode = (work.seconds(machine, gpus) for work in (found.prefill, found.decode))
        ridge = machine.flops / machine.bandwidth
        waits = "for memory" if found.decode.intensity < ridge else "for arithmetic"
        return (
            f"On {_gpus(gpus)}{machine.name}: a decode step takes at least "
            f"{time_text(round(decode * 1e9))}, and waits {waits}; the prefill at least "
            f"{time_text(round(prefill * 1e9))}. Operations for each byte moved: "
            f"{found.decode.intensity:,.3g} in decode, {ridge:,.3g} would keep the GPU busy."
        )

    def _draw(self, work: StepWork, load: Load) -> None:
        answer = self.desk.calculator.answer
        machine, gpus = answer.question.hardware, answer.policy.tp
        assert machine is not None
        end = 1 << max(13, (load.tokens * 2 - 1).bit_length())
        tokens = [max(1, end * n // (POINTS - 1)) for n in range(POINTS)]
        values = [1e9 * one.decode.seconds(machine, gpus) for one in work.along(tokens, load)]
        alone = 1e9 * work.moved / machine.bandwidth / gpus
        self.step.set(tokens, values)
        self.alone.set([0, end], [alone, alone])
        here = 1e9 * work.at(load).decode.seconds(machine, gpus)
        x = Axis(0.0, float(end), ((0.0, "0"), (float(end), f"{end:,} tokens")))

        def notes() -> list[Note]:
            spots = along(tokens, values, (0.7, 0.55, 0.4, 0.9))
            said = f"weights + cache, at {machine.bandwidth // 10**9:,} GB/s"
            low = along([0, end], [alone, alone], (1.0, 0.7, 0.5), down=(0.0, 1.0))
            return [Note(said, "prefill", spots), Note("weights alone", "ghost_text", low)]

        ring = Ring(float(load.tokens), here, "prefill")
        self.chart.show_data(x, ms_axis(max(values) * 1.1), notes=notes, cursor=ring)


def _gpus(gpus: int) -> str:
    return "" if gpus == 1 else f"{gpus:,} "


BOUND = (
    "The larger of two times: reading the weights and the cache once at the GPU's bandwidth, and "
    "computing at its full speed. No engine can be faster; every one is slower."
)
SPARSE = (
    "Attention reads what an indexer chooses of this cache: how much that is depends on the text, "
    "so there is no bound to show."
)
MISSING = "Type their number under Machine, for a model of experts the active ones too."
