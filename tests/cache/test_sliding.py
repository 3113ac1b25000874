import torch
from engine_runs import cache_of, shape_of

from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.ring import EMPTY, ring_positions, ring_slot, ring_slots

SHAPE = shape_of(kv_heads=2, layers=1)
LAYOUT = CacheLayout(LayoutKind.SLIDING, window=3, sinks=2)


def test_seen_and_held_are_two_numbers():
    cache = cache_of("sliding:3+2", SHAPE)
    held = []
    for _ in range(8):
        cache.update(0, *(torch.ones(1, 2, 1, 8),) * 2)
        cache.finish_step()
        held.append((cache.seq_len, cache.tokens_held))
    assert held == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 5), (7, 5), (8, 5)]


def test_a_token_is_written_over_what_left_the_window():
    assert [ring_slot(LAYOUT, position) for position in range(9)] == [0, 1, 2, 3, 4, 2, 3, 4, 2]
    assert ring_positions(LAYOUT, 5, 5) == [0, 1, 2, 3, 4]
    assert ring_positions(LAYOUT, 7, 5) == [0, 1, 5, 6, 4]
    assert ring_positions(LAYOUT, 3, 5) == [0, 1, 2, EMPTY, EMPTY]
    assert ring_positions(LAYOUT, 1, 2) == [0, EMPTY]


def test_what_leaves_within_a_step_is_never_written():
    assert ring_slots(LAYOUT, 0, 9) == ([0, 1, 3, 4, 2], [0, 1, 6, 7, 8])
    assert ring_slots(LAYOUT, 9, 10) == ([3], [0])
    assert ring_slots(LAYOUT, 1, 3) == ([1, 2], [0, 1])


def test_every_slot_holds_what_the_arithmetic_says():
    cache = cache_of("sliding:3+2", SHAPE)
    end = 0
    for fed in (4, 1, 5, 1, 1, 2):
        values = torch.arange(end, end + fed, dtype=torch.float32)
        rows = values[None, None, :, None].expand(1, 2, fed, 8)
        cache.update(0, rows, rows)
        end += fed
        cache.finish_step()
        stored = cache._stores[0][0, 0, 0, :, 0].tolist()
        positions = ring_positions(LAYOUT, end, 5)
        assert [stored[i] for i, p in enumerate(positions) if p != EMPTY] == [
            float(p) for p in positions if p != EMPTY
        ]
