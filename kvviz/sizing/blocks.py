"""Blocks of tokens, on paper: how many, what names their content, what happened to them."""

from array import array
from collections.abc import Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

ROOT = 0  # stands for what comes before a sequence's first block


class BlockChange(StrEnum):
    """What happened to a block.

    When a run began in a pool that others had used: held: another request had it, told once for
    each; found: it was free and kept its hash; blank: it was free and empty.

    Then, taken: blank or evicted, it joined a row's table; shared: a row joined its other owners;
    replaced: it is the row's own copy of the shared block before it in the list (copy-on-write);
    sealed: it is full and has a hash; dropped: a row let go of it; evicted: its content was given
    up for new tokens.
    """

    HELD = "held"
    FOUND = "found"
    BLANK = "blank"
    TAKEN = "taken"
    SHARED = "shared"
    REPLACED = "replaced"
    SEALED = "sealed"
    DROPPED = "dropped"
    EVICTED = "evicted"


class BlockEvent(NamedTuple):
    """One change of one block; ``row`` is the sequence, -1 for none, ``hash`` 0 for none."""

    change: BlockChange
    block: int
    row: int = -1
    hash: int = 0


class Miss(StrEnum):
    """Why a prompt's block was not found in the pool; the value is what a person reads."""

    NEVER_STORED = "no block with these tokens behind this prefix was ever stored"
    EVICTED = "it was stored, and evicted for other tokens"
    BEHIND_A_MISS = "a block before it is missing, and a block only counts behind its prefix"
    NOT_FULL = "the prompt ends inside it, and only full blocks are shared"
    LAST_TOKEN = "it holds the prompt's last token, which is always computed for its logits"


class PrefixMatch(NamedTuple):
    """What a prompt found: tokens whose keys are there already, and why each other block missed."""

    num_tokens: int
    misses: tuple[Miss, ...]


def blocks_for(tokens: int, block_size: int) -> int:
    """Return how many blocks hold ``tokens`` tokens."""
    return -(-tokens // block_size)


def scratch_blocks(blocks: int) -> int:
    """Return how many blocks a scratch that must hold ``blocks`` has room for: a power of two.

    A larger one is made log2 times, not at each block: pages that are new cost more than a copy.
    """
    return 1 << (blocks - 1).bit_length()


def block_hash(parent: int, ids: Sequence[int]) -> int:
    """Return what names a full block: its tokens and, through ``parent``, all before them.

    63 bits, never 0, the same on every machine and in every run.
    """
    data = array("q", (parent, *ids)).tobytes()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> 1 or 1
