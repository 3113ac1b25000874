"""The rows of a batch of prompts of their own: what each holds, and what padding costs."""

from dataclasses import dataclass

from kvviz.session.runs import Run
from kvviz.session.settings import prompts_of
from kvviz.sizing.blocks import blocks_for
from kvviz.sizing.layout import LayoutKind


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A row at a step: its prompt as typed, and what it generated.

    ``padding`` are places before its first token, ``prompt`` and ``answer`` tokens whose keys are
    held, ``empty`` the slots of its last block that no token has.
    """

    place: int
    shown: bool
    text: str
    padding: int
    prompt: int
    answer: int
    empty: int
    answer_ids: tuple[int, ...]


def batch_rows(run: Run, cursor: int) -> tuple[BatchRow, ...]:
    """Return the rows of ``run`` after step ``cursor`` as they were typed; none for copies."""
    config, texts = run.config, prompts_of(run.config)
    if not config.more_prompts:
        return ()
    paged = config.layout.kind is LayoutKind.PAGED
    pads = config.pads if config.pads and not paged else (0,) * len(texts)
    held = [0] * len(texts)
    chosen: list[list[int]] = [[] for _ in texts]
    for step in run.trace.steps[: cursor + 1]:
        fed = (step.new_ids, *(row.new_ids for row in step.more_rows))
        tokens = (step.token_id, *(row.token_id for row in step.more_rows))
        for row, (ids, token) in enumerate(zip(fed, tokens, strict=True)):
            held[row] += len(ids)
            if token is not None:
                chosen[row].append(token)
    size = config.layout.block_size
    rows = []
    for row, place in enumerate(config.places):
        prompt = min(held[row], len(config.prompts[row]))
        rows.append(
            BatchRow(
                place,
                row == 0,
                texts[place],
                pads[row],
                prompt,
                held[row] - prompt,
                blocks_for(held[row], size) * size - held[row] if paged else 0,
                tuple(chosen[row]),
            )
        )
    return tuple(sorted(rows, key=lambda found: found.place))


def planned_places(run: Run) -> int:
    """Return the places that the longest row takes at the planned end, in whole blocks if paged."""
    config = run.config
    longest = max(map(len, config.prompts)) + run.planned_rows - len(config.prompt_ids)
    paged = config.layout.kind is LayoutKind.PAGED
    size = config.layout.block_size if paged else 1
    return blocks_for(longest, size) * size


def padding_bytes(run: Run) -> int:
    """Bytes of padding in the cache once the prompts are in, by the formula; paged keeps none."""
    config, layout = run.config, run.config.layout
    if layout.kind is LayoutKind.PAGED:
        return 0
    parts, longest = config.model.shape.cache_parts, max(map(len, config.prompts))
    whole = layout.payload(parts, 1, longest)
    return sum(whole - layout.payload(parts, 1, longest - pad) for pad in config.pads)
