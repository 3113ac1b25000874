"""``kvviz lessons``: the list, and the proof that what they say is so."""

from argparse import Namespace
from pathlib import Path

from kvviz.lessons.course import all_lessons, find_lesson
from kvviz.lessons.lesson import Lesson
from kvviz.sizing.errors import InputError
from kvviz.sizing.units import count_text


def lessons(options: Namespace) -> int:
    """List the lessons, or play each to its end; return the exit code."""
    found = all_lessons()
    if options.name is not None:
        found = [find_lesson(options.name, found)]
    if options.check:
        return _check(found)
    if options.pictures is not None:
        from kvviz.cli.lesson_pictures import picture_every_step

        count = picture_every_step(found, Path(options.pictures), options)
        print(f"{count_text(count, 'picture')} in {options.pictures}")
        return 0
    width = max(len(lesson.name) for lesson in found)
    for lesson in found:
        steps = f"{count_text(len(lesson.steps), 'step')}, {lesson.minutes} min"
        print(f"{lesson.number:>2}  {lesson.name:<{width}}  {steps}  {lesson.summary}")
    return 0


def _check(found: list[Lesson]) -> int:
    from kvviz.cli.lesson_runs import LessonRuns  # torch takes seconds to import
    from kvviz.lessons.check import check_lesson

    runs = LessonRuns()
    problems = []
    for lesson in found:
        said = check_lesson(lesson, runs.record(lesson))
        problems += said
        steps = count_text(len(lesson.steps), "step")
        verdict = "well" if not said else f"{len(said)} wrong"
        print(f"{lesson.number:>2}  {lesson.title}: {steps}, {verdict}")
    for problem in problems:
        print(problem)
    if problems:
        raise InputError(f"{len(problems)} of what the lessons say is not so here.")
    return 0
