"""A view that says what is under the mouse."""

from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget

from kvviz.ui.views.view import View


class Explained(QWidget):
    """Its tooltip is ``explained``, asked anew for each place."""

    def explained(self, position: QPointF) -> str:
        """Return what is under ``position``, in words; empty where there is nothing."""
        return ""

    def explained_box(self, position: QPointF) -> QRectF:
        """Return where these words hold, beyond it they go; empty where the whole view is meant."""
        return QRectF()

    def event(self, event: QEvent) -> bool:
        """Say what is under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            position = QPointF(event.pos())
            box = self.explained_box(position).toAlignedRect()
            QToolTip.showText(event.globalPos(), self.explained(position), self, box)
            return True
        return super().event(event)


class ExplainedView(Explained, View):
    """A view of the store that does so."""
