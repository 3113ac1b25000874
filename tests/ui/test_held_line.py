"""What caches hold, and that it falls when they are given back."""

from hand_made import hand_made_trace
from still_worker import play

from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.trace.messages import ReleaseRun
from kvviz.ui.views.held_line import HeldLine

PROCESS = 612 * 2**20


def held_line(qtbot, store, look, monkeypatch):
    monkeypatch.setattr("kvviz.ui.views.held_line.resident_bytes", lambda: PROCESS)
    line = HeldLine(store, look)
    qtbot.addWidget(line)
    line.show()
    return line


def run_to_the_end(store, worker):
    store.run()
    run = store.shown
    config = run.config
    trace = hand_made_trace(
        len(config.prompt_ids),
        config.max_new_tokens,
        shape=config.model.shape,
        layout=config.layout,
        max_seq_len=config.max_seq_len,
    )
    play(store, worker, run.run_id, trace)
    return run


def test_it_is_what_the_last_run_reserved_until_that_is_released(
    qtbot, store, worker, look, monkeypatch
):
    line = held_line(qtbot, store, look, monkeypatch)
    assert line.text() == "0 B held · 612 MiB process"
    run = run_to_the_end(store, worker)
    assert line.bytes_held == run.trace.steps[-1].measured.reserved > 0
    store.remove_run(run.run_id)
    assert worker.sent[-1] == ReleaseRun(run.run_id)
    assert line.text() == "0 B held · 612 MiB process"


def test_a_new_run_gives_the_one_before_back(qtbot, store, worker, look, monkeypatch):
    line = held_line(qtbot, store, look, monkeypatch)
    first = run_to_the_end(store, worker)
    store.controls.change("layout", LayoutKind.CONCAT, settled=True)
    store.run()
    assert line.bytes_held == 0
    assert not first.can_continue


def test_a_trace_from_a_file_holds_nothing(qtbot, store, look, monkeypatch):
    line = held_line(qtbot, store, look, monkeypatch)
    store.adopt(hand_made_trace(layout=CacheLayout(LayoutKind.CONCAT)))
    assert line.bytes_held == 0


def test_it_says_that_the_process_may_lag(qtbot, store, look, monkeypatch):
    line = held_line(qtbot, store, look, monkeypatch)
    assert "lag" in line.toolTip()
    assert "Both measured" in line.toolTip()
    line.hide()
    assert not line._timer.isActive()
