"""The calculator's page without a window: a sheet with its history, the answer, the pins."""

from dataclasses import dataclass, replace

from kvviz.session.calculator.curve import (
    Curve,
    curve_of,
    lengths,
    longest_length,
    other_curve,
)
from kvviz.session.calculator.heads import HeadsBar, HeadsWay, heads_bars, heads_ways
from kvviz.session.calculator.model import SizedModel
from kvviz.session.calculator.sheet import Sheet
from kvviz.session.calculator.step_work import StepWork, step_work
from kvviz.session.history import History
from kvviz.sizing.answer import Answer, ask
from kvviz.sizing.errors import InputError

MOST_PINS = 4  # with the shown model, a colour each


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and why nothing can be said of the memory, or of the work, where nothing can."""

    answer: Answer
    memory_problem: str = ""
    work_problem: str = ""


class Calculator:
    """What is asked, what it comes to; a sheet that has no answer is refused and changes nothing.

    ``problem`` is the last refusal, one sentence, "" once something was answered again.
    """

    def __init__(self, sheet: Sheet | None = None) -> None:
        sheet = sheet or Sheet()
        self._history = History(sheet)
        self.reply = answer_sheet(sheet)
        self.problem = ""
        self.pins: tuple[SizedModel, ...] = ()
        self._curves: tuple[object, tuple[Curve, ...]] | None = None
        self._work: tuple[object, StepWork] | None = None
        self._ways: tuple[object, tuple[HeadsWay, ...]] | None = None

    @property
    def sheet(self) -> Sheet:
        """What is asked."""
        return self._history.settings

    @property
    def answer(self) -> Answer:
        """What it comes to."""
        return self.reply.answer

    @property
    def can_undo(self) -> bool:
        """Whether an earlier sheet can be had back."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether an undone sheet can be had back."""
        return self._history.can_redo

    def change(self, sheet: Sheet, control: str, *, settled: bool = True) -> bool:
        """Ask something else; moves of one control until it settles are one step of the history.

        False, with ``problem``, where there is no answer.
        """
        try:
            reply = self.reply if sheet == self.sheet else self._answered(sheet)
        except InputError as error:
            self.refuse(str(error))
            return False
        self._history.change(sheet, control)
        if settled:
            self._history.rest()
        self.reply, self.problem = reply, ""
        return True

    def refuse(self, problem: str) -> None:
        """Say why something cannot be done; the answer stays."""
        self.problem = problem

    def undo(self) -> bool:
        """Bring the previous sheet back; False where there is none."""
        return self._moved(self._history.undo())

    def redo(self) -> bool:
        """Bring an undone sheet back; False where there is none."""
        return self._moved(self._history.redo())

    def pin(self, model: SizedModel) -> None:
        """Keep a model's curve in the chart; raise InputError where there are enough."""
        if any(pinned.name == model.name for pinned in self.pins):
            return
        if len(self.pins) >= MOST_PINS:
            raise InputError(
                f"{MOST_PINS} models are pinned, as many as the chart has colours for: press one "
                "under it to take it out."
            )
        self.pins = (*self.pins, model)

    def unpin(self, name: str) -> None:
        """Take a model out of the chart."""
        self.pins = tuple(model for model in self.pins if model.name != name)

    def is_pinned(self, name: str) -> bool:
        """Whether a model's curve is kept."""
        return any(model.name == name for model in self.pins)

    @property
    def budget(self) -> int | None:
        """What one GPU has left for the cache, in bytes; None where that is not known."""
        shared_out = self.answer.budget
        return None if shared_out is None else shared_out.cache

    def curves(self) -> tuple[Curve, ...]:
        """Return the shown model's curve, then those of the pins; the same while only tokens move.

        All end at the same length.
        """
        question, model, load = self.sheet.question, self.sheet.model, self.answer.load
        configs = [model.config, *(pin.config for pin in self.pins)]
        end = longest_length(configs, load.tokens)
        key = (replace(question, tokens=end), id(model), self.pins, self.budget)
        if self._curves is None or self._curves[0] != key:
            at = lengths(end)
            own = curve_of(model.name, self.answer.size.rows, load, at, self.budget)
            others = [other_curve(pin, question, at) for pin in self.pins if pin.name != model.name]
            self._curves = key, (own, *others)
        return self._curves[1]

    def heads(self) -> list[HeadsBar]:
        """Return the same model with more and fewer KV heads."""
        config, policy = self.sheet.model.config, self.answer.policy
        key = (id(self.sheet.model), policy)
        if self._ways is None or self._ways[0] != key:
            self._ways = key, heads_ways(config, policy)
        return heads_bars(self._ways[1], self.answer.load)

    @property
    def work(self) -> StepWork | None:
        """What prefill and decode must compute and move; None where that is not known."""
        answer, question = self.answer, self.answer.question
        if answer.roofline is None or question.active is None:
            return None
        weights = (question.active, question.active_bytes, question.weights_type)
        key = (id(self.sheet.model), answer.policy, weights)
        if self._work is None or self._work[0] != key:
            self._work = key, step_work(answer, question.active)
        return self._work[1]

    def _answered(self, sheet: Sheet) -> Reply:
        """Return the answer; what could not be told before a slider moved cannot be told after."""
        before, reply = self.sheet, self.reply
        known = not (reply.memory_problem or reply.work_problem)
        moved = before.asking(tokens=sheet.question.tokens, sequences=sheet.question.sequences)
        if known or moved != sheet:
            return answer_sheet(sheet)
        question = sheet.question
        if reply.memory_problem:
            question = replace(question, memory=None)
        if reply.work_problem:
            question = replace(question, hardware=None)
        return replace(reply, answer=ask(sheet.model.config, question))

    def _moved(self, done: bool) -> bool:
        if done:
            self.reply, self.problem = answer_sheet(self.sheet), ""
        return done


def answer_sheet(sheet: Sheet) -> Reply:
    """Return the answer; where memory or work cannot be told, that without them, and why."""
    config, question = sheet.model.config, sheet.question
    try:
        return Reply(ask(config, question))
    except InputError:
        bare = replace(question, memory=None, hardware=None)
        answer = ask(config, bare)  # what cannot be answered at all is refused here
    problems = ["", ""]
    for number, part in enumerate(("memory", "hardware")):
        known = replace(answer.question, **{part: getattr(question, part)})
        try:
            answer = ask(config, known)
        except InputError as error:
            problems[number] = str(error)
    return Reply(answer, *problems)
