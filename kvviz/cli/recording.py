"""A run without a window, recorded whole."""

import os

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
    with progress("loading torch and the model", 1):
        import torch

        from kvviz.engine.devices import device_free_bytes, device_named
        from kvviz.engine.load import load_model

        torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
        device = device_named(configs[0].device)
        for config in configs:
            config.cost.check(device_free_bytes(device, free_bytes))
        model = load_model(configs[0].model, configs[0].dtype, device)
    from kvviz.cli.one_run import record_one

    return [record_one(config, model) for config in configs]
