import pytest
from lesson_text import FILE, HEAD, STEPS, small_lesson

from kvviz.lessons.reader import parse_lesson, read_lesson
from kvviz.session.regions import Place, Region
from kvviz.session.selection import Aggregate, GridMode
from kvviz.sizing.errors import InputError


def test_what_is_written_is_read():
    lesson = small_lesson()
    assert (lesson.name, lesson.number, lesson.title) == ("a-small-one", 3, "A small one")
    assert (lesson.minutes, lesson.summary) == (2, "What it is about.")
    assert list(lesson.runs) == ["main", "other"]
    assert [step.scenery.place for step in lesson.steps] == [
        Place.START,
        Place.PREFILL,
        Place.DECODE,
        Place.END,
    ]
    assert lesson.steps[2].text == "One row of {score_cells} cells."
    assert lesson.steps[2].question.answer == "{next_bytes_added}"
    assert lesson.steps[2].scenery.points == (Region.GRID_NEWEST, Region.GRID_CELL)


def test_what_a_step_leaves_out_stays_but_for_what_it_points_at():
    first, second, third, last = (step.scenery for step in small_lesson().steps)
    assert first.run == second.run == last.run == "main"
    assert first.points == (Region.TOKENS,)
    assert second.points == ()
    assert (second.mode, third.mode) == (GridMode.WEIGHTS, GridMode.WEIGHTS)
    assert (second.head, third.head) == (Aggregate.MEAN, 1)
    assert (second.reference, third.reference, last.reference) == (None, "other", None)
    assert (third.cell, last.cell) == ((-1, 0), None)
    assert last.layer == -1


def test_a_step_needs_its_reference_before_its_run():
    lesson = small_lesson()
    assert lesson.needed(0) == ("main",)
    assert lesson.needed(2) == ("other", "main")


# What is wrong: text to replace, what by, the line named, a word of the reason.
WRONG = [
    ("{prompt_tokens}", "{no_such_figure}", "{no_such", "no figure 'no_such_figure'"),
    ("{tokens_fed} went", "{tokens fed} went", "{tokens fed", "is no figure"),
    ('"grid.newest"', '"grid.oldest"', "grid.oldest", "point"),
    ('point = "tokens"', 'point = "token"', 'point = "token"', "point"),
    ('view = "weights"', 'view = "colours"', "colours", "view"),
    ('at = "decode 3"', 'at = "decode three"', "decode three", "no place in a run"),
    ('at = "end"', 'run = "third"\nat = "end"', "third", "no run 'third' here, but main, other"),
    ('reference = "other"', 'reference = "they"', "they", "no run 'they'"),
    ("max_new_tokens = 8", "max_new_token = 8", "max_new_token =", "max_new_token"),
    ('layout = "none"', 'layout = "heap"', "heap", "layout"),
    ("minutes = 2", "minutes = 0", "minutes", "minutes"),
    ("minutes = 2", "minutes = ", "minutes", "Invalid value"),
    ('"tokens_fed = 1"', '"tokens_fed"', "holds", "is no claim"),
    ('"tokens_fed = 1"', '"tokens_fed = one"', "holds", "no figure 'one'"),
    ('options = ["{next_bytes_added / 2}", ', "options = [", "options", "options"),
    ('ask = "How many bytes', 'ask = "{nothing} bytes', "{nothing}", "no figure 'nothing'"),
    ("{next_bytes_added / 2}", "{next_bytes_added / 0}", "/ 0}", "divided by 0"),
    ("max_seq_len = 64", "max_seq_len = 4", "runs.main", "over the sequence limit"),
    ('view = "weights"', 'views = "weights"', "views", "views"),
]


@pytest.mark.parametrize(("old", "new", "where", "reason"), WRONG)
def test_what_does_not_exist_is_refused_with_file_and_line(old, new, where, reason):
    content = (HEAD + STEPS).replace(old, new, 1)
    line = next(i for i, text in enumerate(content.splitlines(), 1) if where in text)
    with pytest.raises(InputError) as refused:
        parse_lesson(FILE, content)
    assert str(refused.value).startswith(f"{FILE}, line {line}: "), refused.value
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("", 1, "begins with a line of"),
        ("Hello\n" + HEAD + STEPS, 1, "begins with a line of"),
        (HEAD, 2, "at least one step"),
        (HEAD + "\n+++\nat = 'end'\n", 19, "not closed"),
        (HEAD + "\n+++\nat = 'end'\n+++\n", 21, "no text below"),
    ],
)
def test_a_file_of_another_form_is_refused(content, line, reason):
    with pytest.raises(InputError, match=rf"{FILE}, line {line}: .*{reason}"):
        parse_lesson(FILE, content)


def test_a_file_of_another_name_is_refused(tmp_path):
    path = tmp_path / "prefill.md"
    path.write_text(HEAD + STEPS, encoding="utf-8")
    with pytest.raises(InputError, match=r"prefill\.md is no lesson's name"):
        read_lesson(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="could not be read"):
        read_lesson(tmp_path / FILE)


def test_a_run_comes_behind_one_that_is_written_above():
    content = (HEAD + STEPS).replace("[runs.other]", '[runs.other]\nbehind = "main"')
    assert parse_lesson(FILE, content).needed(2) == ("main", "other")
    with pytest.raises(InputError, match="line 6: there is no run 'other' above 'main'"):
        parse_lesson(
            FILE,
            content.replace('behind = "main"', "").replace(
                "[runs.main]", '[runs.main]\nbehind = "other"'
            ),
        )
