"""A view that folds to one line where there is no room for it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager


class Fold(QWidget):
    """Shows ``content``, or a line that unfolds it; a person's choice wins over the room."""

    def __init__(
        self, look: ThemeManager, title: str, content: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._title = title
        self._room = True
        self._wanted: bool | None = None
        self._by_hand = False
        self.content = content
        self.button = QToolButton(self)
        self.button.setObjectName("fold")
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.clicked.connect(self._on_clicked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(content, 1)
        layout.addWidget(self.button)
        look.changed.connect(self._follow)
        self._follow()

    @property
    def folded(self) -> bool:
        """Whether only the line is shown."""
        return not (self._room if self._wanted is None else self._wanted)

    @property
    def squeezed(self) -> bool:
        """Whether the content is shown though there is no room for it."""
        return not self._room and self._wanted is True

    def set_room(self, room: bool) -> None:
        """Say whether there is room for the content."""
        if room != self._room:
            self._room, self._wanted, self._by_hand = room, None, False
            self._follow()

    def want(self, shown: bool | None) -> None:
        """Show or fold the content whatever the room is; None leaves it to the room again."""
        if shown == self._room:
            shown = None
        if shown != self._wanted:
            self._wanted, self._by_hand = shown, False
            self._follow()

    def _on_clicked(self) -> None:
        self._wanted, self._by_hand = self.folded, True
        self._follow()

    def _follow(self) -> None:
        self.content.setVisible(not self.folded)
        # The line is for where it is folded, and where it was unfolded by hand.
        self.button.setVisible(self.folded or self._by_hand)
        self.button.setText(f"{self._title}  {'▸ show' if self.folded else '▾ fold away'}")
        self.button.setAccessibleName(f"{'Show' if self.folded else 'Fold away'} {self._title}")
        self.button.setToolTip(self.button.accessibleName())
        self.button.setFont(self._look.font(11))
        policy = (
            QSizePolicy.Policy.Fixed if self.folded else self.content.sizePolicy().verticalPolicy()
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
