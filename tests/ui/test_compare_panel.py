from dataclasses import replace

import pytest
from hand_made import hand_made_trace
from PySide6.QtCore import Qt
from still_worker import fail, play

from kvviz.session.runs import MOST_RUNS
from kvviz.sizing.layout import LayoutKind
from kvviz.ui.panels.compare_panel import ComparePanel


@pytest.fixture
def panel(qtbot, store, look, monkeypatch):
    monkeypatch.setattr(store.frames, "ask", lambda draw: draw())
    panel = ComparePanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(248, 400)
    return panel


def trace_of(run, **fields):
    config = run.config
    return hand_made_trace(
        len(config.prompt_ids),
        config.max_new_tokens,
        shape=config.model.shape,
        layout=config.layout,
        max_seq_len=config.max_seq_len,
        **fields,
    )


def run_to_the_end(store, worker):
    store.run()
    run = store.shown
    play(store, worker, run.run_id, trace_of(run))
    return run.run_id


def test_before_any_run_it_says_what_will_be_here(panel, store):
    assert not panel.empty.isHidden()
    assert "ten" in panel.empty.text() or "10" in panel.empty.text()
    assert not panel.prove.isEnabled()
    assert store.prove_problem in panel.prove.toolTip()


def test_a_new_run_is_listed_in_a_turn_of_its_own(qtbot, store, look):
    panel = ComparePanel(store, look)
    qtbot.addWidget(panel)
    qtbot.waitUntil(lambda: store.frames.idle)
    store.run()
    assert panel.listed == []
    qtbot.waitUntil(lambda: store.frames.idle)
    assert panel.listed == [store.shown.run_id]


def test_runs_are_listed_newest_first_and_the_shown_one_is_marked(panel, store, worker):
    first, second = run_to_the_end(store, worker), run_to_the_end(store, worker)
    assert panel.empty.isHidden()
    assert panel.listed == [second, first]
    assert panel.rows[second].shown
    assert not panel.rows[first].shown
    assert "shown" in panel.rows[second].accessibleName()


def test_a_row_that_is_pressed_is_shown(qtbot, panel, store, worker):
    first, second = run_to_the_end(store, worker), run_to_the_end(store, worker)
    qtbot.mouseClick(panel.rows[first], Qt.MouseButton.LeftButton)
    assert store.runs.shown_id == first
    assert panel.rows[first].shown
    assert not panel.rows[second].shown


def test_a_pin_is_the_reference_and_is_taken_out_again(panel, store, worker):
    run_id = run_to_the_end(store, worker)
    panel.rows[run_id].pin.click()
    assert store.runs.reference_id == run_id
    assert panel.rows[run_id].pinned
    panel.rows[run_id].pin.click()
    assert store.runs.reference_id is None
    assert not panel.rows[run_id].pinned


def test_a_row_can_be_removed(panel, store, worker):
    first, second = run_to_the_end(store, worker), run_to_the_end(store, worker)
    panel.rows[second].close_button.click()
    assert panel.listed == [first]
    assert store.runs.shown_id == first


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_P, Qt.Key.Key_Delete])
def test_rows_answer_to_keys(qtbot, panel, store, worker, key):
    first, second = run_to_the_end(store, worker), run_to_the_end(store, worker)
    qtbot.keyClick(panel.rows[first], key)
    after = (store.runs.shown_id, store.runs.reference_id, panel.listed)
    assert (
        after
        == {
            Qt.Key.Key_Return: (first, None, [second, first]),
            Qt.Key.Key_P: (second, first, [second, first]),
            Qt.Key.Key_Delete: (second, None, [second]),
        }[key]
    )


def test_the_last_ten_stay(panel, store, worker):
    ids = [run_to_the_end(store, worker) for _ in range(MOST_RUNS + 2)]
    assert panel.listed == ids[:1:-1]


def test_a_row_says_what_its_run_measured_once_it_has_ended(panel, store, worker):
    store.run()
    run_id = store.shown.run_id
    assert panel.rows[run_id].detail == "loading the model"
    play(store, worker, run_id, trace_of(store.shown), steps=3, end=False)
    assert panel.rows[run_id].detail == "running: 20 of 41 tokens"
    store.stop()
    store.run()
    run_id = store.shown.run_id
    play(store, worker, run_id, trace_of(store.shown))
    assert panel.rows[run_id].detail.startswith("ITL 0.6")
    assert "KiB" in panel.rows[run_id].detail


def test_a_failed_run_says_why(panel, store, worker):
    store.run()
    run_id = store.shown.run_id
    fail(store, worker, run_id, "Out of memory at step 3.")
    assert panel.rows[run_id].detail == "failed: Out of memory at step 3."
    assert "Out of memory at step 3." in panel.rows[run_id].toolTip()


def test_prove_runs_the_prompt_without_a_cache_and_says_so(panel, store, worker):
    run_to_the_end(store, worker)
    panel.prove.click()
    reference = store.runs.reference
    assert worker.started[-1].config.layout.kind is LayoutKind.NONE
    assert panel.verdict.isHidden()
    assert f"Run {reference.run_id}" in panel.gap.text()
    play(store, worker, reference.run_id, trace_of(reference))
    assert panel.verdict.text() == "✓ same tokens"
    assert panel.verdict.tone == "good"
    assert "logit gap 0" in panel.gap.text()
    assert "same prompt" in panel.verdict.toolTip()


def test_a_difference_is_said_in_the_colour_of_errors(panel, store, worker):
    run_to_the_end(store, worker)
    store.prove()
    reference = store.runs.reference
    other = trace_of(reference)
    other.steps[6] = replace(other.steps[6], token_id=other.steps[6].token_id + 1)
    play(store, worker, reference.run_id, other)
    assert panel.verdict.text() == "✗ differs at token 7"
    assert panel.verdict.tone == "error"


def test_the_verdict_goes_with_the_runs_it_is_about(panel, store, worker):
    first = run_to_the_end(store, worker)
    store.prove()
    play(store, worker, store.runs.reference_id, trace_of(store.runs.reference))
    store.set_reference(None)
    assert panel.verdict.isHidden()
    assert panel.gap.isHidden()
    assert store.runs.shown_id == first


def test_pin_and_remove_are_there_for_the_shown_and_the_pinned_run(panel, store, worker):
    first, second = run_to_the_end(store, worker), run_to_the_end(store, worker)
    store.set_reference(first)
    rows = panel.rows
    assert not rows[second].pin.isHidden()
    assert not rows[second].close_button.isHidden()
    assert not rows[first].pin.isHidden()
    assert rows[first].close_button.isHidden()


def test_removing_another_run_leaves_the_shown_one_playing(store):
    store.run()
    first = store.shown.run_id
    store.run()
    store.select(cell=(0, 0))
    store.remove_run(first)
    assert store.playback.playing
    assert store.selection.cell == (0, 0)
