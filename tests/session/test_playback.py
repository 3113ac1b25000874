import pytest

from kvviz.session.playback import FIRST, Playback


def test_a_new_run_may_compute_one_step_at_once():
    playback = Playback(pace=4.0)
    playback.begin()
    assert playback.cursor == FIRST
    assert playback.credit == 1


def test_the_pace_is_the_credit_of_a_live_run():
    playback = Playback(pace=4.0)
    playback.begin()
    playback.tick(0.01, length=1, live=True)
    assert playback.cursor == 0
    assert playback.credit == 1
    playback.tick(0.25, length=1, live=True)
    assert playback.credit == 2
    playback.tick(0.01, length=2, live=True)
    assert playback.cursor == 1


def test_a_slow_model_builds_up_no_debt():
    playback = Playback(pace=10.0)
    playback.begin()
    for _ in range(1000):
        playback.tick(0.03, length=3, live=True)
    assert playback.cursor == 2
    assert playback.credit == 4  # one more than is there, whatever time has passed


def test_a_frame_that_took_long_is_made_up_for_in_one_go():
    playback = Playback(pace=30.0)
    playback.begin()
    playback.tick(0.1, length=1, live=True)
    assert playback.credit == 4


def test_as_fast_as_it_goes_has_no_limit_and_follows_the_end():
    playback = Playback(pace=None)
    playback.begin()
    assert playback.credit is None
    playback.tick(0.001, length=500, live=True)
    assert playback.cursor == 499


def test_pause_stops_the_credit_where_the_cursor_is():
    playback = Playback(pace=None)
    playback.begin()
    playback.tick(0.03, length=7, live=True)
    playback.pause()
    assert playback.credit == 7
    assert not playback.tick(10.0, length=9, live=True)
    assert playback.cursor == 6


def test_stepping_forward_goes_through_what_is_recorded_then_asks_for_one_more():
    playback = Playback()
    playback.seek(1, length=3)
    playback.step(1, length=3, live=True)
    assert (playback.cursor, playback.credit) == (2, 3)
    playback.step(1, length=3, live=True)
    assert (playback.cursor, playback.credit) == (2, 4)
    playback.tick(0.03, length=4, live=True)
    assert playback.cursor == 3


def test_at_its_newest_step_a_run_that_plays_goes_on():
    playback = Playback(pace=None)
    playback.begin()
    playback.seek(4, length=5)
    assert playback.playing
    playback.tick(0.03, length=7, live=True)
    assert playback.cursor == 6
    playback.seek(3, length=7)
    assert not playback.playing


def test_stepping_stays_within_a_finished_run():
    playback = Playback()
    playback.seek(2, length=3)
    playback.step(5, length=3, live=False)
    assert playback.cursor == 2
    playback.step(-9, length=3, live=False)
    assert playback.cursor == FIRST


def test_replay_keeps_the_pace_and_ends_by_itself():
    playback = Playback(pace=2.0)
    playback.seek(FIRST, length=3)
    playback.play(length=3, live=False)
    seen = []
    for _ in range(30):
        playback.tick(0.1, length=3, live=False)
        seen.append(playback.cursor)
    assert sorted(set(seen)) == [0, 1, 2]
    assert 4 <= seen.count(0) <= 6
    assert not playback.playing


def test_play_at_the_end_of_a_finished_run_starts_over():
    playback = Playback()
    playback.seek(2, length=3)
    playback.play(length=3, live=False)
    assert playback.cursor == FIRST
    assert playback.playing


@pytest.mark.parametrize("pace", [1.0, 30.0, None])
def test_the_cursor_never_leaves_the_recorded_steps(pace):
    playback = Playback(pace)
    playback.begin()
    for length in (0, 0, 1, 1, 4, 4, 9):
        playback.tick(0.5, length, live=True)
        assert FIRST <= playback.cursor < max(length, 1)


def test_a_run_may_be_computed_ahead_of_the_cursor():
    playback = Playback()
    playback.begin()
    playback.seek(-1, 0)
    assert playback.credit == 0
    playback.ahead = True
    assert playback.credit is None
    assert not playback.tick(10.0, 5, live=True)
    assert playback.cursor == -1
