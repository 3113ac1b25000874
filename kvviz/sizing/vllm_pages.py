"""vLLM's bookkeeping: pages of one size, layers in equal groups, blocks a request takes.

Its hybrid rule: a block has the least multiple of its unit whose attention page covers a state.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kvviz.sizing.errors import InputError
from kvviz.sizing.part_rows import PartRow
from kvviz.sizing.parts import LIMITED, PartKind
from kvviz.sizing.policy import Load, Policy, Windows

UNIT = 16
MLA_UNIT = 64  # its kernels read blocks of 64 tokens


@dataclass(frozen=True, slots=True)
class Group:
    """Layers of one kind that share a block table; ``block`` in tokens, 0 for a state."""

    kind: PartKind
    window: int
    block: int
    tables: int


@dataclass(frozen=True, slots=True)
class Pages:
    """One GPU's pages: a block takes ``block_bytes`` over all layers of a group.

    ``block`` is the tokens of the smallest block, ``page`` one layer's bytes of a block, 0 where
    layers differ in them.
    """

    groups: tuple[Group, ...]
    block: int
    block_bytes: int
    page: int

    @property
    def tables(self) -> int:
        """Block tables, one for each group of layers."""
        return sum(group.tables for group in self.groups)

    def request_blocks(self, policy: Policy, load: Load) -> int:
        """Blocks that one request of ``load.tokens`` may take."""
        return sum(group.tables * group_blocks(group, policy, load) for group in self.groups)

    def tokens_held(self, row: PartRow, policy: Policy, load: Load) -> int:
        """Tokens of one request that the blocks of ``row``'s layer have room for."""
        kind = _kind(row, policy)
        group = next(g for g in self.groups if self._has(g, row, kind))
        return group_blocks(group, policy, load) * group.block

    def _has(self, group: Group, row: PartRow, kind: tuple[PartKind, int]) -> bool:
        if (group.kind, group.window) != kind:
            return False
        return len(self.groups) == 1 or group.block * row.cell == self.page


def vllm_pages(rows: Mapping[PartRow, int], policy: Policy) -> Pages:
    """Return how vLLM would lay out ``rows``, each with its number of layers; or InputError."""
    owned = {row: count for row, count in rows.items() if row.cell or row.state}
    if not owned:
        raise InputError("The model keeps nothing, so vLLM has no pages for it.")
    grown = [row for row in owned if not row.state]
    block = _block(owned, policy)
    if not grown:
        return _states_alone(owned, block)
    kinds = {_kind(row, policy) for row in owned}
    if len(kinds) == 1:
        cell = sum(row.cell * count for row, count in owned.items())
        [(kind, window)] = kinds
        return Pages((Group(kind, window, block, 1),), block, cell * block, 0)
    return _grouped(owned, policy, block)


def group_blocks(group: Group, policy: Policy, load: Load) -> int:
    """Return the blocks one request takes in one table of ``group``."""
    match group.kind:
        case PartKind.RECURRENT:
            return policy.request_states
        case PartKind.CROSS:
            return _ceil(load.source_tokens, group.block)
        case PartKind.SLIDING:
            held = min(group.window - 1 + policy.batched_tokens, load.tokens)
            return _ceil(held, group.block) + 1
        case PartKind.CHUNKED:
            held = min(group.window + policy.batched_tokens, load.tokens)
            return _ceil(held, group.block)
    return _ceil(load.tokens, group.block)


def _unit(rows: Iterable[PartRow]) -> int:
    """Return what a block is a multiple of, and has where nothing is asked for."""
    latent = any(row.kind is PartKind.MLA and not row.v for row in rows)
    return MLA_UNIT if latent else UNIT


def _block(rows: Mapping[PartRow, int], policy: Policy) -> int:
    """Return the tokens of a block: as asked, or more where a state must fit into its page."""
    unit = _unit(rows)
    block = policy.block_size or unit
    states = [row.state for row in rows if row.state]
    cells = [row.cell for row in rows if row.cell]
    if not states or not cells:
        return block
    needed = _ceil(max(states), unit * max(cells)) * unit
    return max(block, needed)


def _states_alone(rows: Mapping[PartRow, int], block: int) -> Pages:
    if len(rows) > 1:
        raise InputError("vLLM's pages for several kinds of state are not known here.")
    [(row, layers)] = rows.items()
    return Pages((Group(PartKind.RECURRENT, 0, 0, 1),), block, row.state * layers, 0)


def _grouped(rows: Mapping[PartRow, int], policy: Policy, block: int) -> Pages:
    """Even out pages by larger blocks for smaller cells, then layers by groups of one size."""
    page = block * max(row.cell for row in rows)
    layers: Counter[tuple[PartKind, int, int]] = Counter()
    for row, count in rows.items():
        kind, window = _kind(row, policy)
        layers[kind, window, 0 if row.state else _tokens_of(page, row)] += count
    fewest, most = min(layers.values()), max(layers.values())
    size = most if 2 * most < 3 * fewest else fewest
    groups = tuple(
        Group(kind, window, tokens, _ceil(count, size))
        for (kind, window, tokens), count in layers.items()
    )
    smallest = min(group.block for group in groups if group.block)
    return Pages(groups, smallest, page * size, page)


def _tokens_of(page: int, row: PartRow) -> int:
    tokens, rest = divmod(page, row.cell)
    if rest:
        raise InputError(
            f"vLLM needs pages of one size, and {row.cell:,} bytes a token do not fill pages of "
            f"{page:,}: choose the exact engine, or windows full where all heads are alike."
        )
    return tokens


def _kind(row: PartRow, policy: Policy) -> tuple[PartKind, int]:
    """Return what decides the blocks a layer takes: its kind and window."""
    if row.kind in LIMITED and policy.windows is Windows.CAPPED:
        return row.kind, row.window or 0
    return (PartKind.FULL if row.kind in (*LIMITED, PartKind.MLA) else row.kind), 0


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def older_logged_tokens(pages: Pages, num_blocks: int) -> int | None:
    """Return what vLLM before 0.21 logs: blocks shared out over the tables; None if as later."""
    if len(pages.groups) == 1:
        return None
    return num_blocks // pages.tables * pages.block


def logged_tokens(pages: Pages, policy: Policy, load: Load, num_blocks: int) -> int:
    """Return the tokens that vLLM logs as its cache's size.

    With one group that is all blocks; else the requests of full length that fit, times that
    length, so it moves with the longest length that a request may have.
    """
    if len(pages.groups) == 1 and pages.groups[0].kind is PartKind.FULL:
        return num_blocks * pages.block
    per_request = pages.request_blocks(policy, load)
    return num_blocks * load.tokens // per_request
