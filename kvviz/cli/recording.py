"""A run without a window, recorded whole."""

from kvviz.cli.progress import progress
from kvviz.engine.memory import free_bytes
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace


def record(configs: list[RunConfig]) -> list[Trace]:
    """Run the configs, which share one model, and return what was recorded.

    Raises InputError if a run would not fit into the free memory, or if the model fails.
    """
    for config in configs:
        config.cost.check(free_bytes())
    # torch takes seconds to import: what can be refused without it has been by now.
    with progress("loading torch", 1):
        from kvviz.cli import headless
    model = headless.load(configs[0])
    return [headless.record_one(config, model) for config in configs]


def record_behind(earlier: RunConfig, config: RunConfig) -> Trace:
    """Run ``earlier``, end it, and return what was recorded of ``config`` in the same pool."""
    config.cost.check(free_bytes())
    with progress("loading torch", 1):
        from kvviz.cli import headless
    return headless.record_pair(earlier, config, headless.load(config))
