"""What a prompt found in the pool that it shares, what that saved, and why the rest missed."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from kvviz.session.runs import Run, RunList
from kvviz.sizing.blocks import BlockChange, Miss
from kvviz.sizing.units import count_text
from kvviz.sizing.work import score_cells
from kvviz.trace.latency import ttft_ns
from kvviz.trace.step import Step

EMPTY_POOL = (
    "The pool was empty: nothing could be found. This prompt's full blocks stay in it for the next."
)
BATCH = "Prompts of their own in one batch all begin at their beginning: nothing is looked up."


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """Tokens ``first`` to ``end`` of a prompt; ``miss`` is None where they were found."""

    first: int
    end: int
    text: str
    miss: Miss | None


@dataclass(frozen=True, slots=True)
class PrefixReport:
    """Figures of a prefill that began in a shared pool.

    ``positions`` are the tokens that were fed, measured; ``cells`` the scores they needed and
    ``cells_alone`` those of the whole prompt, both by the formula.  ``ttft_ns`` is None until the
    first token is there.  ``earlier`` is the run before it in the same pool.
    """

    blocks: tuple[PromptBlock, ...]
    reasons: tuple[str, ...]
    prompt_tokens: int
    found: int
    positions: int
    cells: int
    cells_alone: int
    ttft_ns: int | None
    earlier: Run | None


def prefix_report(runs: RunList, run: Run) -> PrefixReport | None:
    """Return what ``run`` found; None where it shares no pool or has not begun."""
    if not run.config.shares_pool or not len(run.trace):
        return None
    prefill = tuple(_prefill(run))
    first = prefill[0]
    prompt = len(run.config.prompt_ids)
    return PrefixReport(
        blocks=_blocks(run, first),
        reasons=_reasons(run, first),
        prompt_tokens=prompt,
        found=first.num_tokens_reused,
        positions=sum(step.num_tokens_fed for step in prefill),
        cells=sum(step.score_cells for step in prefill),
        cells_alone=score_cells(0, prompt),
        ttft_ns=ttft_ns(run.trace),
        earlier=_earlier(runs, run) if _held_something(first) else None,
    )


def _prefill(run: Run) -> Iterator[Step]:
    """Give the steps of the prompt's prefill, as far as it has come."""
    for step in run.trace.steps:
        yield step
        if step.token_id is not None:
            return


def _held_something(step: Step) -> bool:
    kinds = (BlockChange.FOUND, BlockChange.HELD)
    return any(event.change in kinds for event in step.block_events)


def _blocks(run: Run, step: Step) -> tuple[PromptBlock, ...]:
    size, prompt = run.config.layout.block_size, len(run.config.prompt_ids)
    if step.prefix is None:
        return ()
    misses = (None,) * (step.prefix.num_tokens // size) + step.prefix.misses
    pieces = run.prompt_pieces
    return tuple(
        PromptBlock(first, end := min(first + size, prompt), "".join(pieces[first:end]), miss)
        for first, miss in zip(range(0, prompt, size), misses, strict=True)
    )


def _reasons(run: Run, step: Step) -> tuple[str, ...]:
    """Say in one sentence each why blocks missed, those of one reason in a row together."""
    if step.prefix is None:
        return (BATCH,)
    size, prompt = run.config.layout.block_size, len(run.config.prompt_ids)
    if not _held_something(step):
        return (EMPTY_POOL,)
    if prompt < size:
        tokens = f"{count_text(prompt, 'token')} {'does' if prompt == 1 else 'do'}"
        return (f"The prompt's {tokens} not fill a block of {size:,}, so there are 0 hits.",)
    number, said = step.prefix.num_tokens // size + 1, []
    for miss, group in groupby(step.prefix.misses):
        last = number + len(tuple(group)) - 1
        name = f"Block {number:,}" if last == number else f"Blocks {number:,} to {last:,}"
        said.append(f"{name}: {miss.value}.")
        number = last + 1
    return tuple(said)


def _earlier(runs: RunList, run: Run) -> Run | None:
    """Return the run that used the pool last before ``run``, if it is still in the list."""
    before = [other for other in runs.runs if other.run_id < run.run_id]
    return next((other for other in reversed(before) if _pool(other) == _pool(run)), None)


def _pool(run: Run) -> tuple[object, ...]:
    config = run.config
    shape = (config.model, config.dtype, config.device, config.layout)
    return *shape, config.batch, config.max_seq_len, config.shares_pool
