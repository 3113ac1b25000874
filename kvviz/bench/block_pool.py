"""Appends and frees of many sequences in one pool of blocks, a second."""

from time import perf_counter

from kvviz.bench.measure import Measure, hand_in
from kvviz.cache.block_pool import BlockPool
from kvviz.cache.block_table import BlockTable

ROUNDS, SEQUENCES, TOKENS, BLOCK_SIZE = 250, 8, 500, 16


def operations_per_second() -> float:
    """Return how many operations a second has, of a million: append a token, free a sequence."""
    pool = BlockPool(SEQUENCES * TOKENS // BLOCK_SIZE + SEQUENCES)
    done, begin = 0, perf_counter()
    for _ in range(ROUNDS):
        tables = [BlockTable(pool, BLOCK_SIZE, row) for row in range(SEQUENCES)]
        for _ in range(TOKENS):
            for table in tables:
                table.append(1)
        for table in tables:
            table.release()
        pool.take_events()
        done += SEQUENCES * (TOKENS + 1)
    return done / (perf_counter() - begin)


if __name__ == "__main__":
    hand_in({"block_pool": Measure(operations_per_second())})
