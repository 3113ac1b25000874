"""Opens kvviz and closes it again while something beside the window hangs for ever.

What hangs is named by the first argument; a line is written when the window is gone.
"""

import sys
import threading

from PySide6.QtCore import QTimer

from kvviz.cli.main import main
from kvviz.engine.model_slot import ModelSlot
from kvviz.ui import files, start
from kvviz.ui.calculator import desk

build_window = start.build_window
hangs = threading.Event()


def hang(*_):
    """Do not come back, as a read from a drive that is gone does not."""
    hangs.set()
    threading.Event().wait()


def hanging(application, preferences):
    window = build_window(application, preferences)
    match sys.argv[1]:
        case "file":
            files.read_path = hang
            window.files.open_path("/a/gone.safetensors")
        case "config":
            desk.from_file = hang
            window.calculator.desk.open_path("/a/gone/config.json")
        case "model":
            ModelSlot.get = hang

    def close_once_it_hangs():
        if hangs.is_set():
            timer.stop()
            window.close()
            sys.stdout.write(f"closed {window.isVisible()}\n")
            sys.stdout.flush()

    timer = QTimer(window, interval=10)
    timer.timeout.connect(close_once_it_hangs)
    timer.start()
    return window


start.build_window = hanging
sys.exit(main([]))
