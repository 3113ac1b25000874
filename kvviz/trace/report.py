"""A run as the JSON of the command line."""

from dataclasses import asdict
from typing import Any

from kvviz.trace.comparison import compare
from kvviz.trace.latency import itl_ns, tpot_ns, ttft_ns
from kvviz.trace.step import Step
from kvviz.trace.trace import Trace
from kvviz.trace.work import totals

Json = dict[str, Any]


def run_report(trace: Trace, text: str | None) -> Json:
    """Return the report of ``kvviz run --json``, batch row 0.

    ``text`` is prompt and continuation, None where ids were typed.  ``tokens`` are the generated
    ids; ``*_ns`` are integers in ns on the engine's clock, bytes cover all layers and sequences.
    """
    config = trace.config
    return {
        "prompt_tokens": list(config.prompt_ids),
        "tokens": trace.generated_ids,
        "text": text,
        "batch": config.batch,
        "cache": config.layout.kind.value,
        "dtype": config.dtype.value,
        "kv_dtype": config.layout.kv_dtype.value,
        "steps": [step_report(step) for step in trace.steps],
        "ttft_ns": ttft_ns(trace),
        "itl_ns": itl_ns(trace),
        "tpot_ns": tpot_ns(trace),
        "totals": asdict(totals(trace)),
    }


def compare_report(runs: list[tuple[Trace, str | None]]) -> Json:
    """Return the report of ``kvviz compare --json``; the first run is the reference."""
    reference = runs[0][0]
    return {
        "runs": [
            run_report(trace, text) | asdict(compare(reference, trace)) for trace, text in runs
        ]
    }


def step_report(step: Step) -> Json:
    """Return one step's figures; ``token_id`` is null for a prefill chunk that chose nothing."""
    return {
        "phase": step.phase.value,
        "num_tokens_fed": step.num_tokens_fed,
        "seq_len": step.seq_len,
        "latency_ns": step.latency_ns,
        "bytes_used": step.measured.used,
        "bytes_reserved": step.measured.reserved,
        "bytes_peak": step.measured.peak,
        "bytes_copied": step.measured.copied,
        "predicted_bytes": step.predicted.used,
        "predicted_reserved": step.predicted.reserved,
        "token_positions": step.token_positions,
        "score_cells": step.score_cells,
        "token_id": step.token_id,
    }
