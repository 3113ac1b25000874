"""What can be done with an answer: copy it, save its picture, run its shape."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button

RUN = (
    "Run this shape in the playground with random weights, made as small as this machine needs: "
    "there its cache is measured and compared with the same formula."
)

SAVE = "Ctrl+Shift+E"


class Tools(QWidget):
    """Buttons for the window's top bar while the calculator is on screen."""

    run = Signal()
    copied = Signal(str)
    pictured = Signal()

    def __init__(self, look: ThemeManager) -> None:
        super().__init__()
        self._look = look
        self.run_button = Button(look, "Run this shape", RUN, kind="strong", shortcut="Ctrl+Return")
        self.markdown = Button(look, "Copy as Markdown", "A table, the formula, what was assumed.")
        self.text = Button(look, "Text", "Copy the same as plain text.")
        self.csv = Button(look, "CSV", "Copy every number, layer by layer, as a table.")
        self.picture = Button(look, "Picture", "Save this page as PNG or SVG.", shortcut=SAVE)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for button in (self.run_button, self.markdown, self.text, self.csv, self.picture):
            self._row.addWidget(button)
        self.run_button.clicked.connect(self.run)
        self.markdown.clicked.connect(lambda: self.copied.emit("markdown"))
        self.text.clicked.connect(lambda: self.copied.emit("text"))
        self.csv.clicked.connect(lambda: self.copied.emit("csv"))
        self.picture.clicked.connect(self.pictured)
        look.changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._look.px(8))
