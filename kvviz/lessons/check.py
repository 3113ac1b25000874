"""A lesson played to its end and back without a window; what it says must be so."""

from collections.abc import Mapping

from kvviz.lessons.lesson import Lesson, LessonStep
from kvviz.lessons.player import Player, choices
from kvviz.lessons.stage import Stage
from kvviz.lessons.template import missing
from kvviz.session.moment import Moment
from kvviz.session.regions import INSPECTOR_PARTS, Region
from kvviz.trace.trace import Trace

CELL_REGIONS = (Region.GRID_CELL, Region.GRID_COLUMN, Region.INSPECTOR, *INSPECTOR_PARTS)


def check_lesson(lesson: Lesson, traces: Mapping[str, Trace]) -> list[str]:
    """Return what is not so, each with its step and line; nothing where all of it is.

    ``traces`` are the lesson's runs by their names, each run to its end.
    """
    player = Player(lesson)
    forwards = [player.stage(traces)]
    while player.go_on():
        forwards.append(player.stage(traces))
    backwards = [player.stage(traces)]
    while player.go_back():
        backwards.append(player.stage(traces))
    found = [
        f"{lesson.name}, step {number}, line {step.line}: {problem}"
        for number, (step, stage) in enumerate(zip(lesson.steps, forwards, strict=True), 1)
        for problem in step_problems(step, stage)
    ]
    if [stage.cursor for stage in forwards] != [stage.cursor for stage in reversed(backwards)]:
        found.append(f"{lesson.name}: going back shows something else than going forward")
    return found


def step_problems(step: LessonStep, stage: Stage) -> list[str]:
    """Return what of a step is not so on its stage."""
    moment, scenery = stage.moment, step.scenery
    if moment is None:
        return [f"the run {scenery.run!r} does not come to {scenery.place} {scenery.number}"]
    absent = [f"{{{name}}} has no value here" for name in missing(step.text, moment)]
    broken = [problem for claim in step.claims if (problem := claim.problem(moment))]
    unplaced = []
    if scenery.cell is not None and stage.selection.cell is None:
        unplaced = [f"cell {scenery.cell} is not computed yet"]
    elif scenery.cell is None and any(region in CELL_REGIONS for region in scenery.points):
        unplaced = ["a cell is pointed at and none is chosen"]
    return absent + broken + unplaced + _question_problems(step, moment)


def _question_problems(step: LessonStep, moment: Moment) -> list[str]:
    question = step.question
    if question is None:
        return []
    texts = (question.ask, *question.options, question.answer, question.why)
    absent = [name for text in texts for name in missing(text, moment)]
    if absent:
        return [f"the question's {{{absent[0]}}} has no value here"]
    answers = choices(question, moment)
    if len(answers) < 2 or sum(choice.right for choice in answers) != 1:
        written = ", ".join(choice.text for choice in answers)
        return [f"not exactly one of {written} is right"]
    return []
