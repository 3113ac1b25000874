"""The lessons that are shipped."""

from pathlib import Path

from kvviz.assets import assets_dir
from kvviz.lessons.lesson import Lesson
from kvviz.lessons.reader import read_lesson
from kvviz.sizing.errors import InputError


def lessons_dir() -> Path:
    """Return the folder of the shipped lessons."""
    return assets_dir() / "lessons"


def all_lessons(folder: Path | None = None) -> list[Lesson]:
    """Return the lessons of a folder by their numbers; raise InputError where one is wrong."""
    found = [read_lesson(path) for path in (folder or lessons_dir()).glob("*.md")]
    return sorted(found, key=lambda lesson: lesson.number)


def find_lesson(name: str, lessons: list[Lesson]) -> Lesson:
    """Return the lesson called ``name``, or of that number; raise InputError without one."""
    for lesson in lessons:
        if name.strip().lower() in (lesson.name, str(lesson.number), f"{lesson.number:02}"):
            return lesson
    known = ", ".join(lesson.name for lesson in lessons)
    raise InputError(f"There is no lesson {name!r}: choose a number or one of {known}.")
