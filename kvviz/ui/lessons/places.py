"""Where the regions that a lesson points at are on screen."""

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QWidget

from kvviz.session.regions import GRID_PARTS, INSPECTOR_PARTS, Region
from kvviz.session.selection import Selection
from kvviz.trace.step import Phase
from kvviz.ui.inspector_panel import InspectorPanel
from kvviz.ui.lessons.spotlight import MARGIN, Lit
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.memory_chart import MemoryChart

BELOW_WORDS = 32  # px at zoom 1
Views = Mapping[Region, QWidget]


def view_of(region: Region, views: Views) -> QWidget:
    """Return the view that a region is, or is a part of."""
    if region in GRID_PARTS:
        return views[Region.GRID]
    if region is Region.MEMORY_HELD:
        return views[Region.MEMORY]
    return views[Region.INSPECTOR if region in INSPECTOR_PARTS else region]


def reveal(region: Region, views: Views) -> bool:
    """Scroll a region into sight where its view scrolls; False while it has no place yet."""
    view = view_of(region, views)
    if isinstance(view, InspectorPanel) and region is not Region.INSPECTOR:
        return view.reveal(region)
    return True


def lit_by(region: Region, views: Views, over: QWidget) -> Lit | None:
    """Return a region's place in the px of ``over``; None where it is not on screen."""
    view = view_of(region, views)
    if not view.isVisibleTo(over.window()) or not view.width():
        return None
    whole = QRectF(view.rect())
    part: QRectF | None = whole
    if isinstance(view, GridView):
        part = grid_part(region, view)
    elif region is Region.MEMORY_HELD and isinstance(view, MemoryChart):
        close = view.look.px(MARGIN - 1)  # there are words just above and below
        part = QRectF(view.held.geometry()).adjusted(0, close, 0, -close)
    elif isinstance(view, InspectorPanel):
        part = view.place_of(region)
    if part is None or part.isEmpty():
        return None
    origin = QPointF(view.mapTo(over.window(), view.rect().topLeft()))
    origin -= QPointF(over.mapTo(over.window(), over.rect().topLeft()))
    notes = view.notes if isinstance(view, GridView) else ()
    words = tuple(note.translated(origin) for note in notes)
    return Lit(whole.translated(origin), part.translated(origin), words)


def grid_part(region: Region, grid: GridView) -> QRectF | None:
    """Return a part of the grid in the grid's px; None where there is none now."""
    camera = grid.camera
    rows, selection = grid.store.rows, grid.store.selection
    match region:
        case Region.GRID_PREFILL:
            first, last = _prefill_rows(grid)
            box = QRectF(camera.x(0), camera.y(first), last * camera.cell, 0)
            box.setBottom(camera.y(last))
        case Region.GRID_NEWEST:
            newest = grid.newest
            box = QRectF(camera.x(0), camera.y(newest.start), newest.stop * camera.cell, 0)
            box.setBottom(camera.y(newest.stop))
            close = max(0.0, grid.look.px(MARGIN) - camera.cell / 4)  # off the row above
            box.adjust(0, close, 0, -close)
        case Region.GRID_MASKED:
            # A square of the black part, below the words in its corner and off the cells.
            planned, off = grid.store.planned_rows, grid.look.px(MARGIN + 2)
            left, top = camera.x((planned + 1) // 2), camera.y(0) + grid.look.px(BELOW_WORDS)
            box = QRectF(left, top, camera.x(planned) - left, camera.y(planned // 2) - top)
            box.adjust(off, 0, -off, -off)
        case Region.GRID_CELL | Region.GRID_COLUMN:
            found = _cell_box(selection, grid, rows, whole=region is Region.GRID_COLUMN)
            if found is None:
                return None
            box = found
        case _:
            box = camera.visible if grid.store.planned_rows else QRectF(grid.rect())
    return box.intersected(camera.viewport)


def _prefill_rows(grid: GridView) -> tuple[int, int]:
    trace = grid.store.trace
    steps = trace.steps[: grid.store.cursor + 1] if trace is not None else ()
    filled = [step for step in steps if step.phase is Phase.PREFILL]
    return (filled[0].first_row, filled[-1].seq_len) if filled else (0, 0)


def _cell_box(selection: Selection, grid: GridView, rows: int, *, whole: bool) -> QRectF | None:
    if selection.cell is None:
        return None
    row, key = selection.cell
    box = grid.camera.cell_rect(row, key)
    if whole:
        box = grid.camera.cell_rect(key, key)
        box.setBottom(grid.camera.y(rows))
    return box
