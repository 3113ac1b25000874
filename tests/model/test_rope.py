import math

import pytest
import torch

from kvviz.model.rope import Rope, rotate


def turned(x, position):
    """One vector [D] at a position."""
    angles = Rope(len(x)).at(position, position + 1, x)
    return rotate(x.view(1, 1, 1, -1), angles).flatten()


def test_pairs_of_the_two_halves_turn_by_llamas_angles():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dtype=torch.float64)
    y = turned(x, 11).tolist()
    for pair in range(3):
        angle = 11 * 10_000.0 ** (-2 * pair / 6)
        first, second = x[pair].item(), x[pair + 3].item()
        cos, sin = math.cos(angle), math.sin(angle)
        assert y[pair] == pytest.approx(first * cos - second * sin, abs=1e-12)
        assert y[pair + 3] == pytest.approx(second * cos + first * sin, abs=1e-12)


def test_position_0_changes_nothing():
    x = torch.arange(8, dtype=torch.float64)
    assert torch.equal(turned(x, 0), x)


def test_scores_depend_on_the_distance_alone():
    q, k = torch.randn(2, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    near, far = (turned(q, start + 4) @ turned(k, start) for start in (3, 900))
    assert near.item() == pytest.approx(far.item(), abs=1e-10)


def test_angles_grow_and_follow_the_dtype():
    rope, like = Rope(8), torch.empty(0, dtype=torch.float64)
    first = rope.at(0, 3, like)
    longer = rope.at(0, 50, like)
    assert all(torch.equal(short, long[:3]) for short, long in zip(first, longer, strict=True))
    assert rope.at(0, 3, torch.empty(0, dtype=torch.bfloat16))[0].dtype == torch.bfloat16
