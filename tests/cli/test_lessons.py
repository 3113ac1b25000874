import pytest

from kvviz.cli.lesson_runs import LessonRuns, usual_settings
from kvviz.cli.main import main
from kvviz.engine.tokenizer import build_tokenizer
from kvviz.lessons import course
from kvviz.lessons.check import check_lesson
from kvviz.lessons.course import all_lessons, find_lesson
from kvviz.session.settings import Settings
from kvviz.trace.step import Phase


@pytest.fixture(scope="module", params=["random", "usual"])
def runs(request):
    """Runs of the built-in model where it is there, and of random weights."""
    return LessonRuns(Settings() if request.param == "random" else usual_settings())


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.name)
def test_what_a_lesson_says_is_so(lesson, runs):
    """To the end and back on the engine: figures, claims, answers, cells."""
    assert check_lesson(lesson, runs.record(lesson)) == []


def test_a_turn_of_a_chat_does_not_begin_another_text():
    usual = usual_settings()
    chat = LessonRuns(usual).record(find_lesson("prefill-and-decode", all_lessons()))["chat"]
    start = build_tokenizer(usual.tokenizer, usual.tokenizer_path).encode("")
    assert [token.token_id for token in chat.tokens if token.token_id in start] == list(start)
    assert sum(step.phase is Phase.PREFILL for step in chat.steps) == 2


def test_the_list(capsys):
    assert main(["lessons"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(all_lessons())
    assert lines[0].startswith(" 1  one-token-at-a-time")
    assert "steps, 2 min" in lines[0]


def test_one_lesson_is_checked(capsys):
    assert main(["lessons", "one-token-at-a-time", "--check"]) == 0
    assert capsys.readouterr().out == " 1  One token at a time: 10 steps, well\n"


def test_a_lesson_that_is_not_so_fails(capsys, tmp_path, monkeypatch):
    path = course.lessons_dir() / "01-one-token-at-a-time.md"
    wrong = path.read_text(encoding="utf-8").replace("tokens_fed = 1", "tokens_fed = 2")
    (tmp_path / path.name).write_text(wrong, encoding="utf-8")
    monkeypatch.setattr(course, "lessons_dir", lambda: tmp_path)
    assert main(["lessons", "--check"]) == 2
    said = capsys.readouterr()
    assert "step 6, line" in said.out
    assert "'tokens_fed = 2' does not hold" in said.out
    assert said.err == "kvviz: 1 of what the lessons say is not so here.\n"


def test_a_lesson_that_is_not_there(capsys):
    assert main(["lessons", "flying"]) == 2
    assert "There is no lesson 'flying'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--lesson", "flying"], "There is no lesson 'flying'"),
        (
            ["--lesson", "3", "--screenshot", "out.png", "--at", "99"],
            "prefill-and-decode has steps 1 to 13, not 99.",
        ),
    ],
)
def test_a_window_is_not_opened_for_a_lesson_that_is_not_there(
    capsys, tmp_path, monkeypatch, arguments, said
):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
