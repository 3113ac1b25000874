"""How far the interface can be enlarged before its window is larger than the screen."""

from PySide6.QtCore import QObject, QSize, Slot
from PySide6.QtWidgets import QWidget

from kvviz.ui.store import Store
from kvviz.ui.theme import ZOOM_STEPS, ThemeManager


class ZoomLimit(QObject):
    """Takes back a zoom at which the window would not fit its screen, and says so."""

    def __init__(self, window: QWidget, look: ThemeManager, store: Store) -> None:
        super().__init__(window)
        self._window, self._look, self._store = window, look, store
        look.changed.connect(self._on_changed)

    def room(self) -> QSize:
        """Return what the screen has for the inside of a window."""
        frame = self._window.frameGeometry().size() - self._window.geometry().size()
        return self._window.screen().availableSize() - frame

    def hold(self) -> bool:
        """Go back to the largest step that fits; False where nothing was to be done."""
        least, room, zoom = self._window.minimumSizeHint(), self.room(), self._look.zoom
        most = zoom * min(room.width() / least.width(), room.height() / least.height())
        fitting = [step for step in ZOOM_STEPS if 1 <= step <= most]
        if zoom <= most or zoom <= 1 or not fitting:  # a screen too small for any is no reason
            return False
        self._look.set_zoom(fitting[-1])
        return True

    @Slot()
    def _on_changed(self) -> None:
        wanted = self._look.zoom
        if self.hold():
            self._store.tell(
                f"At {100 * wanted:.0f} % the window would be larger than this screen: "
                f"{100 * self._look.zoom:.0f} % is the most that fits.",
                is_error=False,
            )
