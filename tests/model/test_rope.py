import math

import pytest
import torch

from kvviz.model.architecture import Rotation, Scaling
from kvviz.model.rope import Rope


def turned(x, position, rows=1):
    """One vector [D] at a position, alone or as the last of several rows."""
    turn = Rope(len(x)).at(position + 1 - rows, position + 1, x)
    return turn(x.expand(1, 1, rows, len(x)))[0, 0, -1]


@pytest.mark.parametrize("rows", [1, 4])
def test_pairs_of_the_two_halves_turn_by_llamas_angles(rows):
    x = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dtype=torch.float64)
    y = turned(x, 11, rows).tolist()
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


def test_the_table_grows_and_follows_the_dtype():
    rope = Rope(8)
    x = torch.ones(1, 1, 1, 8, dtype=torch.float64)
    first = rope.at(2, 3, x)(x)
    assert rope.at(49, 50, x)(x).isfinite().all()
    assert torch.equal(rope.at(2, 3, x)(x), first)
    narrow = x.bfloat16()
    assert rope.at(2, 3, narrow)(narrow).dtype == torch.bfloat16
    assert torch.equal(rope.at(2, 3, x)(x), first)


@pytest.mark.parametrize(
    "rotation", [Rotation(), Rotation(scaling=Scaling.DYNAMIC, factor=2.0, original=8)]
)
def test_positions_come_in_any_order(rotation):
    x = torch.ones(1, 1, 1, 8, dtype=torch.float64)
    rope = Rope(8, rotation)
    for position in (0, 1, 40, 15, 16, 17, 3, 40, 400, 2, 16):
        found, wanted = (
            used.at(position, position + 1, x)(x) for used in (rope, Rope(8, rotation))
        )
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-15)
