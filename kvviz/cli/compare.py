"""``kvviz compare``."""

import json
from argparse import Namespace

from kvviz.cli.recording import record
from kvviz.cli.request import run_configs, run_text


def compare(options: Namespace) -> int:
    """Make the run once for each cache layout and print them; return the exit code."""
    traces = record(run_configs(options, options.cache))
    if options.json:
        from kvviz.trace.report import compare_report

        runs = [(trace, run_text(trace.config, trace.generated_ids)) for trace in traces]
        print(json.dumps(compare_report(runs), allow_nan=False))
    else:
        from kvviz.cli.terminal import print_runs

        print_runs(traces, compared=True)
    return 0
