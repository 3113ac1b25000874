"""How much is kept, in what, and whose bookkeeping is followed."""

from functools import partial

from PySide6.QtWidgets import QWidget

from kvviz.sizing.element_types import parse_element_type
from kvviz.sizing.errors import InputError
from kvviz.sizing.parts import PartKind
from kvviz.sizing.policy import (
    MOST_SEQUENCES,
    MOST_TOKENS,
    Engine,
    MambaCache,
    MlaLayout,
    Windows,
)
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.log_steps import log_steps
from kvviz.ui.calculator.part import Part
from kvviz.ui.calculator.type_choice import USUAL, show_kv_type, show_type, type_choice
from kvviz.ui.calculator.typed_row import TypedRow
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.segmented import Segmented
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import Number

KEYS = "Keys: arrows move it, a digit starts typing."
BLOCKS = (1, 8, 16, 32, 64, 128, 256, 512, 1024)
ENGINES = (
    (Engine.EXACT, "exact", "What must be kept, by nobody's bookkeeping."),
    (Engine.VLLM, "vLLM", "Blocks, and pages of one size where layers differ."),
    (Engine.LLAMA_CPP, "llama.cpp", "Cells for all slots, rounded up; its own default types."),
)
WINDOWS = (
    (Windows.CAPPED, "capped", "A layer with a window keeps no more than its window."),
    (Windows.FULL, "full", "Every layer keeps the full length, as engines without window saving."),
)
MLA = (
    (MlaLayout.LATENT, "latent", "One latent and one rotary key a token, shared by all heads."),
    (MlaLayout.EXPANDED, "expanded", "Keys and values of all heads, as engines without MLA."),
)
STATES = (
    (MambaCache.ALIGN, "align", "vLLM: a request keeps one state more, for prefix caching."),
    (MambaCache.NONE, "none", "vLLM without prefix caching: a request keeps one state."),
)
CONTEXTS = (
    (True, "shared", "llama.cpp: all slots share one context, as without -np."),
    (False, "each", "llama.cpp: each slot has a context of its own, as with -np."),
)
NUMBERS = (
    (
        "source_tokens",
        "Source tokens",
        "Tokens of the source that cross-attention reads.",
        "its own",
    ),
    ("max_model_len", "Max length", "vLLM: the longest request, whose cache size it logs.", "none"),
    (
        "batched_tokens",
        "Step tokens",
        "vLLM: tokens in one step, which windows must hold.",
        "8,192",
    ),
    ("slots", "Slots", "llama.cpp: sequences that share one context.", "as sequences"),
    ("ubatch", "ubatch", "llama.cpp: tokens of one batch, room beside a window.", "512"),
    ("speculative", "Drafted", "Tokens drafted in one step.", "none"),
)


