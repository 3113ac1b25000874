"""How much of the model's speed the live window leaves it."""

from time import perf_counter

import torch

from kvviz.bench.measure import hand_in, interleaved
from kvviz.bench.stage import long_run, play, show_warm, stage
from kvviz.engine.generate import Generation
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import build_tokenizer
from kvviz.trace.trace import Trace
from kvviz.ui.window import MainWindow

STEPS = 1000
ROUNDS = 5


def compare_speeds(window: MainWindow) -> None:
    """Run the same steps in turn under the window and without it, in one process."""
    settings = long_run(STEPS)
    config = play(window.store, settings).config
    model = load_model(config.model, config.dtype, torch.device("cpu"))

    def live() -> float:
        begin = perf_counter()
        run = play(window.store, settings)
        return len(run.trace) / (perf_counter() - begin)

    def headless() -> float:
        begin = perf_counter()
        trace = Trace(config)
        for step, arrays in Generation(config, model, build_tokenizer(config.tokenizer)).run():
            trace.append(step, arrays)
        return len(trace) / (perf_counter() - begin)

    hand_in({"window_speed": interleaved(live, headless, ROUNDS)})


if __name__ == "__main__":
    with stage() as window:
        show_warm(window)
        compare_speeds(window)
