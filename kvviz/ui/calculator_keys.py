"""Keys that mean the calculator's own things while it is on screen."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kvviz.ui.calculator_part import CalculatorPart
    from kvviz.ui.window import MainWindow

    Act = Callable[[CalculatorPart], object]


def page_actions(
    window: "MainWindow", actions: dict[str, Callable[[], object]]
) -> dict[str, Callable[[], object]]:
    """Return ``actions`` that mean the calculator's own while it is on screen."""
    own: dict[str, Act] = {
        "undo": lambda part: part.desk.undo(),
        "redo": lambda part: part.desk.redo(),
        "open": lambda part: part.open(),
        "copy_picture": lambda part: part.copy_picture(),
        "save_picture": lambda part: part.save_picture(),
        "clear": lambda part: part.clear(),
        "run": lambda part: part.run_shape(),
    }
    return actions | {name: _either(window, act, actions[name]) for name, act in own.items()}


def _either(
    window: "MainWindow",
    act: "Act",
    otherwise: Callable[[], object],
) -> Callable[[], object]:
    def chosen() -> object:
        part = window.calculator_if_shown
        return otherwise() if part is None else act(part)

    return chosen
