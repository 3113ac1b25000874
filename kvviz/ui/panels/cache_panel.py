"""How the cache is kept, and how much of it there may be."""

from PySide6.QtWidgets import QWidget

from kvviz.session.limits import BATCHES, SEQ_LENS
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.ui.changes import Change
from kvviz.ui.panels.bind import bind_choice, setting_slider, show_setting
from kvviz.ui.panels.layout_rows import LayoutRows
from kvviz.ui.panels.panel import Panel, yield_width
from kvviz.ui.panels.pool_row import PoolRow
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.segmented import Segmented

LAYOUTS = (
    (LayoutKind.NONE, "No cache", "Feeds the whole prefix again at each step."),
    (LayoutKind.CONCAT, "Concat", "Grows by copying: old and new at once."),
    (LayoutKind.PREALLOCATED, "Pre-allocated", "Reserves the limit once, writes in place."),
    (LayoutKind.PAGED, "Paged", "Takes blocks as it needs them, gathers them to read."),
    (LayoutKind.SLIDING, "Sliding window", "Keeps the newest tokens, lets the others fall out."),
    (LayoutKind.QUANTIZED, "Quantized", "Keeps codes and their scales instead of floats."),
)
POINTS = {kind: point for kind, _, point in LAYOUTS}
DTYPES = (
    (DType.FLOAT32, "fp32", "float32: 4 bytes for each value of weights, activations and cache."),
    (DType.BFLOAT16, "bf16", "bfloat16: 2 bytes, the range of float32 with 8 bits of precision."),
    (DType.FLOAT16, "fp16", "float16: 2 bytes, 11 bits of precision, overflows above 65,504."),
)
STORED = (
    *DTYPES,
    (DType.FLOAT8_E4M3, "fp8", "float8_e4m3: 1 byte, 4 bits of precision; stored so, read wider."),
)
SAME = "Store keys and values in the model's dtype."
LAYOUT = "How keys and values are kept from step to step. Keys: Up and Down."
KV_DTYPE = "What keys and values are stored as; a smaller dtype halves the cache. Keys: Up, Down."
LIMIT = (
    "Sequence limit: the most tokens prompt and answer may have together. Pre-allocated reserves "
    "room for all of them. Type any length in between."
)
BATCH = "Copies of the prompt run side by side; each has a cache of its own."
OWN_PROMPTS = "The batch is the prompts typed above, one sequence each: take them out to copy one."
DEVICE = "Where the model runs. Keys: Up and Down."


class CachePanel(Panel):
    """Layout with what it can be told, dtypes, limit, batch, the device where there is a choice."""

    concerns = Change.SETTINGS | Change.STATUS | Change.RUNS

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Cache", parent=parent)
        settings = store.controls.settings
        self.layout_choice = Dropdown(look, LAYOUTS, settings.layout, tooltip=LAYOUT)
        self.layout_rows = LayoutRows(store, look)
        self.pool = PoolRow(store, look)
        self.point = Label(look, size=11, tone="muted")
        self.dtype = Segmented(look, DTYPES, settings.dtype, name="Dtype")
        same = [(None, "same as dtype", SAME)]
        self.kv_dtype = Dropdown(look, [*same, *STORED], settings.kv_dtype, tooltip=KV_DTYPE)
        typed = range(SEQ_LENS[0], SEQ_LENS[-1] + 1)
        self.max_seq_len = setting_slider(
            store, look, "max_seq_len", "Seq. limit", "tokens", SEQ_LENS, LIMIT, typed=typed
        )
        self.batch = setting_slider(store, look, "batch", "Batch", "sequences", BATCHES, BATCH)
        self.device = Dropdown(look, [(d, d, "") for d in self._devices()], tooltip=DEVICE)
        self.device_row = FieldRow(look, "Device", self.device, stretch=True)
        self.add(FieldRow(look, "Layout", self.layout_choice, stretch=True))
        self.add(self.layout_rows)
        self.add(self.pool)
        self.add(FieldRow(look, "Dtype", self.dtype), gap=2)
        for part in (self.max_seq_len, self.batch, self.device_row):
            self.add(part)
        kv_dtype = FieldRow(look, "KV dtype", self.kv_dtype, stretch=True)
        self.add_more(kv_dtype, self.point, names="the cache's own dtype, how the layout works")
        self._bind()
        self.refresh()

    def refresh(self) -> None:
        """Show how the cache is kept, and where memory stops it."""
        settings = self.store.controls.settings
        self.layout_choice.set_value(settings.layout)
        self.layout_rows.refresh(settings)
        self.pool.refresh()
        self.point.setText(POINTS[settings.layout])
        self.dtype.set_value(settings.dtype)
        self.kv_dtype.set_value(settings.kv_dtype)
        show_setting(self.max_seq_len, self.store, "max_seq_len")
        show_setting(self.batch, self.store, "batch")
        self.batch.set_value(settings.sequences)
        self.batch.set_reason(OWN_PROMPTS if len(settings.prompts) > 1 else None)
        devices = self._devices()
        self.device.set_options([(d, d, "") for d in devices], settings.device)
        self.device_row.setVisible(len(devices) > 1)

    def restyle(self) -> None:
        """Follow the zoom."""
        self.pool.restyle()

    def _devices(self) -> list[str]:
        # The one in use is listed even where it is gone, so that it can be left.
        return list(
            dict.fromkeys([*self.store.status.devices, self.store.controls.settings.device])
        )

    def _bind(self) -> None:
        bind_choice(self.layout_choice, self.store, "layout")
        bind_choice(self.dtype, self.store, "dtype")
        bind_choice(self.kv_dtype, self.store, "kv_dtype")
        bind_choice(self.device, self.store, "device")
        yield_width(self.point)
