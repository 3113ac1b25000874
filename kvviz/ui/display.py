"""Whether a window can be opened, asked before Qt: where it cannot, Qt ends the whole process."""

import ctypes
import os
import re
import sys

from kvviz.sizing.errors import InputError

QT_LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libdbus-1.so.3")
X_LIBRARIES = (
    "libxcb.so.1",
    "libxcb-cursor.so.0",
    "libxcb-icccm.so.4",
    "libxcb-image.so.0",
    "libxcb-keysyms.so.1",
    "libxcb-randr.so.0",
    "libxcb-render-util.so.0",
    "libxcb-shape.so.0",
    "libxkbcommon-x11.so.0",
)
INSTEAD = "Start kvviz from a desktop, or use `kvviz run`, which needs none."


def no_display_reason() -> str | None:
    """Return why no window can be opened, in one sentence; None where nothing speaks against it."""
    if sys.platform != "linux":
        return None
    on_x = _is_on_x()
    if missing := missing_libraries(QT_LIBRARIES + X_LIBRARIES if on_x else QT_LIBRARIES):
        return missing
    display = os.environ.get("DISPLAY")
    if on_x and not display:
        return f"There is no display: DISPLAY and WAYLAND_DISPLAY are empty. {INSTEAD}"
    if on_x and not _answers():
        return (
            f"The display {display!r} cannot be opened: no one is there, or not for you. {INSTEAD}"
        )
    return None


def do_without_display() -> None:
    """Let a picture be drawn off screen where no window can be opened.

    Raises InputError where Qt's own libraries are missing.
    """
    if no_display_reason() is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if (reason := no_display_reason()) is not None:
        raise InputError(reason)


def missing_libraries(names: tuple[str, ...]) -> str | None:
    """Return what to install of the system's libraries ``names``; None where all are there."""
    packages = [package_of(name) for name in names if not _is_there(name)]
    if not packages:
        return None
    return (
        "A window needs libraries of the system that are not here: on Debian or Ubuntu, "
        f"sudo apt-get install {' '.join(packages)}."
    )


def package_of(library: str) -> str:
    """Return the Debian package of a shared library, which is named after it."""
    name, _, version = library.lower().partition(".so.")
    return f"{name}{'-' if name[-1].isdigit() else ''}{version}"


def _is_on_x() -> bool:
    """Whether Qt is going to ask an X server."""
    platform = os.environ.get("QT_QPA_PLATFORM")
    if platform:
        return re.match(r"xcb\b", platform) is not None
    return not os.environ.get("WAYLAND_DISPLAY")


def _is_there(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _answers() -> bool:
    """Whether the X server that DISPLAY names is there and takes us."""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    for ask in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        ask.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)  # an object even where there is no server
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not refused
