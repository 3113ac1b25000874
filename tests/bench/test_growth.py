import sys

from kvviz.bench.growth import deep_bytes, held_bytes, own_bytes
from kvviz.bench.written import written_trace
from kvviz.sizing.shape import ModelShape

SHAPE = ModelShape(2, 4, 2, 8)


def test_nothing_is_counted_twice():
    text = "kvviz" * 100
    held = [text, (text, text)]
    whole = sys.getsizeof(held) + sys.getsizeof(held[1]) + sys.getsizeof(text)
    assert deep_bytes([held], set()) == whole


def test_a_longer_trace_holds_more_by_at_least_its_rows():
    short, longer = written_trace(100, SHAPE), written_trace(200, SHAPE)
    row = 4 * 2 * (4 + 2 * 2) * 8
    assert held_bytes(longer) - held_bytes(short) >= 100 * row


def test_own_memory_follows_what_is_taken():
    before = own_bytes()
    taken = bytearray(64 * 2**20)
    assert own_bytes() - before >= 60 * 2**20
    assert len(taken) == 64 * 2**20
