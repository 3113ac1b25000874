import pytest
from hand_made import hand_made_trace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from still_worker import play

from kvviz.sizing.layout import LayoutKind
from kvviz.trace.messages import ContinueRun
from kvviz.ui.panels.continue_row import ContinueRow


@pytest.fixture
def row(qtbot, store, look):
    row = ContinueRow(store, look)
    qtbot.addWidget(row)
    store.changed.connect(row.refresh)
    return row


def run_to_the_end(store, worker, *, can_continue=True, new=24):
    store.change("max_new_tokens", new)
    store.run()
    shape = store.shown.config.model.shape
    trace = hand_made_trace(18, new, shape=shape, max_seq_len=64)
    play(store, worker, store.shown.run_id, trace, can_continue=can_continue)


def continued(worker):
    return [command for command in worker.sent if isinstance(command, ContinueRun)]


def test_before_any_run_it_is_off_with_the_reason(row, store):
    assert not row.button.isEnabled()
    assert not row.edit.isEnabled()
    assert store.continue_problem in row.button.toolTip()
    assert store.continue_problem in row.edit.toolTip()


def test_a_finished_run_goes_on_as_far_as_there_is_room(row, store, worker):
    run_to_the_end(store, worker)
    assert row.button.text() == "Continue +22"
    row.button.click()
    assert continued(worker)[0] == ContinueRun(store.shown.run_id, 22, ())


def test_with_room_enough_it_adds_what_the_controls_ask_for(row, store, worker):
    run_to_the_end(store, worker, new=8)
    assert row.new_tokens == 8


def test_text_is_a_second_prefill_and_leaves_less_room(qtbot, row, store, worker):
    run_to_the_end(store, worker)
    qtbot.keyClicks(row.edit, " and then")
    assert row.button.text() == "Continue +13"
    qtbot.keyClick(row.edit, Qt.Key.Key_Return)
    assert continued(worker)[0] == ContinueRun(store.shown.run_id, 13, tuple(b" and then"))
    assert row.edit.text() == ""


def test_the_keyboard_is_the_runs_once_text_is_taken(qtbot, row, store, worker):
    run_to_the_end(store, worker)
    QLineEdit(row)  # whatever comes next in the window
    row.show()
    row.edit.setFocus()
    qtbot.waitUntil(row.edit.hasFocus)
    qtbot.keyClicks(row.edit, " and")
    qtbot.keyClick(row.edit, Qt.Key.Key_Return)
    assert row.focusWidget() is None


def test_text_that_leaves_no_room_says_so_and_can_be_shortened(qtbot, row, store, worker):
    run_to_the_end(store, worker)
    row.edit.setText("x" * 22)
    assert not row.button.isEnabled()
    assert row.edit.isEnabled()
    assert "64 tokens" in row.button.toolTip()
    qtbot.keyClick(row.edit, Qt.Key.Key_Return)
    assert not continued(worker)
    assert store.notice.text == row.reason
    row.edit.setText("x" * 21)
    assert row.button.text() == "Continue +1"


def test_a_full_run_says_what_to_do(row, store, worker):
    run_to_the_end(store, worker, new=46)
    assert not row.button.isEnabled()
    assert "64 tokens" in row.reason


def test_a_released_cache_is_the_reason(row, store, worker):
    run_to_the_end(store, worker, can_continue=False)
    assert row.reason == store.continue_problem != ""


def test_a_run_without_a_cache_has_none_that_was_released(row, store, worker):
    store.change("layout", LayoutKind.NONE)
    run_to_the_end(store, worker, can_continue=False)
    assert "kept no cache" in row.reason


def test_a_live_run_is_the_reason(row, store, worker):
    store.run()
    assert row.reason == store.continue_problem != ""


def test_endless_text_is_cut_with_a_notice(row, store, worker):
    run_to_the_end(store, worker)
    row.edit.insert("x" * 100_000)
    assert "8,192" in store.notice.text
