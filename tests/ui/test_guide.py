import pytest
from hand_made import hand_made_trace
from lesson_text import HEAD, STEPS, small_lesson
from still_worker import fail, play, ready

from kvviz.session.runs import RunState
from kvviz.session.selection import Counted, GridMode
from kvviz.ui.changes import Change
from kvviz.ui.lessons.guide import Guide


@pytest.fixture
def guide(store, worker):
    """A guide that moves at once, over a worker that runs nothing by itself."""
    ready(store, worker)
    guide = Guide(store, reduced_motion=lambda: True)
    yield guide
    guide.leave()


def finish_run(store, worker, *, new_tokens=8):
    """Let the run asked for last come to its end, as the worker would."""
    started = worker.started[-1]
    config = started.config
    trace = hand_made_trace(
        len(config.prompt_ids),
        new_tokens,
        shape=config.model.shape,
        layout=config.layout,
        max_seq_len=config.max_seq_len,
    )
    play(store, worker, started.run_id, trace)


def seen(store):
    selection = store.selection
    return (
        store.runs.shown_id,
        store.runs.reference_id,
        store.cursor,
        selection.layer,
        selection.head,
        selection.mode,
        selection.counted,
        selection.cell,
    )


def test_a_lesson_makes_its_run_and_waits_for_it(guide, store, worker):
    guide.open(small_lesson())
    assert len(worker.started) == 1
    assert worker.started[0].config.prompt_text == "abcdef"
    assert guide.stage().moment is None
    assert not guide.resting
    finish_run(store, worker)
    assert guide.resting
    assert guide.waits_for == ""
    assert store.cursor == -1
    assert guide.stage().moment is not None


def test_it_says_what_a_step_waits_for(guide, store, worker):
    guide.open(small_lesson())
    assert guide.waits_for == "The run is on its way."
    started = worker.started[-1]
    play(store, worker, started.run_id, hand_made_trace(6, 8), steps=3, end=False)
    assert guide.waits_for == "The run is on its way: 8 of 14 tokens."


def test_the_last_step_is_not_done_before_it_was_seen(qtbot, guide, store, worker):
    ended = []
    guide.ended.connect(lambda: ended.append(True))
    guide.open(small_lesson())
    for _ in range(20):
        guide.go_on()
    assert guide.player.at_end
    assert not ended
    finish_run(store, worker)
    guide.go_on()
    assert ended


def test_the_run_is_computed_ahead_while_the_cursor_stays(guide, store, worker):
    guide.open(small_lesson())
    finish_run(store, worker)
    assert store.playback.credit is None
    guide.leave()
    assert store.playback.credit == 0


def test_forward_and_back_show_the_same(guide, store, worker):
    guide.open(small_lesson())
    finish_run(store, worker)
    forward = [seen(store)]
    guide.go_on()
    forward.append(seen(store))
    guide.go_on()
    assert worker.started[-1].config.layout.kind == "none"  # the reference is made first
    finish_run(store, worker)
    forward.append(seen(store))
    guide.go_on()
    forward.append(seen(store))
    assert [state[2] for state in forward] == [-1, 0, 3, 7]
    assert forward[2][1] is not None
    assert forward[2][5:] == (GridMode.WEIGHTS, Counted.POSITIONS, (8, 0))
    assert forward[3][1] is None
    assert forward[3][6:] == (Counted.CELLS, None)
    back = [seen(store)]
    for _ in range(3):
        guide.go_back()
        back.append(seen(store))
    assert back == forward[::-1]
    assert len(worker.started) == 2  # each run is made once


def test_a_lesson_can_begin_at_a_step(guide, store, worker):
    guide.open(small_lesson(), 2)
    finish_run(store, worker)
    finish_run(store, worker)
    assert guide.resting
    assert store.cursor == 3
    assert store.shown.config.layout.keeps_entries


def test_restart_goes_to_the_first_step_with_nothing_answered(guide, store, worker):
    guide.open(small_lesson(), 2)
    finish_run(store, worker)
    finish_run(store, worker)
    guide.answer("2.00 KiB")
    guide.restart()
    assert guide.player.index == 0
    assert store.cursor == -1
    guide.go_on()
    guide.go_on()
    assert guide.player.answered is None


def test_answers_are_the_runs(guide, store, worker):
    guide.open(small_lesson(), 2)
    assert guide.choices() == []
    finish_run(store, worker)
    finish_run(store, worker)
    assert [(choice.text, choice.right) for choice in guide.choices()] == [
        ("1.00 KiB", False),
        ("2.00 KiB", True),
    ]


def test_leaving_keeps_the_run(guide, store, worker):
    guide.open(small_lesson(), 1)
    finish_run(store, worker)
    run = store.shown
    guide.leave()
    assert not guide.active
    assert store.shown is run
    assert store.controls.settings.prompt == "abcdef"


