"""``kvviz run``."""

import json
from argparse import Namespace

from kvviz.cli.recording import record, record_behind
from kvviz.cli.request import run_configs, run_text, sharing_configs
from kvviz.trace.atomic import check_target


def run(options: Namespace) -> int:
    """Generate once and print it; return the exit code."""
    [config] = run_configs(options, [options.cache])
    if options.trace is not None:
        check_target(options.trace)  # a long run should not end in a place that never was
    if options.earlier is None:
        [trace] = record([config])
    else:
        earlier, config = sharing_configs(options, config)
        trace = record_behind(earlier, config)
    if options.trace is not None:
        from kvviz.trace.file import save_trace

        save_trace(trace, options.trace)
    if options.json:
        from kvviz.trace.report import run_report

        report = run_report(trace, run_text(config, trace.generated_ids))
        print(json.dumps(report, allow_nan=False))
    else:
        from kvviz.cli.terminal import print_runs

        print_runs([trace], compared=False)
    return 0
