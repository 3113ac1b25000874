"""The controls that belong to one layout: seen where it is chosen, and only there."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.session.settings import Settings
from kvviz.sizing.layout import MOST_BLOCK_SIZE, LayoutKind
from kvviz.ui.panels.bind import bind_choice, setting_slider
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.segmented import Segmented
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import off_at_0, plain
from kvviz.ui.widgets.switch import Switch

BLOCK_SIZES = tuple(2**n for n in range(9))
WINDOWS = tuple(sorted({2**n for n in range(13)} | {3 * 2**n for n in range(11)}))
SINKS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
RESIDUALS = (0, *(2**n for n in range(9)))
BITS = (
    (8, "int8", "A byte for each element, and a scale for each group of 32."),
    (4, "int4", "Half a byte for each element, and a scale for each group of 32."),
)
BLOCK_SIZE = (
    "Tokens of a block. Small blocks waste less in the last one and are found again more often; "
    "large ones are fewer to look up."
)
WINDOW = "Keys that a query may see, its own included; older ones fall out of the cache."
SINK = "First tokens that stay besides the window: many heads look at them for want of another."
RESIDUAL = "Newest tokens that stay in the KV dtype; they become codes as they get older."
SHARE = (
    "Keep the pool when this run ends: its full blocks stay in it, and a prompt that begins alike "
    "finds them there instead of computing them again."
)


class LayoutRows(QWidget):
    """Block size and sharing of paged, window and sinks of sliding, codes of quantized."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        settings = store.controls.settings
        self.block_size = self._slider(
            "block_size", "Block size", BLOCK_SIZES, BLOCK_SIZE, most=MOST_BLOCK_SIZE
        )
        self.keys_seen = self._slider("window", "Window", WINDOWS, WINDOW)
        self.sinks = self._slider("sinks", "Sinks", SINKS, SINK)
        self.residual = self._slider("residual", "Kept whole", RESIDUALS, RESIDUAL)
        self.bits = Segmented(look, BITS, settings.bits, name="Codes")
        bind_choice(self.bits, store, "bits")
        self.shares = Switch(
            look, "Share blocks with earlier prompts", settings.shares_pool, tooltip=SHARE
        )
        self.shares.switched.connect(self._on_shares)
        self._of: dict[QWidget, LayoutKind] = {
            self.block_size: LayoutKind.PAGED,
            self.shares: LayoutKind.PAGED,
            self.keys_seen: LayoutKind.SLIDING,
            self.sinks: LayoutKind.SLIDING,
            FieldRow(look, "Codes", self.bits): LayoutKind.QUANTIZED,
            self.residual: LayoutKind.QUANTIZED,
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for row in self._of:
            column.addWidget(row)

    def refresh(self, settings: Settings) -> None:
        """Show what the chosen layout can be told, if anything."""
        for row, kind in self._of.items():
            row.setVisible(kind is settings.layout)
        self.setVisible(settings.layout in self._of.values())
        self.block_size.set_value(settings.block_size)
        self.keys_seen.set_value(settings.window)
        self.sinks.set_value(settings.sinks)
        self.residual.set_value(settings.residual)
        self.bits.set_value(settings.bits)
        self.shares.set_on(settings.shares_pool)

    def _slider(
        self, control: str, label: str, steps: tuple[int, ...], words: str, most: int | None = None
    ) -> SliderRow:
        """Return a slider over ``steps``; up to ``most``, or the last of them, can be typed."""
        return setting_slider(
            self._store,
            self._look,
            control,
            label,
            "tokens",
            steps,
            words,
            typed=range(steps[0], (most or steps[-1]) + 1),
            text=plain if steps[0] else off_at_0,
        )

    @Slot(bool)
    def _on_shares(self, on: bool) -> None:
        self._store.change("shares_pool", on)
