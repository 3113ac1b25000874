"""Everything that can be set on the calculator's page."""

from dataclasses import dataclass, field, replace

from kvviz.session.calculator.model import SizedModel, tutorial_model
from kvviz.sizing.element_types import BFLOAT16, ElementType
from kvviz.sizing.hardware import HARDWARE, Hardware
from kvviz.sizing.policy import Engine
from kvviz.sizing.question import Question

GIB = 2**30


def first_question() -> Question:
    """Return the tutorial's question: one sequence of 4,096 tokens in bfloat16, on one card."""
    model = tutorial_model()
    return Question(
        tokens=4096,
        k_type=BFLOAT16,
        v_type=BFLOAT16,
        memory=HARDWARE[0].memory,
        weights_type=BFLOAT16,
        parameters=model.parameters,
    )


@dataclass(frozen=True, slots=True)
class Sheet:
    """The model, the question, and the machine; ``active`` are the weights one token meets.

    ``active`` is None where that is all of them, or not known.
    """

    model: SizedModel = field(default_factory=tutorial_model)
    question: Question = field(default_factory=first_question)
    hardware: Hardware = HARDWARE[0]
    active: int | None = None

    def with_model(self, model: SizedModel) -> "Sheet":
        """Return the sheet for another model; what belonged to the one before is dropped."""
        question = replace(
            self.question,
            parameters=model.parameters,
            weight_bytes=None,
            source_tokens=None,
            state_type=None,
        )
        return replace(self, model=model, question=question, active=None)

    def with_hardware(self, hardware: Hardware) -> "Sheet":
        """Return the sheet for another machine, its memory being the budget."""
        return replace(
            self, hardware=hardware, question=replace(self.question, memory=hardware.memory)
        )

    def with_types(self, kind: ElementType) -> "Sheet":
        """Return the sheet with K and V in one type."""
        return self.asking(k_type=kind, v_type=kind)

    def with_engine(self, engine: Engine) -> "Sheet":
        """Return the sheet as another engine keeps it, without what that engine does not have."""
        question = replace(self.question, engine=engine)
        if engine is Engine.LLAMA_CPP:
            question = replace(question, tp=1, block_size=None, max_model_len=None)
        else:
            question = replace(question, slots=None, ubatch=None)
        if engine is Engine.EXACT:
            question = replace(question, max_model_len=None, batched_tokens=None)
        return replace(self, question=question)

    def asking(self, **changes: object) -> "Sheet":
        """Return the sheet with changes of the question."""
        return replace(self, question=replace(self.question, **changes))  # type: ignore[arg-type]
