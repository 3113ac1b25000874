"""Where a person is in a lesson, and what they answered."""

from collections.abc import Mapping
from dataclasses import dataclass

from kvviz.lessons.lesson import Lesson, LessonStep, Question
from kvviz.lessons.stage import Stage, stage_of
from kvviz.lessons.template import fill
from kvviz.session.moment import Moment
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer as it is written, and whether the run says the same."""

    text: str
    right: bool


class Player:
    """Goes forward and back; a step looks the same however one came to it."""

    def __init__(self, lesson: Lesson, index: int = 0) -> None:
        self.lesson = lesson
        self.index = max(0, min(index, len(lesson.steps) - 1))
        self._answers: dict[int, str] = {}

    @property
    def step(self) -> LessonStep:
        """The step shown."""
        return self.lesson.steps[self.index]

    @property
    def at_end(self) -> bool:
        """Whether the last step is shown."""
        return self.index == len(self.lesson.steps) - 1

    def go_on(self) -> bool:
        """Show the next step; False at the end."""
        return self._go(self.index + 1)

    def go_back(self) -> bool:
        """Show the step before; False at the first."""
        return self._go(self.index - 1)

    def restart(self) -> None:
        """Show the first step, with nothing answered."""
        self._answers.clear()
        self.index = 0

    def stage(self, traces: Mapping[str, Trace]) -> Stage:
        """Return what the step shows."""
        return stage_of(self.lesson, self.index, traces)

    def answer(self, text: str) -> None:
        """Take an answer to the question of the step shown; the last one counts."""
        if self.step.question is not None:
            self._answers[self.index] = text

    @property
    def answered(self) -> str | None:
        """The answer given to the question shown; None where there is none yet."""
        return self._answers.get(self.index)

    def _go(self, index: int) -> bool:
        if not 0 <= index < len(self.lesson.steps):
            return False
        self.index = index
        return True


def choices(question: Question, moment: Moment) -> list[Choice]:
    """Return a question's answers as written at a moment; two that read alike are one."""
    right = fill(question.answer, moment)
    texts = dict.fromkeys(fill(option, moment) for option in question.options)
    return [Choice(text, text == right) for text in texts]
