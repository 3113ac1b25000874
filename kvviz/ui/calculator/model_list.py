"""The models that come along, one a line."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from kvviz.sizing.presets import Preset
from kvviz.ui.fonts import MEDIUM, REGULAR
from kvviz.ui.theme import ThemeManager

ROW_UNITS, ROWS, FEWEST_ROWS = 28, 6, 4
NOTHING_FOUND = "No model here has that name: drop its config.json on this page."
PRESET = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
KindOf = Callable[[Preset], str]


class ModelList(QListView):
    """Presets by name; ``chosen(preset)`` on a click or as the keyboard moves."""

    chosen = Signal(object)

    def __init__(self, look: ThemeManager, kind: KindOf) -> None:
        super().__init__()
        self._look = look
        self._items = QStandardItemModel(self)
        self._chosen = ""
        self._delegate = ModelRow(look, kind, self)
        self.setModel(self._items)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName("Models that come along")
        self.clicked.connect(self._on_index)
        self.activated.connect(self._on_index)
        look.changed.connect(self._restyle)
        self._restyle()

    def set_presets(self, presets: list[Preset]) -> None:
        """List other presets."""
        self._items.clear()
        for preset in presets:
            item = QStandardItem(preset.name)
            item.setData(preset, PRESET)
            item.setToolTip(f"<qt>{preset.name}<br>Source: {preset.source}</qt>")
            self._items.appendRow(item)

    @Slot(str)
    def filter(self, text: str) -> None:
        """Show the names that have every word of ``text``, and light the first of them."""
        words = text.lower().split()
        for row in range(self._items.rowCount()):
            name = self._items.item(row).text().lower()
            self.setRowHidden(row, not all(word in name for word in words))
        if words:
            self._light_first(self.visible_names())
        else:
            self._light_chosen()

    def visible_names(self) -> list[str]:
        """Return the names that the search leaves."""
        rows = range(self._items.rowCount())
        return [self._items.item(row).text() for row in rows if not self.isRowHidden(row)]

    def first(self) -> Preset | None:
        """Return the first model that the search leaves."""
        names = self.visible_names()
        return self._preset(names[0]) if names else None

    def lit(self) -> Preset | None:
        """Return the model that is lit, else the first that the search leaves."""
        preset = self.currentIndex().data(PRESET)
        return preset if isinstance(preset, Preset) else self.first()

    def show_chosen(self, name: str) -> None:
        """Light another chosen model, if it is one of these."""
        if name != self._chosen:
            self._chosen = name
            self._light_chosen()

    @Slot()
    def rest(self) -> None:
        """Light the chosen model again, after a walk that ended in no choice.

        Nothing scrolls: the mouse may be about to choose what lies under it.
        """
        self.setAutoScroll(False)
        self._light_chosen()
        self.setAutoScroll(True)

    def walk(self, event: QKeyEvent) -> None:
        """Light another model by an arrow key, without choosing it."""
        super().keyPressEvent(event)
        event.accept()  # at either end the page would scroll

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows choose as they go."""
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self._on_index(self.currentIndex())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say that nothing was found where nothing was."""
        super().paintEvent(event)
        if self.first() is None:
            painter = QPainter(self.viewport())
            painter.setFont(self._look.font(11))
            painter.setPen(self._look.color("muted"))
            box = self.viewport().rect().adjusted(self._look.px(8), self._look.px(6), 0, 0)
            painter.drawText(box, Qt.TextFlag.TextWordWrap, NOTHING_FOUND)
            painter.end()

    def sizeHint(self) -> QSize:
        """Return room for a few rows."""
        return QSize(self._look.px(200), self._look.px(ROW_UNITS * ROWS))

    def minimumSizeHint(self) -> QSize:
        """Return the least that is a list."""
        return QSize(self._look.px(120), self._look.px(ROW_UNITS * FEWEST_ROWS))

    @Slot(QModelIndex)
    def _on_index(self, index: QModelIndex) -> None:
        preset = index.data(PRESET)
        if isinstance(preset, Preset):
            self.chosen.emit(preset)

    def _light_chosen(self) -> None:
        self._light_first([name for name in self.visible_names() if name == self._chosen])

    def _light_first(self, names: list[str]) -> None:
        """Light the first of ``names``, nothing where there is none."""
        if not names:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
            return
        index = self._items.indexFromItem(self._items.findItems(names[0])[0])
        self.setCurrentIndex(index)
        if self.hasAutoScroll():
            self.scrollTo(index)

    def _preset(self, name: str) -> Preset | None:
        found = self._items.findItems(name)
        data = found[0].data(PRESET) if found else None
        return data if isinstance(data, Preset) else None

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._look.font(13))
        self.setFixedHeight(self.sizeHint().height())
        self.viewport().update()


class ModelRow(QStyledItemDelegate):
    """One line: the name, and at the right how the model keeps its cache."""

    def __init__(self, look: ThemeManager, kind: KindOf, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._kind = look, kind

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, self._look.px(ROW_UNITS))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw ground, name and kind; what has no room is elided, the kind never."""
        look, state = self._look, option.state
        box = QRectF(option.rect)
        lit = bool(state & QStyle.StateFlag.State_Selected)
        over = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if lit or over:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color("bg3" if lit else "bg2"))
            painter.drawRoundedRect(box, look.px(6), look.px(6))
        inner = box.adjusted(look.px(8), 0, -look.px(8), 0)
        kind = self._kind(index.data(PRESET))
        painter.setFont(look.font(11))
        painter.setPen(look.color("text" if lit else "muted"))
        kind_metrics = QFontMetricsF(painter.font())
        shown = kind_metrics.elidedText(kind, Qt.TextElideMode.ElideRight, 0.5 * inner.width())
        width = kind_metrics.horizontalAdvance(shown)
        flags = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, flags | Qt.AlignmentFlag.AlignRight, shown)
        painter.setFont(look.font(13, MEDIUM if lit else REGULAR))
        painter.setPen(look.color("text" if lit else "secondary"))
        room = inner.width() - width - look.px(8)
        name = QFontMetricsF(painter.font()).elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, room
        )
        painter.drawText(inner, flags | Qt.AlignmentFlag.AlignLeft, name)
        painter.restore()
