"""What the shown prompt found in the pool that it shares with earlier ones."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from kvviz.session.prefix_report import PrefixReport, prefix_report
from kvviz.sizing.units import ms_text, noun_text
from kvviz.trace.latency import ttft_ns
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.fact_panel import FactPanel
from kvviz.ui.views.prefix_blocks import PrefixBlocks
from kvviz.ui.views.rich_line import Parts, RichLine
from kvviz.ui.widgets.prose import Prose
from kvviz.ui.widgets.tag import Tag

WAITING = "The prompt's blocks are looked up in the pool when the prefill begins."


class PrefixPanel(FactPanel):
    """Tokens found, work saved, TTFT beside the earlier one, and a sentence for each miss.

    There only while the shown run shares a pool.
    """

    concerns = Change.RUNS | Change.STEPS

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Prefix", parent)
        self._low = False
        self.found = RichLine(look, firm=True)
        self.ttft = RichLine(look, align=Qt.AlignmentFlag.AlignRight)
        self.blocks = PrefixBlocks(look)
        self.cells = RichLine(look, size=11, firm=True)
        self.reasons = Prose(look, tone="secondary")
        self._tags = measured, formula = Tag(look, "measured"), Tag(look, "formula")
        self.add_head(self.found, measured, self.ttft)
        self.add_row(self.blocks, formula, self.cells)
        self.add_row(self.reasons)
        self.refresh()

    def set_low(self, low: bool) -> None:
        """Say only why the first block missed, or say it of each."""
        if low != self._low:
            self._low = low
            self.refresh()

    def refresh(self) -> None:
        """Show what the prompt of the run on screen found."""
        run = self.store.shown
        self.set_there(run is not None and run.config.shares_pool)
        if run is None or not self.there:
            return
        report = prefix_report(self.store.runs, run)
        for tag in self._tags:
            tag.setVisible(report is not None)
        if report is None:
            self.reasons.setText(WAITING)
            self.blocks.show_blocks(())
            for line in (self.found, self.ttft, self.cells):
                line.set_parts()
            return
        self.found.set_parts(*found_parts(report))
        self.ttft.set_parts(*ttft_parts(report))
        self.cells.set_parts(*cells_parts(report))
        self.blocks.show_blocks(report.blocks)
        self.reasons.setText("\n".join(report.reasons[:1] if self._low else report.reasons))


def found_parts(report: PrefixReport) -> tuple[Parts, ...]:
    """Return how many tokens were found and fed; the longest way first."""
    found: Parts = (
        (f"{report.found:,}", True),
        (" of ", False),
        (f"{report.prompt_tokens:,}", True),
        (f" {noun_text(report.prompt_tokens, 'token')} found", False),
    )
    return (*found, (", ", False), (f"{report.positions:,}", True), (" computed", False)), found


def ttft_parts(report: PrefixReport) -> tuple[Parts, ...]:
    """Return the time to first token, the earlier run's beside it where there was one."""
    if report.ttft_ns is None:
        return ()
    now: Parts = (("TTFT ", False), (ms_text(report.ttft_ns), True))
    earlier = report.earlier
    before = ttft_ns(earlier.trace) if earlier else None
    if earlier is None or before is None:
        return now, ()
    fed = sum(step.num_tokens_fed for step in earlier.trace.steps if step.index == 0)
    then: Parts = ((f" · run {earlier.run_id}: ", False), (ms_text(before), True))
    return (*now, *then, (f", {fed:,} computed", False)), (*now, *then), now, ()


def cells_parts(report: PrefixReport) -> tuple[Parts, ...]:
    """Return the score cells of this prefill beside those of the whole prompt."""
    done: Parts = ((f"{report.cells:,}", True), (" of ", False), (f"{report.cells_alone:,}", True))
    cells = noun_text(report.cells_alone, "cell")
    return (*done, (f" score {cells}", False)), (*done, (f" {cells}", False)), done
