"""One of many: a list that opens."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from kvviz.ui.icons import themed_pixmap
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.segmented import Option


class Dropdown(QComboBox):
    """``chosen(value)`` when a person picks another entry; ``set_value`` is silent."""

    chosen = Signal(object)

    def __init__(
        self,
        manager: ThemeManager,
        options: Sequence[Option],
        value: object = None,
        *,
        name: str = "",
        tooltip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager = manager
        self._tooltip = tooltip
        self._values: list[object] = []
        self._tooltips: list[str] = []
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        explain(self, tooltip)
        self.set_options(options, value)
        self.activated.connect(self._on_activated)
        manager.changed.connect(self._restyle)
        self._restyle()

    @property
    def value(self) -> object:
        """The value of the entry shown."""
        return self._values[self.currentIndex()]

    def set_options(self, options: Sequence[Option], value: object = None) -> None:
        """List other entries and show ``value``, or the first."""
        with QSignalBlocker(self):
            self.clear()
            self.addItems([text for _, text, _ in options])
        self._values = [option for option, _, _ in options]
        self._tooltips = [tooltip for _, _, tooltip in options]
        self.set_enabled_options({})
        self.set_value(value if value in self._values else self._values[0])

    def set_value(self, value: object) -> None:
        """Show ``value`` without an echo."""
        index = self._values.index(value)
        with QSignalBlocker(self):
            self.setCurrentIndex(index)
        self._shown = index

    def set_enabled_options(self, reasons: Mapping[object, str | None]) -> None:
        """Switch entries off by value, each with its reason; those not named are on."""
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for row, value in enumerate(self._values):
            reason = reasons.get(value)
            item = model.item(row)
            item.setEnabled(reason is None)
            item.setToolTip(reason or self._tooltips[row])

    def set_reason(self, reason: str | None) -> None:
        """Switch the whole off with ``reason``, or on with None."""
        explain(self, self._tooltip, reason)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel unless the keyboard is here."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chevron in the theme's own colour."""
        super().paintEvent(event)
        side = self._manager.px(12)
        tone = "secondary" if self.isEnabled() else "muted"
        pixmap = themed_pixmap("chevron", self._manager.theme, tone, side, self.devicePixelRatio())
        x = self.width() - side - self._manager.px(8)
        painter = QPainter(self)
        painter.drawPixmap(
            QRectF(x, (self.height() - side) / 2, side, side), pixmap, QRectF(pixmap.rect())
        )
        painter.end()

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        if index != self._shown:
            self._shown = index
            self.chosen.emit(self._values[index])

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._manager.font(13))
        self.view().setFont(self.font())
