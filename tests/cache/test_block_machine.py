"""The pool and its tables against a model: what every sequence's slots hold, written out."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from test_block_pool import check

from kvviz.cache.block_pool import BlockPool
from kvviz.cache.block_table import BlockTable
from kvviz.sizing.blocks import blocks_for
from kvviz.sizing.errors import InputError

SIZE, BLOCKS, MOST_ROWS = 3, 12, 5
TOKENS = st.integers(0, 1)


class PagedSequences(RuleBasedStateMachine):
    """``memory`` is what a tensor would hold: a token for each slot."""

    def __init__(self):
        super().__init__()
        self.pool = BlockPool(BLOCKS)
        self.memory = {}
        self.rows = []

    def row(self, pick):
        return self.rows[pick % len(self.rows)]

    @precondition(lambda self: len(self.rows) < MOST_ROWS)
    @rule(ids=st.lists(TOKENS, min_size=1, max_size=12))
    def start(self, ids):
        table = BlockTable(self.pool, SIZE)
        found = table.reuse(ids)
        assert found.num_tokens < len(ids)
        assert len(found.misses) == blocks_for(len(ids) - found.num_tokens, SIZE)
        held = ids[: found.num_tokens]
        self.rows.append((table, held))
        self.write(table, held, ids[found.num_tokens :])

    @precondition(lambda self: self.rows)
    @rule(pick=st.integers(0, 9), ids=st.lists(TOKENS, min_size=1, max_size=7))
    def append(self, pick, ids):
        self.write(*self.row(pick), ids)

    @precondition(lambda self: 0 < len(self.rows) < MOST_ROWS)
    @rule(pick=st.integers(0, 9))
    def fork(self, pick):
        table, ids = self.row(pick)
        self.rows.append((table.fork(len(self.rows)), ids.copy()))

    @precondition(lambda self: self.rows)
    @rule(pick=st.integers(0, 9))
    def release(self, pick):
        table, _ids = self.row(pick)
        self.rows = [row for row in self.rows if row[0] is not table]
        table.release()

    def write(self, table, held, ids):
        before = table.num_tokens, table.blocks.copy(), self.pool.num_free
        try:
            copied = table.append(len(ids))
        except InputError:
            assert before == (table.num_tokens, table.blocks, self.pool.num_free)
            return
        if copied is not None:
            old, new = copied
            for offset in range(SIZE):
                self.memory[new * SIZE + offset] = self.memory.get(old * SIZE + offset)
        held.extend(ids)
        slots = table.slots(len(held) - len(ids), len(held))
        self.memory.update(zip(slots, ids, strict=True))
        table.seal(held)

    @invariant()
    def every_sequence_reads_its_own_tokens(self):
        for table, ids in self.rows:
            assert [self.memory[slot] for slot in table.slots(0, len(ids))] == ids
            assert len(table.blocks) == blocks_for(len(ids), SIZE)
            assert 0 <= table.num_empty < SIZE

    @invariant()
    def the_pool_adds_up(self):
        check(self.pool, [table for table, _ in self.rows])


PagedSequences.TestCase.settings = settings(
    max_examples=120, stateful_step_count=40, deadline=None, derandomize=True, database=None
)
TestPagedSequences = PagedSequences.TestCase
