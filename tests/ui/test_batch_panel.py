from dataclasses import replace

import pytest
from engine_runs import config_of, run
from PySide6.QtCore import QPointF, Qt

from kvviz.trace.trace import Trace
from kvviz.ui.views.batch_bars import LEAST_ROW, row_sentence
from kvviz.ui.views.batch_panel import BatchPanel

MORE = ((1, 2, 3), (4, 5, 6, 7, 8, 9, 10, 11, 12))


def batch_trace(text="preallocated", more=MORE, **fields):
    config = config_of(text, prompt_ids=(1,), more_prompts=more, batch=1 + len(more), **fields)
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    return trace


@pytest.fixture
def panel(qtbot, store, look):
    panel = BatchPanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(720, 80)
    return panel


def test_it_is_there_only_for_prompts_of_their_own(panel, store, trace):
    assert panel.isHidden()
    store.adopt(batch_trace())
    assert not panel.isHidden()
    assert panel.shown.accessibleName() == "row 1 of 3 is recorded and shown; click another"
    panel.shown.resize(70, panel.shown.height())
    assert panel.shown.text == "row 1 of 3"
    assert not panel.shown.is_elided


def test_padding_is_told_as_waste(panel, store):
    store.adopt(batch_trace())
    assert panel.waste.accessibleName().startswith("14 places of padding, ")
    assert panel.waste.accessibleName().endswith(" for nothing")
    store.adopt(batch_trace("paged:4"))
    assert panel.waste.accessibleName().startswith("no padding, ")
    store.adopt(batch_trace("none"))
    assert panel.waste.accessibleName() == "14 places of padding"
    store.adopt(batch_trace(more=((2,),)))
    assert panel.waste.accessibleName() == "all alike: no padding"


def test_bars_are_padding_prompt_and_answer(panel, store):
    store.adopt(batch_trace())
    store.seek(len(store.trace) - 1)
    first, _, last = panel.bars.rows
    assert [name for name, _, _ in panel.bars.spans(first)] == ["padding", "prefill", "decode"]
    assert [name for name, _, _ in panel.bars.spans(last)] == ["prefill", "decode"]
    assert panel.bars.spans(first)[-1][2] == panel.bars.spans(last)[-1][2] <= 1
    assert "8 places of padding" in row_sentence(first)
    assert not panel.grab().isNull()


def test_a_click_on_another_row_runs_the_batch_with_it(qtbot, panel, store, worker):
    store.adopt(batch_trace())
    panel.show()
    bars = panel.bars

    def click(index):
        place = QPointF(200, (index + 0.5) * bars.sizeHint().height() / 3).toPoint()
        qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=place)

    click(0)
    assert store.controls.settings.row == 0
    click(2)
    assert store.controls.settings.row == 2
    qtbot.waitUntil(lambda: bool(worker.started))
    assert worker.started[0].config.prompt_ids == MORE[1]


def test_many_rows_are_low_and_still_apart(panel, store):
    store.adopt(batch_trace(more=((1,),) * 15))
    assert panel.bars.sizeHint().height() == 16 * LEAST_ROW
    assert panel.bars.row_at(QPointF(5, 16 * LEAST_ROW - 1)).place == 15
    assert not panel.grab().isNull()


@pytest.mark.parametrize("text", ["preallocated", "concat", "paged:4", "paged:16", "sliding:4"])
@pytest.mark.parametrize("more_new", [0, 5])
def test_no_bar_is_longer_than_its_place(panel, store, text, more_new):
    more = batch_trace(text, max_new_tokens=6 + more_new)
    trace = Trace(replace(more.config, max_new_tokens=6))  # as if continued afterwards
    for item in run(more.config):
        trace.append(*item)
    store.adopt(trace)
    store.seek(len(trace) - 1)
    ends = [panel.bars.spans(row)[-1][2] for row in panel.bars.rows]
    assert max(ends) <= 1
    assert max(ends) > 0.7
