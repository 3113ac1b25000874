"""One layout to compare: its kind, its numbers, what it stores."""

from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from kvviz.session.layout_choice import layout_problem
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.trace.config import RunConfig
from kvviz.ui.panels.cache_panel import LAYOUTS
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import IconButton
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.prose import Prose

NUMBERS = {
    LayoutKind.PAGED: (("block_size", "block", "Tokens of a block, 1 to 256."),),
    LayoutKind.SLIDING: (
        ("window", "window", "Newest tokens that are kept: what a query may see, itself included."),
        ("sinks", "sinks", "First tokens that are kept besides."),
    ),
    LayoutKind.QUANTIZED: (("residual", "plain", "Newest tokens that are not made codes of."),),
}
NAMES = [name for numbers in NUMBERS.values() for name, _, _ in numbers]
BITS = ((8, "int8", "A byte for each element."), (4, "int4", "Two elements in a byte."))
STORED = (DType.FLOAT32, DType.BFLOAT16, DType.FLOAT16, DType.FLOAT8_E4M3)
K_DTYPE = "What keys are stored as, and values too unless V says otherwise."
V_DTYPE = "What values are stored as."
REMOVE = "Leave this layout out."


class LayoutRow(QWidget):
    """``changed`` when a person sets something, ``removed`` when it is to go.

    ``layout_wanted`` is None while what stands there is no layout; ``problem`` says why it cannot
    run.
    """

    changed = Signal()
    removed = Signal(object)

    def __init__(
        self,
        look: ThemeManager,
        base: RunConfig,
        layout: CacheLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._base, self._like = look, base, layout
        self.layout_wanted: CacheLayout | None = layout
        self.problem = ""
        self.place = Label(look, size=11, tone="muted")
        self.kind = Dropdown(look, LAYOUTS, layout.kind, name="Layout")
        self.numbers: dict[str, QLineEdit] = {}
        self._named: dict[str, Label] = {}
        self.bits = Dropdown(look, BITS, layout.bits, name="Codes")
        self.k_dtype = Dropdown(look, _dtypes("K", layout.kv_dtype), layout.kv_dtype)
        self.v_dtype = Dropdown(
            look, [(None, "V as K", V_DTYPE), *_dtypes("V", layout.v_dtype)], layout.v_dtype
        )
        self.remove = IconButton(look, "close", REMOVE, kind="quiet", small=True, name="Remove")
        self.trouble = Prose(look, tone="error")
        self._lay_out()
        self._connect()
        self._show_reasons()
        look.changed.connect(self._restyle)
        self._restyle()
        self._check()

    def set_place(self, place: int) -> None:
        """Say where it stands among the rows; the first is the reference."""
        self.place.setText(str(place + 1))
        explain(self.place, "The reference." if not place else "")

    def _lay_out(self) -> None:
        self._row = QHBoxLayout()
        self._row.addWidget(self.place)
        self._row.addWidget(self.kind)
        self._row.addWidget(self.bits)
        for numbers in NUMBERS.values():
            for name, word, meaning in numbers:
                self._add_number(name, word, meaning)
        self._row.addStretch(1)
        for part in (self.k_dtype, self.v_dtype, self.remove):
            self._row.addWidget(part)
        self.k_dtype.setAccessibleName("K dtype")
        explain(self.k_dtype, K_DTYPE)
        self.v_dtype.setAccessibleName("V dtype")
        explain(self.v_dtype, V_DTYPE)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row)
        column.addWidget(self.trouble)

    def _add_number(self, name: str, word: str, meaning: str) -> None:
        label, edit = Label(self._look, word, tone="secondary"), QLineEdit()
        edit.setText(str(getattr(self._like, name)))
        edit.setMaxLength(9)
        edit.setAccessibleName(word)
        explain(edit, meaning)
        explain(label, meaning)
        edit.textEdited.connect(self._on_chosen)
        self.numbers[name], self._named[name] = edit, label
        self._row.addWidget(label)
        self._row.addWidget(edit)

    def _connect(self) -> None:
        for choice in (self.kind, self.bits, self.k_dtype, self.v_dtype):
            choice.chosen.connect(self._on_chosen)
        self.remove.clicked.connect(self._on_remove)

    def _show_reasons(self) -> None:
        """Switch off the kinds that this model and these settings cannot have."""
        kinds = {
            kind: layout_problem(self._base, _of_kind(self._like, kind)) for kind in LayoutKind
        }
        self.kind.set_enabled_options({kind: why or None for kind, why in kinds.items()})

    def _check(self) -> None:
        self.problem = self.problem if self.layout_wanted is None else ""
        if self.layout_wanted is not None:
            self.problem = layout_problem(self._base, self.layout_wanted)
        kind = self.kind.value
        assert isinstance(kind, LayoutKind)
        wanted = {name for name, _, _ in NUMBERS.get(kind, ())}
        for name in NAMES:
            self.numbers[name].setVisible(name in wanted)
            self._named[name].setVisible(name in wanted)
        self.bits.setVisible(kind is LayoutKind.QUANTIZED)
        for choice in (self.k_dtype, self.v_dtype):
            choice.setVisible(kind is not LayoutKind.NONE)
        self.trouble.setText(self.problem)
        self.trouble.setVisible(bool(self.problem))

    def _read(self) -> CacheLayout:
        """Return what stands there; raises InputError where that is no layout."""
        kind, k, v = self.kind.value, self.k_dtype.value, self.v_dtype.value
        assert isinstance(kind, LayoutKind)
        assert isinstance(k, DType)
        assert v is None or isinstance(v, DType)
        used = {name for name, _, _ in NUMBERS.get(kind, ())}
        numbers: dict[str, Any] = {
            name: _whole(edit.text(), self._named[name].text())
            for name, edit in self.numbers.items()
            if name in used
        }
        if kind is LayoutKind.NONE:
            return CacheLayout(kind, self._base.dtype)
        if kind is LayoutKind.QUANTIZED:
            numbers["bits"] = self.bits.value
        return CacheLayout(kind, k, v, **numbers)

    @Slot(object)
    @Slot(str)
    def _on_chosen(self, _value: object = None) -> None:
        try:
            self.layout_wanted = self._read()
        except InputError as error:
            self.layout_wanted, self.problem = None, str(error)
        self._check()
        self.changed.emit()

    @Slot()
    def _on_remove(self) -> None:
        self.removed.emit(self)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._row.setSpacing(px(6))
        self.place.setFixedWidth(px(14))
        self.kind.setFixedWidth(px(132))
        for edit in self.numbers.values():
            edit.setFont(self._look.font(13))
            edit.setFixedSize(px(52), px(27))
        self.bits.setFixedWidth(px(72))
        self.k_dtype.setFixedWidth(px(82))
        self.v_dtype.setFixedWidth(px(86))
        self.trouble.setContentsMargins(px(20), 0, 0, px(4))
        self.setMinimumHeight(px(30))


def _dtypes(side: str, other: DType | None) -> list[tuple[object, str, str]]:
    listed = dict.fromkeys([*STORED, *([other] if other else [])])
    return [(dtype, f"{side} {dtype.short}", str(dtype)) for dtype in listed]


def _of_kind(like: CacheLayout, kind: LayoutKind) -> CacheLayout:
    return CacheLayout(kind, kv_dtype=DType.FLOAT32) if like.kind is not kind else like


def _whole(text: str, word: str) -> int:
    cleaned = text.strip().replace(",", "")
    if not (cleaned.isascii() and cleaned.isdigit() and len(cleaned) <= 9):
        raise InputError(f"{word.capitalize()} must be a whole number, not {text[:20]!r}.")
    return int(cleaned)
