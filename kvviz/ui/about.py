"""Who made what: versions and licences, and the report for whoever helps."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kvviz import __version__
from kvviz.engine.system_report import package_version, system_report
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.label import Label

LICENCES = {
    "torch": "BSD-3-Clause",
    "PySide6-Essentials": "LGPL-3.0",
    "pyqtgraph": "MIT",
    "numpy": "BSD-3-Clause",
    "safetensors": "Apache-2.0",
    "tokenizers": "Apache-2.0",
    "pydantic": "MIT",
    "platformdirs": "MIT",
    "psutil": "BSD-3-Clause",
    "rich": "MIT",
}
OWN = f"kvviz {__version__}, MIT licence. Typeface Inter, SIL Open Font License 1.1."
COPY, COPIED = "Copy report", "Copied"


class About(QWidget):
    """What kvviz stands on, in small type, and a button that copies the report."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.own = Label(look, OWN)
        self.own.setWordWrap(True)
        self.libraries = Label(look, libraries_text(), size=11, tone="secondary")
        self.libraries.setWordWrap(True)
        self.copy_button = Button(
            look,
            COPY,
            "Versions, machine and the place of the settings, as `kvviz --info` prints them: "
            "nothing of your prompts, and nothing is sent.",
            icon="copy",
        )
        self.copy_button.clicked.connect(self._on_copy)
        self._words = QVBoxLayout()
        self._words.addWidget(self.own)
        self._words.addWidget(self.libraries)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addLayout(self._words, 1)
        self._row.addWidget(self.copy_button)
        look.changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(system_report())
        self.copy_button.setText(COPIED)

    @Slot()
    def _restyle(self) -> None:
        self._words.setSpacing(self._look.px(4))
        self._row.setSpacing(self._look.px(24))


def libraries_text() -> str:
    """Return every library with its version and licence, in one paragraph."""
    parts = (f"{name} {package_version(name)} ({licence})" for name, licence in LICENCES.items())
    return "Built on " + ", ".join(parts) + "."
