from lesson_text import small_lesson, small_traces

from kvviz.lessons.player import Choice, Player, choices


def test_it_goes_on_to_the_end_and_back():
    player = Player(small_lesson())
    assert not player.go_back()
    assert [player.go_on() for _ in range(4)] == [True, True, True, False]
    assert player.at_end
    assert player.index == 3
    assert player.go_back()
    assert player.index == 2


def test_back_is_really_back():
    player, traces = Player(small_lesson()), small_traces()
    player.go_on()
    before = player.stage(traces)
    player.go_on()
    assert player.stage(traces) != before
    player.go_back()
    assert player.stage(traces) == before


def test_answers_stay_until_a_restart():
    player = Player(small_lesson(), 2)
    player.answer("1 KiB")
    player.go_on()
    assert player.answered is None
    player.go_back()
    assert player.answered == "1 KiB"
    player.restart()
    player.go_on()
    player.go_on()
    assert player.answered is None


def test_a_step_without_a_question_takes_no_answer():
    player = Player(small_lesson())
    player.answer("yes")
    assert player.answered is None


def test_a_place_remembered_from_a_longer_lesson_is_the_last():
    assert Player(small_lesson(), 99).index == 3


def test_the_run_says_which_answer_is_right():
    player, traces = Player(small_lesson(), 2), small_traces()
    found = choices(player.step.question, player.stage(traces).moment)
    assert found == [Choice("1.00 KiB", False), Choice("2.00 KiB", True)]
