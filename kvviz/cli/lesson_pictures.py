"""Pictures of lessons as they are in the window."""

import os
import signal
import sys
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from kvviz.lessons.lesson import Lesson
from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import write_atomically
from kvviz.ui.display import do_without_display

GIVE_UP_MS = 120_000


def picture_every_step(lessons: list[Lesson], folder: Path, options: Namespace) -> int:
    """Write one PNG a step into ``folder``; return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {lesson.name: f"{lesson.number:02}-{lesson.name}" for lesson in lessons}
    wanted = [(lesson.name, step) for lesson in lessons for step in range(len(lesson.steps))]
    taken = take_pictures(wanted, options)
    for (name, step), png in taken.items():
        write_atomically(folder / f"{names[name]}-{step + 1}.png", png)
    return len(taken)


def take_pictures(
    wanted: list[tuple[str, int]], options: Namespace
) -> dict[tuple[str, int], bytes]:
    """Return the PNG of each (lesson, step from 0); raise InputError where one cannot be taken."""
    width, height = options.size or (1440, 900)
    os.environ["QT_SCALE_FACTOR"] = str(options.scale or 1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop would never let Python see it
    do_without_display()
    from kvviz.ui.app import create_application

    application = create_application(sys.argv[:1])
    from kvviz.ui.lessons.album import Album
    from kvviz.ui.preferences import PreferencesFile
    from kvviz.ui.start import build_window
    from kvviz.ui.theme import ThemeChoice

    taken: dict[tuple[str, int], bytes] = {}

    def keep(name: str, step: int, png: bytes) -> None:
        taken[name, step] = png

    with TemporaryDirectory() as folder:
        preferences = PreferencesFile(Path(folder) / "settings.json")
        preferences.values.theme = ThemeChoice(options.theme or "dark")
        preferences.values.zoom = (options.zoom or 100) / 100
        preferences.values.reduce_motion = True
        window = build_window(application, preferences)
        window.begin_with(None, wanted[0])
        window.resize(width, height)
        album = Album(window, wanted, keep, GIVE_UP_MS)
        window.show()
        application.exec()
        window.close()
    if album.problem:
        raise InputError(f"No picture was taken: {album.problem}")
    return taken
