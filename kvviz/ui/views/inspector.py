"""How the number of one cell arises, from query and key to what the value adds."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.gap_text import gap_text
from kvviz.session.inspection import Inspection, inspect_cell
from kvviz.session.number_text import number_text
from kvviz.session.regions import Region
from kvviz.session.selection import Aggregate
from kvviz.sizing.units import count_text, noun_text
from kvviz.trace.step import Floats
from kvviz.ui.changes import Change
from kvviz.ui.fonts import MEDIUM
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.pieces import spoken
from kvviz.ui.views.vector_bars import paint_row, paint_vector
from kvviz.ui.views.view import View

WORDS, LEAD, BARS, GAP = 18, 3, 22, 8  # px at zoom 1; bars stand a lead below their words
NO_CELL = "Click a cell of the grid to see how its number arises."
ONE_HEAD = "The grid shows several heads put together: choose one head to see how a cell arises."
FOUND = (
    "This row's keys and values were found in a pool: its query was never computed, so none of its "
    "cells arose in this run."
)
WEIGHED = "Weight × value: what it adds"  # noqa: RUF001 - times
ADDED_UP = "The head's output: all keys' parts added up"
HELD_AGAINST = "Recomputed here, it differs from the output that the model computed by at most"
HELD_AGAINST_CODES = (
    "Keys and values are as they were first read. {coded} of them had become codes before this row "
    "was computed, so the output of the model differs by at most"
)
NOT_RECORDED = "The model's own output was not recorded in this run."


@dataclass(frozen=True, slots=True)
class Part:
    """A line of words, a figure at its right, and below it bars or nothing.

    ``values`` are painted up and down as far as ``largest``; ``row`` from below with one marked.
    """

    words: str
    figure: str = ""
    values: Floats | None = None
    largest: float = 0.0
    row: Floats | None = None
    marked: int = -1
    section: Region | None = None


class Inspector(View):
    """Reads the cell cursor; everything is recomputed from what the run recorded.

    ``moved`` follows whatever changes where its parts are.
    """

    moved = Signal()
    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SELECTION

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self.parts: tuple[Part, ...] = ()
        self.cell: Inspection | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Cell inspector")
        self.read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return room for every part."""
        return QSize(self.look.px(320), self._height())

    def minimumSizeHint(self) -> QSize:
        """Return a width at which words are still readable."""
        return QSize(self.look.px(240), self._height())

    def read(self, changes: Change) -> None:
        """Take the cell cursor and recompute its cell."""
        self.cell = self._inspect()
        self.parts = self._parts()
        self.setAccessibleDescription(
            ". ".join(f"{part.words} {part.figure}".strip() for part in self.parts)
        )
        self.updateGeometry()
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say that the parts may be elsewhere."""
        super().resizeEvent(event)
        self.moved.emit()

    def place_of(self, region: Region) -> QRectF | None:
        """Return where the parts of a section are, in px; None where there are none now."""
        found, top = QRectF(), 0.0
        for part in self.parts:
            height = self._part_height(part)
            if part.section is region:
                found |= QRectF(0, top, self.width(), height - self.look.px(GAP))
            top += height
        return None if found.isEmpty() else found

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint part below part."""
        painter = self.painter()
        top = 0.0
        for part in self.parts:
            top += self._paint_part(painter, part, top)
        painter.end()

    def _inspect(self) -> Inspection | None:
        trace, selection = self.store.trace, self.store.selection
        if trace is None or selection.cell is None or isinstance(selection.head, Aggregate):
            return None
        row, key = selection.cell
        if not key <= row < self.store.rows or self._was_found():
            return None
        return inspect_cell(trace, selection.layer, selection.head, row, key)

    def _was_found(self) -> bool:
        """Whether the cell's row was found in a pool, and so never computed."""
        trace, cell = self.store.trace, self.store.selection.cell
        found = trace.steps[0].num_tokens_reused if trace is not None and trace.steps else 0
        return cell is not None and cell[0] < found

    def _parts(self) -> tuple[Part, ...]:
        cell = self.cell
        if cell is None:
            selection = self.store.selection
            if selection.cell is None:
                return (Part(NO_CELL),)
            several = isinstance(selection.head, Aggregate)
            return (Part(ONE_HEAD if several else FOUND if self._was_found() else NO_CELL),)
        names = [spoken(self.store.tokens[place].piece) for place in (cell.query, cell.key)]
        return (
            Part(f"Layer {cell.layer}, {heads_text(cell)}", section=Region.INSPECTOR_HEADS),
            *_score_parts(cell, names[0], names[1]),
            *_weight_parts(cell, names[1]),
        )

    def _height(self) -> int:
        return round(sum(map(self._part_height, self.parts)))

    def _part_height(self, part: Part) -> float:
        px = self.look.px
        bars = part.values is not None or part.row is not None
        lines = len(self._lines(part))
        return lines * px(WORDS) + (px(LEAD) + px(BARS) if bars else 0) + px(GAP)

    def _lines(self, part: Part) -> list[str]:
        """Return the words in as many lines as they need; a figure keeps its place."""
        metrics = QFontMetricsF(self.look.font(13))
        figure = metrics.horizontalAdvance(part.figure)
        room = max(self.width(), self.look.px(240)) - (figure + self.look.px(12) if figure else 0)
        lines = [""]
        for word in part.words.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and metrics.horizontalAdvance(longer) > room:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def _paint_part(self, painter: QPainter, part: Part, top: float) -> float:
        px, look = self.look.px, self.look
        lines = self._lines(part)
        for number, line in enumerate(lines):
            box = QRectF(0, top + number * px(WORDS), self.width(), px(WORDS))
            painter.setFont(look.font(13))
            painter.setPen(look.color("secondary"))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, line)
        box = QRectF(0, top, self.width(), px(WORDS))
        painter.setFont(look.font(13, MEDIUM))
        painter.setPen(look.color("text"))
        painter.drawText(
            box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, part.figure
        )
        bars = QRectF(0, top + len(lines) * px(WORDS) + px(LEAD), self.width(), px(BARS))
        if part.values is not None:
            paint_vector(painter, bars, part.values, part.largest, look.color("text"))
        elif part.row is not None:
            ink, mark = look.color("muted"), look.color("cursor")
            paint_row(painter, bars, part.row, part.marked, ink, mark)
        return self._part_height(part)


