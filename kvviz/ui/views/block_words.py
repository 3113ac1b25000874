"""What a block, or one of its slots, says in a sentence."""

from collections.abc import Sequence

from kvviz.session.pool_picture import Block, BlockState, PoolPicture
from kvviz.sizing.units import count_text
from kvviz.trace.trace import Token, Trace
from kvviz.ui.views.pieces import feeding_step, visible
from kvviz.ui.views.rich_line import Parts, plain

MOST_NUMBERS = 8  # of a list of blocks; more are counted


def slot_sentence(
    picture: PoolPicture, trace: Trace, tokens: Sequence[Token], number: int, offset: int | None
) -> str:
    """Return what slot ``offset`` of a block is; the block itself for None."""
    block = picture.block(number)
    if picture.map.gone:
        return f"Block {number:,} was given back with its pool"
    if block.state is BlockState.BLANK:
        return f"Block {number:,} is free: {_turn(picture.map.blank, number)}"
    if block.state is BlockState.REUSABLE:
        turn = _turn(picture.map.reusable, number, "evicted")
        return f"Block {number:,}{_hashed(block)} holds an earlier request's tokens, free: {turn}"
    if block.state is BlockState.FOREIGN:
        return f"Block {number:,}{_hashed(block)} is another request's, {_references(block)}"
    owners = " and ".join(
        f"sequence {picture.names[p.row]}'s logical block {p.logical}" for p in block.places
    )
    if offset is None:
        filled = f"{block.filled} of {count_text(picture.size, 'slot')} filled"
        return f"Block {number:,}{_hashed(block)}: {owners}, {filled}, {_references(block)}"
    place = f"block {number:,}, slot {offset} of {picture.size}"
    held = picture.token_at(number, offset)
    if held is None:
        return f"{place.capitalize()}: reserved for {owners}, still empty"
    row, token = held
    # Copies of one prompt hold the tokens that are shown; prompts of their own do not.
    known = token < len(tokens) and (row == 0 or picture.copies)
    piece = f" “{visible(tokens[token].piece)}”" if known else ""
    who = _written(picture, trace, row, token)
    return f"Token {token}{piece} in {place}{_hashed(block)}: {owners}, {_references(block)}, {who}"


def row_sentence(picture: PoolPicture, row: int) -> str:
    """Return what a sequence takes of the pool."""
    blocks, tokens = len(picture.map.tables[row]), picture.map.lengths[row]
    empty = blocks * picture.size - tokens
    of = f"{count_text(tokens, 'token')} in {count_text(blocks, 'block')}"
    return f"Sequence {picture.names[row]}: {of}, {count_text(empty, 'slot')} still empty"


def pool_words(picture: PoolPicture) -> tuple[Parts, ...]:
    """Return what is free, in the order it will be taken, and what the step did; longest first."""
    block_map = picture.map
    if block_map.gone:
        blocks = f"{count_text(picture.num_blocks, 'block')} of {count_text(picture.size, 'token')}"
        return plain(f"pool of {blocks}   ·   none is held"), plain("no block is held")
    found = _numbers("reusable, next to be evicted first ", block_map.reusable)
    none = () if found else plain("no block is free")
    free = _numbers("free, next first ", block_map.blank) or none
    done = step_words(picture)
    lists = _joined(free, found)
    blocks = f"{count_text(picture.num_blocks, 'block')} of {count_text(picture.size, 'token')}"
    whole = _joined(plain(f"pool of {blocks}"), lists)
    return _joined(whole, done), _joined(lists, done), _joined(free, done), done or lists


def step_words(picture: PoolPicture) -> Parts:
    """Return what the last step did to blocks; nothing where it only filled slots."""
    parts: list[tuple[str, bool]] = []
    for word in ("shared", "evicted", "taken", "sealed"):
        numbers: tuple[int, ...] = getattr(picture.map, word)
        if numbers:
            parts += [
                (f"{', ' if parts else 'this step '}{word} ", False),
                (_listed(numbers), True),
            ]
    return tuple(parts)


def _numbers(words: str, numbers: Sequence[int]) -> Parts:
    return ((words, False), (_listed(numbers), True)) if numbers else ()


def _joined(first: Parts, second: Parts) -> Parts:
    return (*first, ("   ·   ", False), *second) if first and second else first or second


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers one after the other, runs of them as first-last."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and abs(number - runs[-1][-1]) == 1 and _goes_on(runs[-1], number):
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = [f"{run[0]}" + (f"\N{EN DASH}{run[1]}" if run[1:] else "") for run in runs]
    more = len(shown) - MOST_NUMBERS
    return " ".join(shown[:MOST_NUMBERS]) + (f" and {more} more" if more > 0 else "")


def _goes_on(run: list[int], number: int) -> bool:
    return len(run) == 1 or (run[1] > run[0]) == (number > run[1])


def _turn(order: Sequence[int], number: int, verb: str = "taken") -> str:
    ahead = order.index(number)
    return f"the next to be {verb}" if not ahead else f"{verb} after {count_text(ahead, 'other')}"


def _hashed(block: Block) -> str:
    return f" ({block.hash_text})" if block.hash else ""


def _references(block: Block) -> str:
    return count_text(block.references, "reference")


def _written(picture: PoolPicture, trace: Trace, row: int, token: int) -> str:
    phase = picture.phase_of(row, token)
    if phase is None:
        return "written by an earlier request and not computed again"
    pads = trace.config.row_pads
    # Rows end together: a longer row's first tokens came with row 0's first.
    step = feeding_step(trace, max(0, token + pads[row] - pads[0]))
    return f"written in {phase.value} (step {step})"
