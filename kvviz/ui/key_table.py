"""All keys, in two columns."""

from PySide6.QtWidgets import QWidget

from kvviz.ui.fonts import MEDIUM
from kvviz.ui.keys import APP, FILE, KEYS, LESSON, RUN, VIEW
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.glossary import Glossary
from kvviz.ui.widgets.label import Label

COLUMNS = ((RUN, LESSON, APP), (VIEW, FILE))  # about as many lines in each
KEY_UNITS = 112


class KeyTable(Glossary):
    """Groups of keys: the key, and what it does."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(look, KEY_UNITS, parent)
        for groups in COLUMNS:
            self.add_column(
                {
                    group: [
                        (Label(look, text, weight=MEDIUM), sentence)
                        for text, sentence in lines_of(group)
                    ]
                    for group in groups
                }
            )


def lines_of(group: str) -> list[tuple[str, str]]:
    """Return (keys, sentence) of a group, keys of one sentence in one line."""
    lines: dict[str, str] = {}
    for key in KEYS:
        if key.group == group:
            lines.setdefault(key.sentence, key.text)
    return [(text, sentence) for sentence, text in lines.items()]