def heads_text(cell: Inspection) -> str:
    """Say which KV head serves the query head, and which others it serves."""
    others = [str(head) for head in cell.sharing_heads if head != cell.head]
    if not others:
        return f"head {cell.head} with KV head {cell.kv_head}, its own"
    word, do = noun_text(len(others), "head"), "does" if len(others) == 1 else "do"
    *first, last = others
    named = f"{', '.join(first)} and {last}" if first else last
    return f"head {cell.head} reads KV head {cell.kv_head}, as {word} {named} {do}"


def _score_parts(cell: Inspection, query: str, key: str) -> tuple[Part, ...]:
    section = Region.INSPECTOR_SCORE
    scaled = f"{cell.dot:.2f} × {cell.shape.scale:.4g} = {cell.scaled:.2f}"  # noqa: RUF001 - times
    parts = [
        # Each on a scale of its own: they are multiplied, and a model may have one far larger.
        Part(f"Query of “{query}”", "", cell.q, _largest(cell.q), section=section),
        Part(f"Key of “{key}”", "", cell.k, _largest(cell.k), section=section),
        Part(
            "Query × key, number by number; they add up to",  # noqa: RUF001 - times
            f"{cell.dot:.2f}",
            cell.products,
            _largest(cell.products),
            section=section,
        ),
        Part("Scaled: the score", scaled, section=section),
    ]
    if cap := cell.shape.score_cap:
        parts.append(Part(f"Capped at {cap:g}", f"{cell.capped:.2f}", section=section))
    seen = f"Masked: {cell.mask_reason}" if cell.masked else "Not masked: the query sees this key"
    return (*parts, Part(seen))


def _weight_parts(cell: Inspection, key: str) -> tuple[Part, ...]:
    largest, section = _largest(cell.output, cell.contribution), Region.INSPECTOR_OUTPUT
    gap = cell.output_gap
    against = HELD_AGAINST_CODES.format(coded=f"{cell.coded:,}") if cell.coded else HELD_AGAINST
    return (
        Part(
            f"Softmax over the row's {count_text(cell.seen, 'score')}: the weight",
            number_text(cell.weight),
            row=cell.row_weights,
            marked=cell.key,
            section=Region.INSPECTOR_WEIGHT,
        ),
        Part(f"Value of “{key}”", "", cell.v, _largest(cell.v), section=section),
        Part(WEIGHED, "", cell.contribution, largest, section=section),
        Part(ADDED_UP, "", cell.output, largest, section=section),
        Part(NOT_RECORDED, section=section)
        if gap is None
        else Part(against, gap_text(gap), section=section),
    )


def _largest(*vectors: Floats) -> float:
    return float(max(np.abs(vector).max(initial=0.0) for vector in vectors))
