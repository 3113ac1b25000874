from fake_store import FakeStore
from traced import shared_trace, trace_of

from kvviz.ui.views.block_words import pool_words
from kvviz.ui.views.pool_desk import PoolDesk


def words(trace, index, *, given_back=False):
    """The longest caption behind a step."""
    store = FakeStore(trace)
    store.shown.given_back = given_back
    picture = PoolDesk().at(store.shown, index % len(trace))
    variants = pool_words(picture)
    texts = ["".join(text for text, _ in parts) for parts in variants]
    assert texts == sorted(texts, key=len, reverse=True)
    return texts[0]


def test_free_blocks_are_listed_in_the_order_they_are_taken():
    trace = trace_of("paged:4", max_seq_len=40)
    assert words(trace, 0) == (
        "pool of 10 blocks of 4 tokens   ·   free, next first 2\N{EN DASH}9   ·   "
        "this step taken 0\N{EN DASH}1, sealed 0"
    )
    assert words(trace, 3).endswith("free, next first 3\N{EN DASH}9")


def test_a_full_pool_says_so():
    trace = trace_of("paged:4x3", max_seq_len=12, max_new_tokens=5)
    assert words(trace, -1).endswith("no block is free")


def test_a_pool_that_was_given_back_says_so():
    trace = trace_of("paged:4", max_seq_len=40)
    assert words(trace, -1, given_back=True) == "pool of 10 blocks of 4 tokens   ·   none is held"
    assert "free, next first" in words(trace, -2, given_back=True)


def test_found_and_evicted_blocks_are_named():
    trace = shared_trace("paged:2x7", prompt=(1, 2, 9, 9, 9))
    assert words(trace, 0) == (
        "pool of 7 blocks of 2 tokens   ·   reusable, next to be evicted first 4\N{EN DASH}1   ·   "
        "this step shared 0, evicted 5, taken 6\N{EN DASH}5, sealed 6"
    )
