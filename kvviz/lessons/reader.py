"""From a lesson's file to the lesson; whatever it names must exist."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kvviz.lessons.blocks import Block, read_blocks, refuse
from kvviz.lessons.claim import Claim, parse_claim
from kvviz.lessons.heads import NO_REFERENCE, LessonHead, StepHead
from kvviz.lessons.lesson import Lesson, LessonStep, Question, Scenery
from kvviz.lessons.template import BRACES, parse_reference
from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError

FILE_NAME = re.compile(r"([0-9]{2})-([a-z0-9-]+)\.md")
Head = TypeVar("Head", bound=BaseModel)
Parsed = TypeVar("Parsed")


def read_lesson(path: Path) -> Lesson:
    """Read one file; raise InputError that names file and line where something is wrong."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InputError(f"{path.name} could not be read: {error}.") from error
    return parse_lesson(path.name, content)


def parse_lesson(file_name: str, content: str) -> Lesson:
    """Return the lesson that is written; see ``read_lesson``."""
    named = FILE_NAME.fullmatch(file_name)
    if named is None:
        raise InputError(f"{file_name} is no lesson's name: call it 03-prefill-and-decode.md.")
    first, *rest = read_blocks(file_name, content)
    head = _validated(file_name, first, LessonHead)
    if not rest:
        refuse(file_name, first.head_line, "a lesson needs at least one step below its head")
    _check_text(file_name, first)
    _check_runs(file_name, first, head)
    return Lesson(
        name=named[2],
        number=int(named[1]),
        title=head.title,
        minutes=head.minutes,
        summary=first.text,
        steps=_steps(file_name, rest, head),
        runs=head.runs,
    )


def _steps(name: str, blocks: list[Block], lesson: LessonHead) -> tuple[LessonStep, ...]:
    scenery = Scenery(run=next(iter(lesson.runs)))
    steps = []
    for block in blocks:
        head = _validated(name, block, StepHead)
        scenery = _scenery(name, block, head, scenery, lesson)
        _check_text(name, block)
        steps.append(
            LessonStep(
                text=block.text,
                scenery=scenery,
                question=_question(name, block, head),
                claims=_claims(name, block, head),
                line=block.text_line,
            )
        )
    return tuple(steps)


def _scenery(
    name: str, block: Block, head: StepHead, before: Scenery, lesson: LessonHead
) -> Scenery:
    changes: dict[str, Any] = {"points": head.point, "releases": head.releases}
    for key in ("run", "reference"):
        asked = getattr(head, key)
        if asked is not None:
            changes[key] = None if (key, asked) == ("reference", NO_REFERENCE) else asked
            if changes[key] is not None and asked not in lesson.runs:
                known = ", ".join(lesson.runs)
                refuse(name, block.line_of(key), f"there is no run {asked!r} here, but {known}")
    if head.at is not None:
        changes["place"], changes["number"] = head.at
    shown = {"layer": head.layer, "head": head.head, "mode": head.view, "counted": head.counted}
    changes |= {key: asked for key, asked in shown.items() if asked is not None}
    if head.cell is not None:
        changes["cell"] = None if head.cell == "none" else head.cell
    return replace(before, **changes)


def _question(name: str, block: Block, head: StepHead) -> Question | None:
    asked = head.question
    if asked is None:
        return None
    for key in ("ask", "answer", "why"):
        _check_figures(name, block.line_of(key), getattr(asked, key))
    for option in asked.options:
        _check_figures(name, block.line_of("options"), option)
    return Question(asked.ask, asked.options, asked.answer, asked.why)


def _claims(name: str, block: Block, head: StepHead) -> tuple[Claim, ...]:
    line = block.line_of("holds")
    return tuple(_or_refuse(name, line, parse_claim, text) for text in head.holds)


def _check_text(name: str, block: Block) -> None:
    if not block.text:
        refuse(name, block.text_line - 1, "there is no text below this head")
    for match in BRACES.finditer(block.text):
        _check_figures(name, block.line_of_text(match[0]), match[0])


def _check_figures(name: str, line: int, text: str) -> None:
    for inside in BRACES.findall(text):
        _or_refuse(name, line, parse_reference, inside)


def _check_runs(name: str, block: Block, head: LessonHead) -> None:
    above: list[str] = []
    for run, wish in head.runs.items():
        if wish.behind is not None and wish.behind not in above:
            refuse(name, block.line_of("behind"), f"there is no run {wish.behind!r} above {run!r}")
        above.append(run)
        try:
            settings = wish.settings(Settings())
            most = settings.max_seq_len // 2
            settings.to_config(*((0,) * min(len(text), most) for text in settings.prompts))
        except InputError as error:
            refuse(name, block.line_of(run), str(error))


def _validated(name: str, block: Block, kind: type[Head]) -> Head:
    try:
        return kind.model_validate(block.head)
    except ValidationError as error:
        first = error.errors()[0]
        keys = [str(part) for part in first["loc"] if isinstance(part, str)]
        known = [key for key in keys if block.line_of(key) != block.head_line]
        line = block.line_of((known or keys or [""])[-1])
        said = first["msg"].removeprefix("Value error, ")
        refuse(name, line, f"{keys[-1] if keys else 'the head'}: {said}")


def _or_refuse(name: str, line: int, parse: Callable[[str], Parsed], text: str) -> Parsed:
    try:
        return parse(text)
    except ValueError as error:
        refuse(name, line, str(error))
