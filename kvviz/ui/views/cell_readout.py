"""One cell of the grid in words: which token looks at which, how much, and how we know."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kvviz.session.attention import cell_facts, chosen_weights
from kvviz.session.number_text import number_text
from kvviz.session.scene import Scene
from kvviz.session.selection import Aggregate
from kvviz.trace.trace import Trace
from kvviz.ui.views.pieces import byte_words, spoken, visible
from kvviz.ui.views.rich_line import Parts

RECOMPUTED = (
    "Measured: recomputed from the queries and keys this run recorded, at the layer and head "
    "shown; the score is scaled by 1 / sqrt(head size), a row's weights add up to 1."
)
TAG = (" · measured", False)
MOST_OF_A_NAME = 8  # characters of a token's name, where room is short; less says nothing


@dataclass(frozen=True, slots=True)
class CellReadout:
    """Words and figures of one cell, the stressed ones marked; ``shorter`` ways follow."""

    parts: Parts
    explanation: str = RECOMPUTED
    shorter: tuple[Parts, ...] = ()

    @property
    def text(self) -> str:
        """The whole as plain text."""
        return "".join(text for text, _ in self.parts)


def cell_in_question(scene: Scene) -> tuple[int, int] | None:
    """Return the (row, key) pointed at, or else the cell cursor's."""
    pointer = scene.pointer
    if pointer.row is not None and pointer.key is not None:
        return pointer.row, pointer.key
    return scene.selection.cell


def read_out(scene: Scene, cell: tuple[int, int] | None) -> CellReadout | None:
    """Return what a (row, key) cell says at the cursor; None where there is none."""
    trace = scene.trace
    if cell is None or trace is None:
        return None
    row, key = cell
    pieces = [token.piece for token in scene.tokens]
    query, key_name = _name(pieces, row), _name(pieces, key)
    short_names = _short_names(query, key_name)
    if key > row:
        return CellReadout(
            (("masked: ", True), (query, True), (" never sees ", False), (key_name, True)),
            f"Row {row:,}, key {key:,}: a token sees itself and what came before it; later keys "
            "are masked.",
            shorter=((("masked: ", True), *short_names), (("masked", True),)),
        )
    if row >= scene.rows:
        return CellReadout(
            ((f"row {row:,} is ", False), ("not computed yet", True)),
            "The run has not come to this row at the step shown.",
        )
    if row < scene.found_rows:
        return CellReadout(
            (("row ", False), (query, True), (" was ", False), ("found in the pool", True)),
            "An earlier run computed this token's key and value, and they were found. Its query "
            "was not computed again, so there is no score here.",
            shorter=((("found in the pool", True),),),
        )
    names = (("row ", False), (query, True), (" → key ", False), (key_name, True))
    figures = _figures(scene, trace, row, key)
    alone = ((figures[0][0].lstrip(), False), *figures[1:], TAG)  # the grid's axes say the names
    weight = ((figures[-2][0].lstrip(), False), figures[-1], TAG)
    return CellReadout(
        (*names, *figures, TAG),
        RECOMPUTED + "".join(_byte_sentences(pieces, row, key)),
        ((*short_names, *figures, TAG), alone, weight),
    )


def _name(pieces: Sequence[str], place: int) -> str:
    return spoken(pieces[place]) if place < len(pieces) else f"token {place:,}"


def _short_names(query: str, key: str) -> Parts:
    most = MOST_OF_A_NAME
    first, second = (name if len(name) <= most else f"{name[: most - 1]}…" for name in (query, key))
    return ((first, True), (" → ", False), (second, True))


def _byte_sentences(pieces: Sequence[str], row: int, key: int) -> Iterator[str]:
    for place in dict.fromkeys((row, key)):
        if words := byte_words(pieces, place):
            yield f" {visible(pieces[place])} is {words}."


def variants(readout: CellReadout) -> tuple[Parts, ...]:
    """Return the ways to say it, the longest first."""
    return (readout.parts, *readout.shorter)


def _figures(scene: Scene, trace: Trace, row: int, key: int) -> Parts:
    layer, head = scene.selection.layer, scene.selection.head
    if isinstance(head, Aggregate):
        weight = float(chosen_weights(trace, layer, head, row, row + 1)[0, key])
        return ((f"  {head.value} weight ", False), (number_text(weight), True))
    facts = cell_facts(trace, layer, head, row, key)
    score, weight_text = f"{facts.score:.2f}", number_text(facts.weight)
    return (("  score ", False), (score, True), ("  weight ", False), (weight_text, True))
