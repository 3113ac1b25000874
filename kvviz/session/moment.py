"""One step of a run, and what it is compared with: what a figure is read from."""

from dataclasses import dataclass, field

from kvviz.session.attention import CellFacts, cell_facts
from kvviz.session.selection import Selection
from kvviz.trace.step import Step
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Moment:
    """A trace at step ``index`` (-1 before the first) as it is looked at.

    ``reference`` is the run drawn as a ghost, None where there is none.
    """

    trace: Trace
    index: int
    reference: Trace | None = None
    selection: Selection = field(default_factory=Selection)

    @property
    def step(self) -> Step | None:
        """The step at the cursor."""
        return self.step_at(self.index)

    def step_at(self, index: int) -> Step | None:
        """Return a recorded step; None where there is none."""
        return self.trace.steps[index] if 0 <= index < len(self.trace) else None

    @property
    def used(self) -> int:
        """Bytes used after the step, measured; 0 before the first."""
        return self.step.measured.used if self.step else 0

    @property
    def cell(self) -> CellFacts | None:
        """The cell cursor's facts; None where a head's cell is not chosen or not computed yet."""
        selection, step = self.selection, self.step
        if selection.cell is None or step is None or not isinstance(selection.head, int):
            return None
        row, key = selection.cell
        if not key <= row < step.seq_len:
            return None
        return cell_facts(self.trace, selection.layer, selection.head, row, key)
