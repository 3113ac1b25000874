"""Opens the window as ``kvviz`` does and tells when things were on screen, on the system's clock.

The clock is the one that the process which started this one reads as well.
"""

import json
import sys
from contextlib import ExitStack

from kvviz.ui.early import starting


def opened() -> dict[str, object]:
    """Open the window, wait for its second step and return what was noted."""
    with ExitStack() as closing:
        with starting():
            from kvviz.bench.first_paints import FirstPaints
            from kvviz.bench.stage import stage, wait_until

            window = closing.enter_context(stage())
            paints = FirstPaints(window)
            window.show()
        wait_until(window.store, lambda: window.store.status.ready)
        paints.heartbeat.stop()
        wait_until(window.store, lambda: window.store.cursor >= 1)
        return {
            "first_paint": paints.window_at,
            "first_token": paints.token_at,
            "late_ms": paints.heartbeat.late_ms,
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(opened()))
