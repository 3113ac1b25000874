"""Opens kvviz as a person does and tells, a line of JSON a change, what its window is at."""

import json
import sys

from kvviz.cli.main import main
from kvviz.ui import start

build_window = start.build_window


def spied(application, preferences):
    window = build_window(application, preferences)
    store = window.store

    def tell():
        told = {
            "cursor": store.cursor,
            "steps": len(store.trace) if store.trace else 0,
            "playing": store.playback.playing,
            "live": store.runs.live is not None,
            "zoom": window.look.zoom,
            "fitted": window.playground.centre.grid.camera.fitted,
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()

    store.changed.connect(tell)
    window.look.changed.connect(tell)
    return window


start.build_window = spied
sys.exit(main(sys.argv[1:]))
