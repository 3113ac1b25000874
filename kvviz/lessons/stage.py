"""A step on stage: what it shows, as a pure function of lesson, step and recorded runs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kvviz.lessons.lesson import Lesson, Scenery
from kvviz.session.moment import Moment
from kvviz.session.playback import FIRST
from kvviz.session.regions import Place
from kvviz.session.selection import Selection
from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the cursor stands, what is selected, and what the reference is.

    ``moment`` is what figures are read from; None while the run has not come so far, or its
    reference is not there.
    """

    scenery: Scenery
    cursor: int | None
    selection: Selection
    moment: Moment | None


def stage_of(lesson: Lesson, index: int, traces: Mapping[str, Trace]) -> Stage:
    """Return what step ``index`` shows, given the runs that were recorded, by their names."""
    scenery = lesson.steps[index].scenery
    trace = traces.get(scenery.run)
    reference = traces.get(scenery.reference) if scenery.reference else None
    cursor = None if trace is None else cursor_of(trace, scenery.place, scenery.number)
    selection = _selection(scenery, trace, cursor)
    alone = scenery.reference is not None and reference is None
    if trace is None or cursor is None or alone:
        return Stage(scenery, cursor, selection, None)
    return Stage(scenery, cursor, selection, Moment(trace, cursor, reference, selection))


def cursor_of(trace: Trace, place: Place, number: int = 1) -> int | None:
    """Return the step that a place means; None where the run has not come so far."""
    if place is Place.START:
        return FIRST
    if place is Place.END:
        return len(trace) - 1 if len(trace) else None
    if place is Place.DECODE:
        decoded = [step.index for step in trace.steps if step.phase is Phase.DECODE]
        return decoded[number - 1] if len(decoded) >= number else None
    filled = [
        step.index
        for step in trace.steps
        if step.phase is Phase.PREFILL and step.token_id is not None
    ]
    return filled[number - 1] if len(filled) >= number else None


def _selection(scenery: Scenery, trace: Trace | None, cursor: int | None) -> Selection:
    selection = Selection(
        layer=scenery.layer,
        head=scenery.head,
        mode=scenery.mode,
        counted=scenery.counted,
    )
    if trace is None:
        return selection
    shape = trace.config.model.shape
    layer = scenery.layer if scenery.layer >= 0 else shape.num_layers + scenery.layer
    rows = trace.steps[cursor].seq_len if cursor is not None and cursor > FIRST else 0
    cell = _cell(scenery.cell, rows)
    return replace(selection, layer=max(0, layer), cell=cell).within(shape)


def _cell(cell: tuple[int, int] | None, rows: int) -> tuple[int, int] | None:
    """Return the cell in the rows computed so far; None where it is not among them."""
    if cell is None:
        return None
    row, key = (place if place >= 0 else rows + place for place in cell)
    return (row, key) if 0 <= key <= row < rows else None
