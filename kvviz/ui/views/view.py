"""What every painted view of the playground has in common."""

from PySide6.QtCore import QEvent, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from kvviz.session.selection import Pointer
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager

FAST = 8.0  # steps a second beyond which an eye cannot follow every figure


class View(QWidget):
    """Re-reads the store on the flags that concern it, and paints in ``paintEvent`` only."""

    concerns: Change = Change.ALL

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.store = store
        self.look = look
        self._unread = Change.NONE
        store.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing when the mouse is gone."""
        self.store.point(Pointer())
        super().leaveEvent(event)

    def read(self, changes: Change) -> None:
        """Take what changed from the store; painting follows."""

    def restyle(self) -> None:
        """Take theme and zoom anew; painting follows."""

    @property
    def behind(self) -> bool:
        """Whether something that changed is still to be read."""
        return bool(self._unread)

    @property
    def hurried(self) -> bool:
        """Whether the run plays faster than an eye could follow every step."""
        playback = self.store.playback
        return playback.playing and (playback.pace is None or playback.pace > FAST)

    def painter(self) -> QPainter:
        """Return a painter on this view, text smooth."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        return painter

    def hear(self, changes: Change) -> None:
        """Note what changed, to read it with the next frame."""
        self._unread |= changes & self.concerns
        if self._unread:
            self.store.frames.ask(self._catch_up)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        self.hear(changes)

    @Slot()
    def _catch_up(self) -> None:
        changes, self._unread = self._unread, Change.NONE
        self.read(changes)
        self.update()

    @Slot()
    def _on_look_changed(self) -> None:
        self.restyle()
        self.updateGeometry()
        self.update()
