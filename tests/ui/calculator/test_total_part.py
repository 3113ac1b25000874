import pytest
from chart_stand import put_up

from kvviz.ui.calculator.total_part import TotalPart


@pytest.fixture
def part(qtbot, dressed, desk):
    return put_up(qtbot, TotalPart(desk, dressed), 580, 200)


def legend(part):
    part.grab()
    return part.bar.legend


def test_a_part_too_narrow_for_its_name_is_named_under_the_bar(part, desk):
    assert legend(part) == "KV cache 2.00 GiB, allowance 2.40 GiB, free 7.05 GiB"
    desk.ask("tokens", 16_384)
    assert legend(part) == "allowance 2.40 GiB, free 1.05 GiB"


def test_unknown_weights_are_said_under_the_bar(part, desk):
    desk.choose(desk.presets.find("Kimi-K3"))
    assert legend(part).endswith("weights not known")