class LoadPart(Part):
    """Sliders for tokens and sequences; types, blocks and the choices that change the answer."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Load", gap=2)
        self.tokens = self._slider("tokens", "Tokens", 2**21, MOST_TOKENS, TOKENS)
        self.sequences = self._slider("sequences", "Sequences", 1024, MOST_SEQUENCES, SEQUENCES)
        self.kv_type = type_choice(look, "KV dtype", KV_DTYPE, self._on_type)
        self.block_size = SliderRow(
            look,
            "Block size",
            "tokens",
            BLOCKS,
            1,
            typed=range(1, 2**20 + 1),
            tooltip=BLOCK_SIZE + KEYS,
            text=_block_text,
        )
        self.engine = Segmented(look, ENGINES, name="Kept as in")
        self.windows = Segmented(look, WINDOWS, name="Windows")
        self.mla = Segmented(look, MLA, name="MLA")
        self.mamba_cache = Segmented(look, STATES, name="Mamba cache")
        self.kv_unified = Segmented(look, CONTEXTS, name="Contexts")
        self.k_type = type_choice(look, "K dtype", K_DTYPE, partial(self._on_one_type, "k_type"))
        self.v_type = type_choice(look, "V dtype", V_DTYPE, partial(self._on_one_type, "v_type"))
        self.state_type = TypedRow(look, "State dtype", STATE_DTYPE, empty="as usual")
        self.numbers = {key: TypedRow(look, *words, empty=empty) for key, *words, empty in NUMBERS}
        self._lay_out()
        self._connect()
        self.begin()

    def refresh(self) -> None:
        """Show what is asked."""
        answer, question = self.desk.calculator.answer, self.desk.sheet.question
        policy = answer.policy
        show_value(self.tokens, answer.load.tokens)
        show_value(self.sequences, question.sequences)
        for choice, kind in ((self.k_type, policy.k_type), (self.v_type, policy.v_type)):
            show_type(choice, kind)
        show_kv_type(self.kv_type, answer)
        llama = policy.engine is Engine.LLAMA_CPP
        show_value(self.block_size, question.block_size or 1, CELLS if llama else None)
        self.engine.set_value(policy.engine)
        self.windows.set_value(policy.windows)
        self.mla.set_value(policy.mla)
        self.mamba_cache.set_value(policy.mamba_cache)
        self.kv_unified.set_value(policy.kv_unified)
        self.state_type.show_text(question.state_type.name if question.state_type else "")
        for key, row in self.numbers.items():
            value = getattr(question, key)
            row.show_text(f"{value:,}" if value else "")
        self.windows_row.setVisible(self._has(PartKind.SLIDING, PartKind.CHUNKED))
        self.mla_row.setVisible(self._has(PartKind.MLA))
        vllm = policy.engine is Engine.VLLM
        self.mamba_row.setVisible(vllm and self._has(PartKind.RECURRENT))
        self.contexts_row.setVisible(llama)

    def applies(self, part: QWidget) -> bool:
        """Whether the model or the engine knows what a row is about."""
        engine = self.desk.calculator.answer.policy.engine
        if part is self.state_type:
            return self._has(PartKind.RECURRENT)
        needs = {
            self.numbers["source_tokens"]: self._has(PartKind.CROSS),
            self.numbers["max_model_len"]: engine is Engine.VLLM,
            self.numbers["batched_tokens"]: engine is Engine.VLLM,
            self.numbers["slots"]: engine is Engine.LLAMA_CPP,
            self.numbers["ubatch"]: engine is Engine.LLAMA_CPP,
        }
        return next((needed for row, needed in needs.items() if row is part), True)

    def _has(self, *kinds: PartKind) -> bool:
        return any(part.kind in kinds for part in self.desk.sheet.model.config.distinct_parts)

    def _slider(self, control: str, label: str, high: int, most: int, tooltip: str) -> SliderRow:
        row = SliderRow(
            self.look,
            label,
            "",
            log_steps(high),
            1,
            typed=range(1, most + 1),
            tooltip=tooltip + KEYS,
            value_units=76,
        )
        row.moved.connect(partial(self.desk.ask, control, settled=False))
        row.settled.connect(partial(self.desk.ask, control))
        return row

    def _lay_out(self) -> None:
        look = self.look
        self.windows_row = FieldRow(look, "Windows", self.windows)
        self.mla_row = FieldRow(look, "MLA", self.mla)
        self.mamba_row = FieldRow(look, "Mamba cache", self.mamba_cache)
        self.contexts_row = FieldRow(look, "Contexts", self.kv_unified)
        self.add(
            self.tokens, self.sequences, FieldRow(look, "KV dtype", self.kv_type, stretch=True)
        )
        self.add(self.block_size, FieldRow(look, "Kept as in", self.engine))
        self.add(self.windows_row, self.mla_row, self.mamba_row, self.contexts_row)
        types = [FieldRow(look, "K dtype", self.k_type, stretch=True)]
        types.append(FieldRow(look, "V dtype", self.v_type, stretch=True))
        names = "K and V in types of their own, drafted tokens, what one engine alone knows"
        self.add_more(*types, self.state_type, *self.numbers.values(), names=names)

    def _connect(self) -> None:
        desk = self.desk
        self.block_size.moved.connect(partial(self._on_block, settled=False))
        self.block_size.settled.connect(partial(self._on_block, settled=True))
        self.engine.chosen.connect(
            lambda engine: desk.take(desk.sheet.with_engine(Engine(str(engine))), "engine")
        )
        self.windows.chosen.connect(partial(desk.ask, "windows"))
        self.mla.chosen.connect(partial(desk.ask, "mla"))
        self.mamba_cache.chosen.connect(partial(desk.ask, "mamba_cache"))
        self.kv_unified.chosen.connect(partial(desk.ask, "kv_unified"))
        self.state_type.typed.connect(self._on_state_type)
        for key, row in self.numbers.items():
            row.typed.connect(partial(self._on_number, key))

    def _on_block(self, size: Number, settled: bool) -> None:
        self.desk.ask("block_size", int(size) if size > 1 else None, settled)

    def _on_type(self, name: object) -> None:
        kind = None if name == USUAL else parse_element_type(str(name))
        self.desk.take(self.desk.sheet.with_types(kind), "types")

    def _on_one_type(self, which: str, name: object) -> None:
        policy = self.desk.calculator.answer.policy
        both = {"k_type": policy.k_type, "v_type": policy.v_type}
        both[which] = parse_element_type(str(name))
        self.desk.take(self.desk.sheet.asking(**both), "types")

    def _on_state_type(self, text: str) -> None:
        desk = self.desk
        desk.attempt(
            lambda: desk.sheet.asking(state_type=parse_element_type(text) if text else None),
            "state_type",
        )

    def _on_number(self, key: str, text: str) -> None:
        none = 0 if key == "speculative" else None
        desk, name = self.desk, self.numbers[key].label.text()
        desk.attempt(lambda: desk.sheet.asking(**{key: whole(text, name) if text else none}), key)


def show_value(row: SliderRow, value: int, reason: str | None = None) -> None:
    """Show a value, and why the row is off; what is there already is left alone, as it is slow."""
    if row.value != value:
        row.set_value(value)
    if row.isEnabled() is not (reason is None):
        row.set_reason(reason)


def whole(text: str, name: str) -> int:
    """Return a typed whole number; raise InputError otherwise."""
    bare = text.replace(",", "").replace("_", "").replace(" ", "")
    if not (bare.isascii() and bare.isdigit() and len(bare) <= 15):
        raise InputError(f"{name}: {text[:40]!a} is not a whole number: type one such as 4096.")
    return int(bare)


def _block_text(value: Number) -> str:
    return "none" if value == 1 else f"{value:,}"


CELLS = "llama.cpp keeps cells, not blocks."
TOKENS = "Tokens of one sequence, prompt and answer together. The scale is logarithmic. "
SEQUENCES = "Sequences kept at once, as long as each other. The scale is logarithmic. "
KV_DTYPE = (
    "What K and V are stored in; bits of one element, its share of a scale included. As usual is "
    "what the config says, or the engine's own."
)
K_DTYPE = "What K is stored in, where it is not as V."
V_DTYPE = "What V is stored in, where it is not as K."
STATE_DTYPE = "What a recurrent layer's state is stored in, such as float32 or bfloat16."
BLOCK_SIZE = "Tokens of one block: each sequence ends in a block that is partly empty. "
