"""``kvviz`` and ``kvviz FILE``: the window."""

import sys


def open_window(path: str | None) -> int:
    """Open the window, with a file if one is named; return the exit code."""
    if sys.platform == "win32":
        # On Windows torch fails to find its libraries once Qt has loaded its own.
        import torch  # noqa: F401
    from kvviz.ui.app import create_application, no_display_reason

    if (reason := no_display_reason()) is not None:
        print(reason, file=sys.stderr)
        return 2
    application = create_application(sys.argv[:1])
    from kvviz.ui.window import build_window

    window = build_window()
    window.show()
    window.begin(path)
    code = application.exec()
    window.shut_down()
    return code
