"""What 10,000 steps under the window add to the process's own memory beyond their traces."""

import gc
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import psutil

from kvviz.bench.measure import Measure, hand_in
from kvviz.bench.stage import long_run, play, show_warm, stage
from kvviz.session.settings import Settings
from kvviz.trace.trace import COLUMNS, Trace
from kvviz.ui.window import MainWindow

STEPS = 2500  # of one run; every one draws a grid of its own
RUNS = 4
WARM_UP_RUNS = 2
MIB = 2**20


def measure_growth(window: MainWindow) -> Measure:
    """Return MiB of USS gained beyond the traces; the baseline is what the traces hold."""
    settings = small_model(long_run(STEPS))
    for _ in range(WARM_UP_RUNS):
        play(window.store, settings)
    before = own_bytes()
    traces = [play(window.store, settings).trace for _ in range(RUNS)]
    gained = own_bytes() - before
    held = sum(map(held_bytes, traces))  # counted last: counting takes memory itself
    beyond = gained - held
    return Measure(beyond / MIB, held / MIB, reason="baseline: what the traces hold themselves")


def small_model(settings: Settings) -> Settings:
    """Return the settings with the tutorials' shape: more steps in the same time."""
    return replace(settings, num_layers=2, num_heads=4, num_kv_heads=4, head_dim=16)


def own_bytes() -> int:
    """Return the memory that is this process's own (USS), libraries' unchanged pages left out.

    Those are counted as its own as soon as no other process uses the same library.
    """
    gc.collect()
    try:
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return int(psutil.Process().memory_full_info().uss)
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_Dirty"))


def held_bytes(trace: Trace) -> int:
    """Return the bytes of a trace: its recorded rows, its tables and its steps, each once."""
    shape, rows = trace.config.model.shape, trace.seq_len
    widths = shape.num_layers * (shape.num_heads + 2 * shape.num_kv_heads) * shape.head_dim
    tables = trace.row_steps().nbytes + sum(trace.column(name).nbytes for name in COLUMNS)
    logits = [trace.logits(step.index) for step in trace.steps]
    return 4 * rows * widths + tables + deep_bytes([trace.steps, trace.tokens, logits], set())


def deep_bytes(roots: Iterable[object], seen: set[int]) -> int:
    """Return the bytes of objects and all they hold, none counted twice."""
    total, left = 0, list(roots)
    while left:
        item = left.pop()
        if id(item) in seen or item is None or isinstance(item, bool | type):
            continue
        seen.add(id(item))
        total += sys.getsizeof(item)
        if isinstance(item, list | tuple):
            left.extend(item)
        elif is_dataclass(item):
            left.extend(getattr(item, field.name) for field in fields(item))
    return total


if __name__ == "__main__":
    with stage() as window:
        show_warm(window)
        hand_in({"growth": measure_growth(window)})
