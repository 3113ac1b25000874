"""How many tokens, and how each is chosen."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.session.limits import Stop
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.units import count_text
from kvviz.ui.panels.bind import bind_choice, setting_slider, show_stop
from kvviz.ui.panels.panel import Panel
from kvviz.ui.panels.seed_box import SeedBox
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.segmented import Segmented
from kvviz.ui.widgets.stops import Number, off_at_0

SAMPLING = (
    (True, "Greedy", "Always the most likely token: the same prompt gives the same answer."),
    (False, "Sampled", "A token drawn by its probability, as the three sliders shape it."),
)
KERNELS = (
    (Kernel.SDPA, "SDPA", "What torch has: one call, its own choice of how."),
    (Kernel.EAGER, "Eager", "Scores, softmax, sum: each whole, one after the other."),
    (Kernel.BLOCKWISE, "Block-wise", "Tile by tile with a running softmax, as FlashAttention."),
)
TILES = tuple(2**n for n in range(8))
KERNEL = (
    "How attention is computed. All three are exact, and none changes what is cached. "
    "Keys: Up and Down."
)
TILE = "Queries and keys of a tile: of all scores, this square is all that is there at once."
FIRST_TEMPERATURE = 0.8
TEMPERATURES = tuple(n / 10 for n in range(1, 21))
TOP_KS = (0, 1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 40, 50, 64, 100, 128, 200, 256)
TOP_PS = tuple(n / 20 for n in range(1, 21))
CHUNKS = (0, *(2**n for n in range(12)))
HUNDREDTHS = tuple(n / 100 for n in range(1, 201))
NEW = "Tokens to generate: the first comes out of the prefill, each further one is a decode step."
TEMPERATURE = "Divides the logits before the draw: below 1 sharper, above 1 flatter. No unit."
TOP_K = "Draw among the k most likely tokens only; 0 is off."
TOP_P = "Draw among the most likely tokens that together reach this probability; 1 is off."
GREEDY = "Greedy takes the first token whatever the others' probabilities: choose Sampled first."
CHUNK = "Feed the prompt in pieces of this many tokens, as servers do; 0 feeds it in one pass."


def _off_at_1(value: Number) -> str:
    return f"{value:g}" if value < 1 else "off"


class GenerationPanel(Panel):
    """New tokens, greedy or sampled, the seed, how the prompt is fed and attention computed."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Generation", parent=parent)
        settings = store.controls.settings
        self._temperature = settings.temperature or FIRST_TEMPERATURE
        self.max_new_tokens = setting_slider(
            store, look, "max_new_tokens", "New tokens", "tokens", range(1, 64), NEW
        )
        self.sampling = Segmented(look, SAMPLING, settings.temperature == 0, name="Sampling")
        self.draws = self._build_draws()
        self.seed = SeedBox(look)
        self.prefill_chunk = setting_slider(
            store,
            look,
            "prefill_chunk",
            "Prefill chunk",
            "tokens",
            CHUNKS,
            CHUNK,
            typed=range(CHUNKS[-1] + 1),
            text=off_at_0,
        )
        self.kernel = Dropdown(look, KERNELS, settings.kernel, tooltip=KERNEL)
        typed = range(1, TILES[-1] + 1)
        self.tile = setting_slider(store, look, "tile", "Tile", "tokens", TILES, TILE, typed=typed)
        self.add(self.max_new_tokens)
        self.add(FieldRow(look, "Sampling", self.sampling))
        self.add(self.temperature)
        seed = FieldRow(look, "Seed", self.seed, stretch=True)
        kernel = FieldRow(look, "Attention", self.kernel, stretch=True)
        names = "top-k and top-p, the seed, the prefill chunk, the attention kernel and its tiles"
        self.add_more(self.draws, seed, self.prefill_chunk, kernel, self.tile, names=names)
        self._bind()
        self.refresh()

    def refresh(self) -> None:
        """Show the settings; what shapes a draw only where there is one."""
        settings = self.store.controls.settings
        self._show_new_tokens()
        greedy = settings.temperature == 0
        self._temperature = settings.temperature or self._temperature
        self.sampling.set_value(greedy)
        self.temperature.set_value(self._temperature)
        self.temperature.setVisible(not greedy)
        for row in (self.top_k, self.top_p):
            row.set_reason(GREEDY if greedy else None)
        self.top_k.set_value(settings.top_k)
        self.top_p.set_value(settings.top_p)
        self.seed.set_value(settings.seed)
        self.prefill_chunk.set_value(settings.prefill_chunk)
        self.kernel.set_value(settings.kernel)
        self.tile.set_value(settings.tile)
        self._show_tile()

    def _build_draws(self) -> QWidget:
        store, look, counts = self.store, self.look, range(TOP_KS[-1] + 1)
        self.temperature = setting_slider(
            store,
            look,
            "temperature",
            "Temperature",
            "",
            TEMPERATURES,
            TEMPERATURE,
            typed=HUNDREDTHS,
        )
        self.top_k = setting_slider(
            store, look, "top_k", "Top-k", "tokens", TOP_KS, TOP_K, typed=counts, text=off_at_0
        )
        shares = HUNDREDTHS[:100]
        self.top_p = setting_slider(
            store, look, "top_p", "Top-p", "", TOP_PS, TOP_P, typed=shares, text=_off_at_1
        )
        draws = QWidget()
        column = QVBoxLayout(draws)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for row in (self.top_k, self.top_p):
            column.addWidget(row)
        return draws

    def _bind(self) -> None:
        bind_choice(self.seed, self.store, "seed")
        bind_choice(self.kernel, self.store, "kernel")
        self.more.toggled.connect(self._show_tile)
        self.sampling.chosen.connect(self._on_sampling_chosen)

    def _show_new_tokens(self) -> None:
        controls = self.store.controls
        settings, prompt = controls.settings, len(controls.prompt_ids)
        self.max_new_tokens.set_steps(range(1, settings.max_seq_len))
        self.max_new_tokens.set_value(settings.max_new_tokens)
        room = max(1, settings.max_seq_len - prompt)
        reason = (
            f"stops at {room:,}: with {count_text(prompt, 'prompt token')} the sequence limit of "
            f"{settings.max_seq_len:,} is full, raise it for more"
        )
        show_stop(self.max_new_tokens, Stop(room, reason))

    @Slot()
    def _show_tile(self) -> None:
        blockwise = self.store.controls.settings.kernel is Kernel.BLOCKWISE
        self.tile.setVisible(blockwise and self.more.isChecked())

    @Slot(object)
    def _on_sampling_chosen(self, greedy: object) -> None:
        self.store.change("temperature", 0.0 if greedy else self._temperature)
