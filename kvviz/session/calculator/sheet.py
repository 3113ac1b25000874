"""Everything that can be set on the calculator's page."""

from dataclasses import dataclass, field, replace

from kvviz.session.calculator.card import USUAL_CARD, Card
from kvviz.session.calculator.model import SizedModel, tutorial_model
from kvviz.sizing.element_types import ElementType
from kvviz.sizing.policy import Engine, MambaCache
from kvviz.sizing.question import Question


def first_question() -> Question:
    """Return the tutorial's question: one sequence of 4,096 tokens, on one card."""
    model = tutorial_model()
    return Question(
        tokens=4096,
        memory=USUAL_CARD.memory,
        parameters=model.parameters,
        active=model.active,
        hardware=USUAL_CARD.hardware,
    )


@dataclass(frozen=True, slots=True)
class Sheet:
    """The model and the question, which has the machine too."""

    model: SizedModel = field(default_factory=tutorial_model)
    question: Question = field(default_factory=first_question)

    @property
    def card(self) -> Card:
        """The GPU that is asked about."""
        hardware = self.question.hardware or USUAL_CARD.hardware
        return Card(self.question.memory or USUAL_CARD.memory, hardware)

    def with_model(self, model: SizedModel) -> "Sheet":
        """Return the sheet for another model; what belonged to the one before is dropped."""
        changed = replace(self, model=model)
        every, active = model.stored or (None, None)
        plain = changed.asking(weights_type=None, source_tokens=None, state_type=None)
        counted = plain.with_parameters(model.parameters)
        return counted.asking(weight_bytes=every, active_bytes=active)

    def with_card(self, card: Card) -> "Sheet":
        """Return the sheet for another GPU, its memory being the budget."""
        return self.asking(memory=card.memory, hardware=card.hardware)

    def with_parameters(self, parameters: int | None) -> "Sheet":
        """Return the sheet with the weights' number typed.

        A token is multiplied with all of them but an embedding, unless there are experts.
        """
        config, active = self.model.config, self.model.active
        if active is None and parameters is not None and not self.model.has_experts:
            looked_up = (config.vocab_size or 0) * (config.hidden_size or 0)
            table = 0 if config.tie_word_embeddings else looked_up
            active = max(1, parameters - table)
        return self.asking(
            parameters=parameters, active=active, weight_bytes=None, active_bytes=None
        )

    def with_types(self, kind: ElementType | None) -> "Sheet":
        """Return the sheet with K and V in one type; None is what model and engine choose."""
        return self.asking(k_type=kind, v_type=kind)

    def with_engine(self, engine: Engine) -> "Sheet":
        """Return the sheet as another engine keeps it, without what that engine does not have."""
        question = replace(self.question, engine=engine)
        if engine is Engine.LLAMA_CPP:
            question = replace(question, tp=1, block_size=None, max_model_len=None)
        else:
            question = replace(question, slots=None, ubatch=None, kv_unified=True)
        if engine is not Engine.VLLM:
            question = replace(question, mamba_cache=MambaCache.ALIGN)
        if engine is Engine.EXACT:
            question = replace(question, max_model_len=None, batched_tokens=None)
        return replace(self, question=question)

    def asking(self, **changes: object) -> "Sheet":
        """Return the sheet with changes of the question."""
        return replace(self, question=replace(self.question, **changes))  # type: ignore[arg-type]
