"""What someone who helps needs to know of this installation; none of the libraries is imported."""

import os
import platform
from pathlib import Path

from platformdirs import user_config_dir

from kvviz import __version__
from kvviz.engine.memory import free_bytes
from kvviz.sizing.units import bytes_text

PACKAGES = (
    "torch",
    "PySide6-Essentials",
    "pyqtgraph",
    "numpy",
    "safetensors",
    "tokenizers",
    "pydantic",
    "platformdirs",
    "psutil",
    "rich",
)


def system_report() -> str:
    """Return versions, machine and settings path, a line each, in two columns."""
    lines = {
        "kvviz": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        **{name: package_version(name) for name in PACKAGES},
        "platform": platform.platform(),
        "cores": str(os.cpu_count() or "unknown"),
        "free memory": bytes_text(free_bytes()),
        "built-in model": built_in_line(),
        "settings": str(settings_path()),
    }
    width = max(map(len, lines))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())


def built_in_line() -> str:
    """Return what the built-in model is, by its headers alone, or what is wrong with it."""
    # As below: whoever only wants to know where the settings are never needs this.
    from kvviz.assets import built_in_model
    from kvviz.model.weights import folder_weights
    from kvviz.sizing.errors import InputError

    folder = built_in_model()
    if not folder.is_dir():
        return "none"
    try:
        weights = folder_weights(str(folder))
    except InputError as error:
        return str(error)
    return (
        f"{folder.name}: {weights.kind}, {weights.shape.num_parameters:,} parameters, "
        f"{bytes_text(weights.num_bytes)} of {' and '.join(weights.dtypes)}"
    )


def settings_path() -> Path:
    """Return where the window keeps its settings: KVVIZ_SETTINGS, or the system's folder."""
    if named := os.environ.get("KVVIZ_SETTINGS"):
        return Path(named)
    return Path(user_config_dir("kvviz", appauthor=False)) / "settings.json"


def package_version(name: str) -> str:
    """Return the installed version of a package."""
    # The window asks this file for its settings' path, and would wait 30 ms for the import.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
