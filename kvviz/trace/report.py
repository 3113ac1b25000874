"""A run as the JSON of the command line."""

from dataclasses import asdict
from typing import Any

from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout_text import layout_text
from kvviz.trace.comparison import compare
from kvviz.trace.errors import layer_errors
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
        "cache": layout_text(config.layout),
        "dtype": config.dtype.value,
        "kv_dtype": config.layout.kv_dtype.value,
        "steps": [step_report(step) for step in trace.steps],
        "ttft_ns": ttft_ns(trace),
        "itl_ns": itl_ns(trace),
        "tpot_ns": tpot_ns(trace),
        "totals": asdict(totals(trace)),
    } | _told_by_some(trace)


def compare_report(runs: list[tuple[Trace, str | None]]) -> Json:
    """Return the report of ``kvviz compare --json``; the first run is the reference."""
    reference = runs[0][0]
    return {
        "runs": [
            run_report(trace, text) | asdict(compare(reference, trace)) for trace, text in runs
        ]
    }


def _told_by_some(trace: Trace) -> Json:
    """Return what only some runs have to say: of V alone, of codes, of a pool that is shared."""
    told: Json = {}
    if trace.config.layout.v_dtype is not None:
        told["v_dtype"] = trace.config.layout.v_dtype.value
    if trace.config.kernel is not Kernel.SDPA:
        told["kernel"] = trace.config.kernel.value
    gaps = [step.kernel_gap for step in trace.steps if step.kernel_gap is not None]
    if gaps:
        told["max_kernel_gap"] = max(gaps)
    errors = layer_errors(trace)
    if errors is not None:
        told["reconstruction_error"] = errors
    prefix = trace.steps[0].prefix if trace.steps else None
    if prefix is not None:
        told["prefix_tokens"] = prefix.num_tokens
        told["prefix_misses"] = [miss.value for miss in prefix.misses]
    return told


def step_report(step: Step) -> Json:
    """Return one step's figures; ``token_id`` is null for a prefill chunk that chose nothing.

    ``bytes_slack`` (reserved - used), those of a pool, and those read into a scratch, are there
    where a layout has such; ``rows`` where rows of the batch have prompts of their own.
    """
    measured = step.measured
    report: Json = {
        "phase": step.phase.value,
        "num_tokens_fed": step.num_tokens_fed,
        "seq_len": step.seq_len,
        "latency_ns": step.latency_ns,
        "bytes_used": measured.used,
        "bytes_reserved": measured.reserved,
        "bytes_peak": measured.peak,
        "bytes_copied": measured.copied,
        "predicted_bytes": step.predicted.used,
        "predicted_reserved": step.predicted.reserved,
        "token_positions": step.token_positions,
        "score_cells": step.score_cells,
        "token_id": step.token_id,
    }
    if measured.reserved:
        report["bytes_slack"] = measured.slack
    if measured.pool:
        report["bytes_pool"] = measured.pool
    if measured.gathered:
        report["bytes_gathered"] = measured.gathered
    if step.more_rows:
        report["rows"] = [
            {"num_tokens_fed": len(row.new_ids), "token_id": row.token_id} for row in step.more_rows
        ]
    return report
