"""Inter, shipped with the app, in the four sizes the window uses; figures are tabular."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from PySide6.QtGui import QFont, QFontDatabase

from kvviz.assets import assets_dir

SizeName = Literal[11, 13, 20, "answer"]
ANSWER_PX = 46

REGULAR = QFont.Weight.Normal
MEDIUM = QFont.Weight.Medium
SEMIBOLD = QFont.Weight.DemiBold

FILES = ("Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf")


def load_fonts(folder: Path | None = None) -> str:
    """Register the shipped fonts and return the family to use: Inter, or the system's own.

    A missing or unreadable file is no error: the window then speaks the system's font.
    Needs a running application.
    """
    folder = assets_dir() / "fonts" if folder is None else folder
    family = ""
    for name in FILES:
        path = folder / name
        number = QFontDatabase.addApplicationFont(str(path)) if path.is_file() else -1
        if number >= 0:
            family = family or QFontDatabase.applicationFontFamilies(number)[0]
    return family or QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()


def make_font(
    family: str, size: SizeName, weight: QFont.Weight = REGULAR, zoom: float = 1.0
) -> QFont:
    """Return a font of ``size`` px times ``zoom``, all digits of one width."""
    return QFont(_font(family, size, weight, zoom))


@lru_cache(maxsize=64)  # asked for a hundred times a frame; a copy shares what was looked up
def _font(family: str, size: SizeName, weight: QFont.Weight, zoom: float) -> QFont:
    font = QFont(family)
    pixels = ANSWER_PX if size == "answer" else size
    font.setPixelSize(max(1, round(pixels * zoom)))
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
