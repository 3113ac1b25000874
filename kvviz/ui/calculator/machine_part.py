"""The card: its memory, how fast it reads and computes, and what the weights take of it."""

from functools import partial

from kvviz.session.calculator.card import CARDS, read_bandwidth, read_flops, read_memory
from kvviz.session.model_words import parameters_text
from kvviz.sizing.amounts import parse_count
from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.hardware import GB, TERA
from kvviz.sizing.policy import MOST_GPUS, Engine
from kvviz.sizing.units import bytes_text
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.load_part import KEYS, show_value
from kvviz.ui.calculator.part import Part
from kvviz.ui.calculator.type_choice import TYPES
from kvviz.ui.calculator.typed_row import TypedRow
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import Number

TYPED_CARD, AS_STORED = "typed", "as stored"
WEIGHTS_IN = (AS_STORED, *(name for name in TYPES if name != "fp8_ds_mla"))
GPUS = tuple(2**n for n in range(10))


class MachinePart(Part):
    """A card by name or by typed numbers; weights, allowance and GPUs."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Machine", gap=2)
        self.card = Dropdown(look, card_options(), CARDS[0].name, name="Card", tooltip=CARD)
        self.memory = TypedRow(look, "Memory", MEMORY)
        self.weights = TypedRow(look, "Weights", WEIGHTS, empty="not known")
        self.active = TypedRow(look, "Active", ACTIVE, empty="not known")
        kinds = [(name, name, "") for name in WEIGHTS_IN]
        self.weights_type = Dropdown(look, kinds, AS_STORED, name="Weights in", tooltip=IN)
        self.tp = SliderRow(
            look,
            "GPUs (TP)",
            "",
            GPUS,
            1,
            typed=range(1, MOST_GPUS + 1),
            tooltip=TP + KEYS,
        )
        self.allowance = TypedRow(look, "Allowance", ALLOWANCE, empty="a tenth")
        self.bandwidth = TypedRow(look, "Bandwidth", BANDWIDTH)
        self.flops = TypedRow(look, "Speed", FLOPS)
        self.add(FieldRow(look, "Card", self.card, stretch=True), self.memory, self.weights)
        self.add(
            self.active, FieldRow(look, "Weights in", self.weights_type, stretch=True), self.tp
        )
        names = "the allowance, how fast the card reads and computes"
        self.add_more(self.allowance, self.bandwidth, self.flops, names=names)
        self._connect()
        self.begin()

    def refresh(self) -> None:
        """Show what is asked."""
        sheet, question = self.desk.sheet, self.desk.sheet.question
        card = sheet.card
        self.card.set_value(card.name if card in CARDS else TYPED_CARD)
        self.memory.show_text(bytes_text(question.memory) if question.memory else "")
        self.weights.show_text(parameters_text(question.parameters) if question.parameters else "")
        self.active.setVisible(sheet.model.has_experts or question.active is None)
        self.active.show_text(parameters_text(question.active) if question.active else "")
        kind = question.weights_type
        self.weights_type.set_value(kind.name if kind else AS_STORED)
        split = question.engine is Engine.LLAMA_CPP
        show_value(self.tp, question.tp, BY_LAYERS if split else None)
        self.allowance.show_text(bytes_text(question.allowance) if question.allowance else "")
        self.bandwidth.show_text(f"{card.hardware.bandwidth / GB:,.10g} GB/s")
        self.flops.show_text(f"{card.hardware.flops / TERA:,.10g} TFLOP/s")

    def _connect(self) -> None:
        desk = self.desk
        self.card.chosen.connect(self._on_card)
        self.memory.typed.connect(self._on_memory)
        self.weights.typed.connect(
            lambda text: desk.attempt(
                lambda: desk.sheet.with_parameters(parse_count(text) if text else None),
                "parameters",
            )
        )
        self.active.typed.connect(
            lambda text: desk.attempt(
                lambda: desk.sheet.asking(active=parse_count(text) if text else None), "active"
            )
        )
        self.weights_type.chosen.connect(
            lambda name: desk.ask(
                "weights_type", None if name == AS_STORED else parse_element_type(str(name))
            )
        )
        self.tp.moved.connect(partial(self._on_tp, settled=False))
        self.tp.settled.connect(partial(self._on_tp, settled=True))
        self.allowance.typed.connect(
            lambda text: desk.attempt(
                lambda: desk.sheet.asking(allowance=read_memory(text) if text else None),
                "allowance",
            )
        )
        self.bandwidth.typed.connect(partial(self._on_rate, "bandwidth"))
        self.flops.typed.connect(partial(self._on_rate, "flops"))

    def _on_card(self, name: object) -> None:
        sheet = self.desk.sheet
        chosen = next((card for card in CARDS if card.name == name), None)
        self.desk.take(sheet.with_card(chosen or sheet.card.typed()), "card")

    def _on_memory(self, text: str) -> None:
        sheet = self.desk.sheet
        self.desk.attempt(
            lambda: sheet.with_card(sheet.card.typed(memory=read_memory(text))), "memory"
        )

    def _on_rate(self, which: str, text: str) -> None:
        sheet, read = self.desk.sheet, read_bandwidth if which == "bandwidth" else read_flops
        self.desk.attempt(lambda: sheet.with_card(sheet.card.typed(**{which: read(text)})), which)

    def _on_tp(self, gpus: Number, settled: bool) -> None:
        self.desk.ask("tp", int(gpus), settled)
        if self.desk.sheet.question.tp != gpus:
            self.tp.set_value(self.desk.sheet.question.tp)


def card_options() -> list[tuple[object, str, str]]:
    """Return the cards to choose from, and the typed one."""
    said = "Memory, bandwidth and dense 16-bit speed from its maker's data sheet."
    cards: list[tuple[object, str, str]] = [
        (card.name, f"{card.name}, {bytes_text(card.memory)}", said) for card in CARDS
    ]
    return [*cards, (TYPED_CARD, "typed below", "Memory, bandwidth and speed as typed.")]


BY_LAYERS = "llama.cpp splits a model by layers, not by heads."
CARD = "The GPU: its memory is the budget, its bandwidth and speed are the roofline."
MEMORY = "Memory of one GPU, such as 24GiB or 80 GB; weights and allowance come off it."
WEIGHTS = "Number of weights, such as 8.03B; published, counted or typed."
ACTIVE = "Weights that one token meets, such as 3.6B: a model of experts uses few of them."
IN = "What the weights are stored in; as stored is what the config says, else bfloat16."
TP = "GPUs that share each layer: heads are shared out, and repeated once there are too few. "
ALLOWANCE = "Memory left to activations and the engine itself, such as 2GiB."
BANDWIDTH = "Bytes that the GPU reads in a second, such as 1008 GB/s."
FLOPS = "16-bit operations a second, dense, such as 165 TFLOP/s."
