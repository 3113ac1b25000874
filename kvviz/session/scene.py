"""The shown run at the cursor: everything a view may ask."""

from dataclasses import replace

from kvviz.session.pictures import Pictures
from kvviz.session.playback import Playback
from kvviz.session.runs import Run, RunList
from kvviz.session.selection import Pointer, Selection
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.comparison import Comparison, compare
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Step
from kvviz.trace.trace import Token, Trace


class Scene:
    """A list of runs, a cursor in one of them, and what is looked at and pointed at."""

    def __init__(self, runs: RunList, pictures: Pictures) -> None:
        self.runs = runs
        self.pictures = pictures
        self.playback = Playback()
        self.selection = Selection()
        self.pointer = Pointer()
        self._proof: tuple[tuple[int, ...], Comparison] | None = None

    @property
    def shown(self) -> Run | None:
        """The run on screen."""
        return self.runs.shown

    @property
    def trace(self) -> Trace | None:
        """What the shown run recorded."""
        run = self.shown
        return run.trace if run else None

    @property
    def cursor(self) -> int:
        """The step on screen, -1 before the first."""
        return self.playback.cursor

    @property
    def step(self) -> Step | None:
        """The step at the cursor."""
        trace = self.trace
        return trace.steps[self.cursor] if trace and 0 <= self.cursor < len(trace) else None

    @property
    def rows(self) -> int:
        """Rows of the grid computed at the cursor."""
        step = self.step
        return step.seq_len if step else 0

    @property
    def found_rows(self) -> int:
        """Rows of the grid that were found in a pool: their keys are there, no score was made."""
        run = self.shown
        return run.trace.steps[0].num_tokens_reused if run and self.rows else 0

    @property
    def planned_rows(self) -> int:
        """Rows of the grid at the planned end."""
        run = self.shown
        return run.planned_rows if run else 0

    @property
    def prompt_pieces(self) -> tuple[str, ...]:
        """The prompt of the shown run, token by token."""
        run = self.shown
        return run.prompt_pieces if run else ()

    @property
    def tokens(self) -> list[Token]:
        """Tokens at the cursor, the one just chosen last; before the first step, the prompt."""
        run = self.shown
        if run is None:
            return []
        if self.step is not None:
            return run.trace.tokens_at(self.cursor)
        pairs = zip(run.config.prompt_ids, run.prompt_pieces, strict=True)
        return [Token(token_id, piece, None) for token_id, piece in pairs]

    @property
    def proof(self) -> Comparison | None:
        """The shown run against the reference, once both have ended."""
        run, reference = self.shown, self.runs.reference
        if run is None or reference is None or run is reference or run.live or reference.live:
            return None
        if run.config.prompt_ids != reference.config.prompt_ids or not len(run.trace):
            return None
        key = (run.run_id, len(run.trace), reference.run_id, len(reference.trace))
        if self._proof is None or self._proof[0] != key:
            self._proof = (key, compare(reference.trace, run.trace))
        return self._proof[1]

    @property
    def continue_problem(self) -> str:
        """Why the shown run cannot be continued; empty where it can."""
        run = self.shown
        if run is None:
            return "There is no run to continue."
        if run.live:
            return "The run is still going on."
        if not run.can_continue and not run.config.layout.keeps_entries:
            return "This run kept no cache to go on from: choose a layout that keeps one."
        if not run.can_continue:
            return "This run's cache has been released: run it again to continue it."
        return ""

    @property
    def continue_room(self) -> int:
        """How many more tokens fit into the shown run's sequence limit."""
        run = self.shown
        return run.config.max_seq_len - len(run.trace.tokens) if run else 0

    @property
    def prove_problem(self) -> str:
        """Why the shown run cannot be repeated for a proof; empty where it can."""
        run = self.shown
        if run is None or not len(run.trace):
            return "There is nothing to prove yet: run a prompt first."
        if self.runs.live is not None:
            return "Wait until the run has ended."
        known = len(run.trace.generated_ids) + len(run.config.prompt_ids)
        if known != len(run.trace.tokens):
            return "A run continued with text cannot be repeated in one go."
        return ""

    def look_at(self, run: Run) -> None:
        """Keep selection and pictures within ``run``, now the shown one."""
        self.selection = replace(self.selection.within(run.config.model.shape), cell=None)
        self.pointer = Pointer()
        self.refresh_pictures()

    def set_selection(self, selection: Selection) -> None:
        """Look at another part of the shown run."""
        if (run := self.shown) is not None:
            selection = selection.within(run.config.model.shape)
        repaint = replace(selection, cell=None) != replace(self.selection, cell=None)
        self.selection = selection
        if repaint:
            self.refresh_pictures()

    def move_cell(self, down: int, right: int) -> None:
        """Move the cell cursor over the rows computed so far."""
        if not self.rows:
            return
        row, key = self.selection.cell or (self.rows - 1, self.rows - 1)
        row = max(self.found_rows, min(row + down, self.rows - 1))
        self.selection = replace(self.selection, cell=(row, max(0, min(key + right, row))))

    def refresh_pictures(self) -> None:
        """Make the pictures of the shown run and selection."""
        if (run := self.shown) is None:
            self.pictures.clear()
        else:
            self.pictures.show(run.trace, run.planned_rows, self.selection)


def counterpart(run: Run) -> RunConfig:
    """Return the same prompt without a cache, or with one where the run had none."""
    layout = run.config.layout
    kind = LayoutKind.NONE if layout.keeps_entries else LayoutKind.PREALLOCATED
    generated = max(1, len(run.trace.generated_ids))
    other = replace(layout, kind=kind)
    return replace(run.config, layout=other, max_new_tokens=generated, shares_pool=False)
