"""The pool of the shown run, followed step by step."""

from kvviz.session.pool_picture import PoolPicture, blocks_shown
from kvviz.session.runs import Run
from kvviz.sizing.blocks import BlockChange, blocks_for
from kvviz.trace.cache_map import BlockHistory
from kvviz.trace.trace import Trace
from kvviz.ui.views.pieces import phase_spans


class PoolDesk:
    """Keeps the history of one trace; going forward in it costs only the new steps."""

    def __init__(self) -> None:
        self.num_shown = 0
        self._trace: Trace | None = None
        self._history: BlockHistory | None = None
        self._highest, self._known = -1, 0

    def at(self, run: Run, cursor: int) -> PoolPicture:
        """Return the pool of ``run`` behind the step at ``cursor``; at its end, as it is now."""
        trace, config = run.trace, run.config
        if trace is not self._trace or self._history is None:
            self._trace, self._history = trace, BlockHistory(config)
            self._highest, self._known = -1, 0
        for step in trace.steps[self._known :]:
            touched = (e.block for e in step.block_events if e.change is not BlockChange.BLANK)
            self._highest = max(self._highest, *touched, -1)
        self._known = len(trace)
        self.num_shown = blocks_shown(config, run.planned_rows, self._highest)
        block_map = self._history.map_at(trace.steps, cursor)
        if run.gone_at(cursor):
            block_map = block_map.given_back()
        reused = trace.steps[0].num_tokens_reused if cursor >= 0 else 0
        return PoolPicture(block_map, config, phase_spans(trace, cursor), reused)

    def planned(self, run: Run, picture: PoolPicture) -> tuple[int, ...]:
        """Return how many blocks each sequence has at the planned end."""
        lengths = run.config.row_lengths(run.planned_rows)
        return tuple(
            max(len(table), blocks_for(tokens, picture.size))
            for table, tokens in zip(picture.map.tables, lengths, strict=True)
        )
