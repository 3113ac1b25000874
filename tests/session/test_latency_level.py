import numpy as np
import pytest

from kvviz.session.latency_level import DecodeLevel, decode_level_ns


def test_the_level_ignores_single_slow_steps_and_follows_a_rise():
    steady = np.full(40, 600, np.int64)
    assert decode_level_ns(steady) == 600
    steady[[0, 9, 10, 30]] = 90_000
    assert decode_level_ns(steady) == 600
    steady[33:] = 1_200
    assert decode_level_ns(steady) == 1_200
    assert decode_level_ns(steady[:0]) == 0
    assert decode_level_ns(np.array([3, 1, 1], np.int64)) == 1


def test_the_level_only_grows_once_five_steps_are_known():
    rng = np.random.default_rng(3)
    latencies = rng.integers(500, 9_000, 200)
    levels = [decode_level_ns(latencies[:n]) for n in range(5, 200)]
    assert levels == sorted(levels)


@pytest.mark.parametrize("stride", [1, 3, 7, 50])
def test_a_level_followed_is_that_of_the_whole(stride):
    latencies = np.random.default_rng(5).integers(500, 9_000, 120)
    level = DecodeLevel()
    for known in range(0, 120, stride):
        level.follow(latencies[:known])
        assert level.ns == decode_level_ns(latencies[:known])
