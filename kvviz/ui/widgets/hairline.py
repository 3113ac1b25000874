"""The thin line between two parts: the only frame the window has."""

from PySide6.QtWidgets import QFrame, QWidget


class Hairline(QFrame):
    """One device pixel of the theme's ``line``, lying or standing."""

    def __init__(self, *, vertical: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "hairline")
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
