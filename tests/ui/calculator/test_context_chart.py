from itertools import pairwise
from math import log2

import pytest
from chart_stand import move_mouse, put_up
from PySide6.QtCore import QPoint

from kvviz.session.calculator.model import from_preset
from kvviz.sizing.element_types import parse_element_type
from kvviz.ui.calculator.context_chart import DASH, byte_power
from kvviz.ui.calculator.context_part import ContextPart
from kvviz.ui.calculator.log_steps import log_steps
from kvviz.ui.calculator.spread import spread


@pytest.fixture
def part(qtbot, dressed, desk):
    return put_up(qtbot, ContextPart(desk, dressed), 424, 440)


def test_each_line_crosses_where_the_card_is_full(part, desk):
    fits = desk.calculator.answer.capacity.max_tokens
    assert part.chart.crossings["The tutorial's example"] == fits
    # 8,030,261,248 weights of 2 bytes and a tenth of 24 GiB leave the rest, 128 KiB a token
    left = 24 * 2**30 - 2 * 8_030_261_248 - 24 * 2**30 // 10
    assert part.chart.crossings["Meta-Llama-3.1-8B"] == left // 2**17
    assert set(part.chart.crossings) == {"The tutorial's example", "Meta-Llama-3.1-8B"}


def test_a_pin_whose_weights_leave_nothing_or_are_not_known_says_so(part, desk):
    desk.calculator.pin(from_preset(desk.presets.find("Kimi-K3")))
    part.refresh()
    assert part.buttons["Kimi-K3"].text() == "Kimi-K3: weights not known"
    assert part.buttons["DeepSeek-V3"].text() == "DeepSeek-V3: weights too large"
    assert part.buttons["gpt-oss-20b"].text() == "gpt-oss-20b"
    assert part.buttons["Meta-Llama-3.1-8B"].text() == "Meta-Llama-3.1-8B"


def test_a_pin_meets_what_it_leaves_though_the_shown_model_leaves_nothing(part, desk):
    desk.choose(desk.presets.find("gpt-oss-120b"))
    assert not desk.calculator.budget
    left = 24 * 2**30 - 2 * 8_030_261_248 - 24 * 2**30 // 10
    at = part.chart.scale_of_plot.to_pixel(log2(left // 2**17), log2(left)).toPoint()
    shown = part.chart.grab().toImage()
    dash, beside = (at - QPoint(DASH + step, 0) for step in (-4, 6))
    assert shown.pixelColor(dash) != shown.pixelColor(beside)


def test_a_smaller_budget_moves_the_crossings(part, desk):
    before = dict(part.chart.crossings)
    desk.ask("allowance", 6 * 2**30)
    after = part.chart.crossings
    assert all(after[name] < before[name] for name in before)


def test_the_shown_point_lies_on_its_line(part, desk):
    scale = part.chart.scale_of_plot
    at = scale.to_pixel(log2(4096), log2(desk.calculator.answer.size.per_gpu_bytes))
    assert scale.rect.contains(at)


def test_a_press_on_a_pin_takes_it_out(qtbot, part, desk):
    part.buttons["DeepSeek-V3"].click()
    assert "DeepSeek-V3" not in part.buttons
    assert not desk.calculator.is_pinned("DeepSeek-V3")


def test_a_pin_that_cannot_be_asked_the_same_says_why(part, desk):
    desk.choose(desk.presets.find("DeepSeek-V3"))
    kind = parse_element_type("fp8_ds_mla")
    desk.take(desk.sheet.with_types(kind), "types")
    assert part.buttons["gpt-oss-20b"].text() == "gpt-oss-20b: no line"
    assert "fp8_ds_mla" in part.buttons["gpt-oss-20b"].toolTip()
    desk.undo()
    assert part.buttons["gpt-oss-20b"].text() == "gpt-oss-20b"


def test_pointing_reads_all_models(part):
    rect = part.chart.scale_of_plot.rect
    move_mouse(part.chart, rect.right(), rect.center().y())
    said = part.chart.toolTip()
    assert "131,072 tokens" in said
    assert "The tutorial's example: 64.0 GiB" in said
    assert "Meta-Llama-3.1-8B: 16.0 GiB" in said


def test_names_at_the_ends_do_not_lie_on_each_other():
    moved = spread([100.0, 101.0, 99.0, 300.0], 14, 0, 310)
    ordered = sorted(moved)
    assert all(below - above >= 14 for above, below in pairwise(ordered))
    assert sorted(range(4), key=moved.__getitem__) == [2, 0, 1, 3]


def test_names_stay_within_the_plot():
    moved = spread([300.0, 305.0, 309.0], 14, 0, 310)
    assert max(moved) <= 310
    assert spread([], 14, 0, 310) == []


def test_powers_are_written_with_their_unit():
    assert [byte_power(n) for n in (4, 12, 27, 33, 41)] == [
        "16 B",
        "4 KiB",
        "128 MiB",
        "8 GiB",
        "2 TiB",
    ]


def test_log_steps_have_eight_to_a_doubling():
    steps = log_steps(1024)
    assert steps[:10] == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    assert steps[-9:] == (512, 576, 640, 704, 768, 832, 896, 960, 1024)
    assert list(steps) == sorted(set(steps))
