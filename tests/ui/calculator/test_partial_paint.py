"""What a move leaves on screen, where only what changed is painted, is what a whole paint draws."""

import pytest

from kvviz.ui.calculator.page import CalculatorPage

MOVES = (("tokens", 900), ("tokens", 20_000), ("sequences", 3), ("tokens", 8000), ("tokens", 77))


@pytest.mark.parametrize("model", ["Qwen3.6-27B", "gpt-oss-20b"])
def test_a_move_paints_all_that_it_changed(qtbot, qapp, dressed, desk, model):
    page = CalculatorPage(desk, dressed)
    qtbot.addWidget(page)
    page.resize(1440, 1400)
    with qtbot.waitExposed(page):
        page.show()
    desk.choose(desk.presets.find(model))
    for control, value in MOVES:
        qapp.processEvents()
        desk.ask(control, value, settled=False)
        for _ in range(9):  # a column of another height is laid out in turns
            qapp.processEvents()
        moved = page.screen().grabWindow(page.winId()).toImage()
        assert not moved.isNull()
        page.repaint()
        assert page.screen().grabWindow(page.winId()).toImage() == moved, (control, value)
