"""Where the shipped files are: beside the package in a checkout, inside it once installed."""

from pathlib import Path


def assets_dir() -> Path:
    """Return the folder of fonts, icons and models, the same for a checkout and a wheel."""
    package = Path(__file__).resolve().parent
    installed = package / "assets"
    return installed if installed.is_dir() else package.parent / "assets"


def built_in_model() -> Path:
    """Return the folder of the model that kvviz opens with."""
    return assets_dir() / "models" / "tiny-stories"
