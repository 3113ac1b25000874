"""The work of prefill and decode at any length, for the model and the types that were asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kvviz.sizing.answer import Answer
from kvviz.sizing.cache_size import ModelRows, model_rows
from kvviz.sizing.policy import Engine, Load
from kvviz.sizing.roofline import Roofline, roofline


@dataclass(frozen=True, slots=True)
class StepWork:
    """``rows`` are what must be kept, without an engine's rounding; ``moved`` are weights."""

    rows: ModelRows
    heads: int
    active: int
    moved: int
    _known: dict[object, tuple[Roofline, ...]] = field(default_factory=dict, compare=False)

    def along(self, lengths: Sequence[int], load: Load) -> tuple[Roofline, ...]:
        """Return the lower bounds at several lengths, those asked for last at once."""
        key = (tuple(lengths), load.sequences, load.source_tokens)
        if key not in self._known:
            self._known.clear()
            self._known[key] = tuple(self.at(replace(load, tokens=n)) for n in lengths)
        return self._known[key]

    def at(self, load: Load) -> Roofline:
        """Return the lower bounds at a length."""
        return roofline(self.rows, load, self.heads, self.active, self.moved)


def step_work(answer: Answer, active: int) -> StepWork:
    """Return the work behind an answer that has a roofline."""
    found, policy = answer.roofline, answer.policy
    assert found is not None
    plain = replace(policy, engine=Engine.EXACT, block_size=None, slots=None, speculative=0)
    rows = model_rows(answer.config, plain)
    weights = found.prefill.moved - rows.total_bytes(answer.load)  # a prefill writes the cache once
    return StepWork(rows, answer.config.num_heads or 0, active, weights)
