"""One cell of the grid in words: which token looks at which, how much, and how we know."""

from dataclasses import dataclass

from kvviz.session.attention import cell_facts, chosen_weights
from kvviz.session.scene import Scene
from kvviz.session.selection import Aggregate
from kvviz.trace.trace import Trace
from kvviz.ui.views.pieces import spoken

RECOMPUTED = (
    "Recomputed from the queries and keys this run recorded, at the layer and head shown; "
    "the score is scaled by 1 / sqrt(head size), a row's weights add up to 1."
)
Part = tuple[str, bool]  # text, whether it is stressed


@dataclass(frozen=True, slots=True)
class CellReadout:
    """Words and figures of one cell, the stressed ones marked."""

    parts: tuple[Part, ...]
    explanation: str = RECOMPUTED

    @property
    def text(self) -> str:
        """The whole as plain text."""
        return "".join(text for text, _ in self.parts)


def read_out(scene: Scene) -> CellReadout | None:
    """Return what the pointed cell says, or else the cell cursor's; None where there is none."""
    pointer = scene.pointer
    cell = scene.selection.cell
    if pointer.row is not None and pointer.key is not None:
        cell = (pointer.row, pointer.key)
    trace = scene.trace
    if cell is None or trace is None:
        return None
    row, key = cell
    if key > row:
        return CellReadout(
            (("masked", True), (f": row {row:,} never sees key {key:,}", False)),
            "A token sees itself and what came before it; later keys are masked.",
        )
    if row >= scene.rows:
        return CellReadout(
            ((f"row {row:,} is ", False), ("not computed yet", True)),
            "The run has not come to this row at the step shown.",
        )
    return CellReadout((*_names(scene, row, key), *_figures(scene, trace, row, key)))


def _names(scene: Scene, row: int, key: int) -> tuple[Part, ...]:
    tokens = scene.tokens
    return (
        ("row ", False),
        (spoken(tokens[row].piece), True),
        (" → key ", False),
        (spoken(tokens[key].piece), True),
    )


def _figures(scene: Scene, trace: Trace, row: int, key: int) -> tuple[Part, ...]:
    layer, head = scene.selection.layer, scene.selection.head
    if isinstance(head, Aggregate):
        weight = float(chosen_weights(trace, layer, head, row, row + 1)[0, key])
        return (f"  {head.value} weight ", False), (_weight(weight), True)
    facts = cell_facts(trace, layer, head, row, key)
    score, weight_text = f"{facts.score:.2f}", _weight(facts.weight)
    return ("  score ", False), (score, True), ("  weight ", False), (weight_text, True)


def _weight(weight: float) -> str:
    return f"{weight:.2f}" if weight >= 0.005 else f"{weight:.0e}".replace("e-0", "e-")
