"""A lesson as data: runs it needs, and steps that show them."""

from dataclasses import dataclass, field

from kvviz.lessons.claim import Claim
from kvviz.lessons.run_wish import RunWish
from kvviz.session.regions import Place, Region
from kvviz.session.selection import Counted, GridMode, HeadChoice


@dataclass(frozen=True, slots=True)
class Scenery:
    """What a step shows; whatever a step does not say stays as in the step before.

    ``number`` counts prefills or decode steps from 1.  A negative ``layer`` counts from the last;
    ``cell`` is (row, key), negative ones counted back from the newest row.  ``releases``: the
    run's cache gives its memory back here, as when a request has ended.
    """

    run: str
    reference: str | None = None
    place: Place = Place.START
    number: int = 1
    layer: int = 0
    head: HeadChoice = 0
    mode: GridMode = GridMode.PHASE
    counted: Counted = Counted.CELLS
    cell: tuple[int, int] | None = None
    points: tuple[Region, ...] = ()
    releases: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose right answer is a figure of the run; all texts may carry figures."""

    ask: str
    options: tuple[str, ...]
    answer: str
    why: str


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One thing said and shown; ``claims`` must hold for the text to be true."""

    text: str
    scenery: Scenery
    question: Question | None = None
    claims: tuple[Claim, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """A chain of steps; ``name`` is its file's, ``number`` its place among the others."""

    name: str
    number: int
    title: str
    minutes: int
    summary: str
    steps: tuple[LessonStep, ...]
    runs: dict[str, RunWish] = field(default_factory=dict)

    def needed(self, index: int) -> tuple[str, ...]:
        """Return the runs that step ``index`` shows, in the order they are to be made."""
        scenery = self.steps[index].scenery
        shown = (name for name in (scenery.reference, scenery.run) if name is not None)
        return tuple(dict.fromkeys(name for run in shown for name in self._chain(run)))

    def _chain(self, name: str) -> tuple[str, ...]:
        """Return a run with those it comes behind, the first one first."""
        behind = self.runs[name].behind
        return (name,) if behind is None else (*self._chain(behind), name)