def test_leaving_lets_the_run_that_is_being_made_play_on(guide, store, worker):
    guide.open(small_lesson())
    started = worker.started[-1]
    play(store, worker, started.run_id, hand_made_trace(6, 8), steps=3, end=False)
    assert not store.playback.playing
    guide.leave()
    assert store.playback.playing
    assert store.playback.cursor == -1
    assert "Space pauses it" in store.notice.text
    assert not store.notice.is_error


def test_leaving_a_run_that_was_made_says_nothing(guide, store, worker):
    guide.open(small_lesson(), 1)
    finish_run(store, worker)
    guide.leave()
    assert not store.playback.playing
    assert store.notice is None


def test_the_end_is_told(qtbot, guide, store, worker):
    guide.open(small_lesson(), 3)
    finish_run(store, worker)
    with qtbot.waitSignal(guide.ended):
        guide.go_on()


def test_a_run_that_is_gone_is_made_again(guide, store, worker):
    guide.open(small_lesson())
    finish_run(store, worker)
    store.remove_run(store.runs.shown_id)
    guide.go_on()
    assert len(worker.started) == 2
    finish_run(store, worker)
    assert store.cursor == 0


def test_a_run_that_fails_is_not_tried_for_ever(guide, store, worker):
    guide.open(small_lesson())
    fail(store, worker, worker.started[-1].run_id, "The memory is full.")
    assert len(worker.started) == 1
    assert guide.stage().moment is None
    assert store.shown.state is RunState.FAILED
    guide.restart()
    assert len(worker.started) == 2


def test_a_run_stopped_while_its_prompt_is_counted_is_not_waited_for(
    guide, store, worker, monkeypatch
):
    with monkeypatch.context() as counting:
        counting.setattr(store.controls, "_encode", lambda _settings: None)
        guide.open(small_lesson())
        assert store.awaits_count
        assert "on its way" in guide.waits_for
        store.stop()
    assert not worker.started
    assert "on its way" not in guide.waits_for
    guide.restart()
    finish_run(store, worker)
    assert guide.stage().moment is not None


@pytest.mark.parametrize("made", [True, False], ids=["at-rest", "on-its-way"])
def test_a_file_that_is_opened_takes_over(guide, store, worker, made):
    taken = []
    guide.taken_over.connect(lambda: taken.append(store.shown))
    guide.open(small_lesson())
    if made:
        finish_run(store, worker)
    assert not taken
    store.adopt(hand_made_trace(5, 3))
    assert taken
    assert taken[0].config.prompt_text != "abcdef"


@pytest.mark.parametrize("act", ["undo", "run"])
def test_what_the_playground_is_asked_for_takes_over(guide, store, worker, act):
    taken = []
    guide.taken_over.connect(lambda: taken.append(True))
    guide.open(small_lesson())
    if act == "run":
        finish_run(store, worker)
    getattr(store, act)()
    assert taken


def test_what_was_there_before_a_lesson_does_not_take_over(guide, store, worker):
    store.adopt(hand_made_trace(5, 3))
    taken = []
    guide.taken_over.connect(lambda: taken.append(True))
    guide.open(small_lesson(), 2)
    finish_run(store, worker)
    finish_run(store, worker)
    guide.restart()
    for _ in range(3):
        guide.go_on()
    assert guide.resting
    assert not taken


def test_a_turn_of_a_chat_is_taken_before_the_run_counts(guide, store, worker):
    head = HEAD.replace("[runs.other]", '[[runs.main.turns]]\ntext = "gh"\n\n[runs.other]')
    guide.open(small_lesson(STEPS, head))
    finish_run(store, worker)
    assert guide.stage().moment is None
    assert worker.sent[-1].text_ids == (103, 104)


def test_a_turn_whose_text_is_still_being_counted_is_waited_for(guide, store, worker, monkeypatch):
    head = HEAD.replace("[runs.other]", '[[runs.main.turns]]\ntext = "gh"\n\n[runs.other]')
    guide.open(small_lesson(STEPS, head))
    monkeypatch.setattr(store, "further_ids", lambda _text: None)
    finish_run(store, worker)
    store.changed.emit(Change.RUNS)
    assert not guide.resting
    assert guide.stage().moment is None
    monkeypatch.undo()
    store._on_counted()
    assert worker.sent[-1].text_ids == (103, 104)
    assert not guide.resting


def test_a_step_moves_after_a_moment_to_read(qtbot, store, worker):
    ready(store, worker)
    guide = Guide(store)
    guide.open(small_lesson())
    finish_run(store, worker)
    visited = []
    store.changed.connect(lambda _changes: visited.append(store.cursor))
    guide.go_on()
    assert not guide.resting
    assert store.cursor == -1
    guide.go_on()  # who is ahead of the motion sees its end
    assert guide.player.index == 1
    assert guide.resting
    assert store.cursor == 0
    guide.go_on()
    finish_run(store, worker)
    qtbot.waitUntil(lambda: guide.resting)
    assert visited[-1] == store.cursor == 3
    guide.leave()
