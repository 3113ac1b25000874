"""``kvviz --screenshot``: the real window after a run, as a PNG."""

import os
import signal
import sys
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from kvviz.cli.window import leave
from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import write_atomically
from kvviz.ui.display import do_without_display

GIVE_UP_MS = 120_000


def take_screenshot(args: Namespace) -> int:
    """Open the window, let the default run (or a file's) end, write what is on screen.

    With ``compare`` that run's prompt is then run with each of the layouts.

    Of a lesson it is one step; ``at`` counts them from 1.
    """
    if args.lesson is not None:
        return _picture_lesson(args)
    width, height = args.size or (1440, 900)
    os.environ["QT_SCALE_FACTOR"] = str(args.scale or 1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop would never let Python see it
    do_without_display()
    from kvviz.ui.app import create_application

    application = create_application(sys.argv[:1])
    from kvviz.ui.portrait import Portrait
    from kvviz.ui.preferences import PreferencesFile
    from kvviz.ui.start import build_window
    from kvviz.ui.theme import ThemeChoice

    # A picture shows what everybody's window shows, and leaves no trace in one's own.
    with TemporaryDirectory() as folder:
        preferences = PreferencesFile(Path(folder) / "settings.json")
        preferences.values.theme = ThemeChoice(args.theme or "dark")
        preferences.values.zoom = (args.zoom or 100) / 100
        preferences.values.pace = None
        window = build_window(application, preferences)
        window.begin_with(args.file)
        window.resize(width, height)
        portrait = Portrait(window, args.at, GIVE_UP_MS, args.compare or ())
        window.show()
        if args.page is not None:
            window.show_part(args.page.capitalize())
        application.exec()
        window.close()
    if portrait.png is None:
        raise InputError(f"No picture was taken: {portrait.problem}")
    write_atomically(Path(args.screenshot), portrait.png)
    return leave(0)


def _picture_lesson(args: Namespace) -> int:
    from kvviz.cli.lesson_pictures import take_pictures
    from kvviz.lessons.course import all_lessons, find_lesson

    lesson = find_lesson(args.lesson, all_lessons())
    step = 1 if args.at is None else args.at
    if not 1 <= step <= len(lesson.steps):
        raise InputError(f"{lesson.name} has steps 1 to {len(lesson.steps)}, not {step}.")
    [png] = take_pictures([(lesson.name, step - 1)], args).values()
    write_atomically(Path(args.screenshot), png)
    return 0
