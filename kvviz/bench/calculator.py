"""The calculator: one move of a slider with what is shown of it, many configs, a whole process.

What computes in one thread is measured in its own time, and the many configs as the quickest of
some passes: other programs have no part in it.

python -m kvviz.bench.calculator move
"""

import subprocess
import sys
from itertools import cycle, islice
from statistics import median
from time import perf_counter, process_time
from typing import Any

from PySide6.QtWidgets import QApplication

from kvviz.bench.measure import Measure, hand_in
from kvviz.bench.stage import show_warm, stage
from kvviz.session.calculator.model import SizedModel
from kvviz.sizing.answer import ask
from kvviz.sizing.config import read_config
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question
from kvviz.ui.top_bar import CALCULATOR
from kvviz.ui.window import MainWindow

MOVES, CONFIGS, PASSES, PROCESSES = 200, 10_000, 3, 7
HYBRID: dict[str, Any] = {
    "model_type": "qwen3_next",
    "num_hidden_layers": 100,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
}


def move_ms(window: MainWindow) -> tuple[float, float]:
    """Return ms from a slider's move to every part of the page being told, and to its paint."""
    window.show_part(CALCULATOR)
    desk = window.calculator.desk
    desk.take_model(SizedModel("hybrid", "bench", HYBRID, read_config(HYBRID, "hybrid")))
    told, painted = [], []
    for tokens in range(4096, 4096 + MOVES):
        QApplication.processEvents()  # so that nothing else is left to be done
        begin = process_time()
        desk.ask("tokens", tokens, settled=False)
        told.append((process_time() - begin) * 1000)
        QApplication.processEvents()
        painted.append((process_time() - begin) * 1000)
    return median(told), median(painted)


def sized_s() -> float:
    """Return seconds for that many configs, each read from its object and answered whole.

    A processor that another machine shares is slower by half for seconds on end.
    """
    presets = load_presets().by_name.values()
    times = []
    for _ in range(PASSES):
        begin = process_time()
        for preset in islice(cycle(presets), CONFIGS):
            ask(read_config(preset.config, preset.name), Question(tokens=4096))
        times.append(process_time() - begin)
    return min(times)


def process_s() -> float:
    """Return seconds that ``kvviz calc`` takes as a whole process."""
    command = [sys.executable, "-m", "kvviz", "calc", "Qwen3.5-27B", "--json"]
    times = []
    for _ in range(PROCESSES):
        begin = perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(perf_counter() - begin)
    return median(times)


if __name__ == "__main__":
    if sys.argv[1] == "move":
        with stage() as window:
            show_warm(window)
            told, painted = move_ms(window)
            hand_in({"slider_move": Measure(told), "slider_painted": Measure(painted)})
    else:
        hand_in({"configs": Measure(sized_s()), "calc_process": Measure(process_s())})
