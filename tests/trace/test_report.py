import json

from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.report import compare_report, run_report

RUN_KEYS = {
    "prompt_tokens", "tokens", "text", "batch", "cache", "dtype", "kv_dtype", "steps",
    "ttft_ns", "itl_ns", "tpot_ns", "totals",
}  # fmt: skip
STEP_KEYS = {
    "phase", "num_tokens_fed", "seq_len", "latency_ns", "bytes_used", "bytes_reserved",
    "bytes_peak", "bytes_copied", "predicted_bytes", "predicted_reserved", "token_positions",
    "score_cells", "token_id", "bytes_slack",
}  # fmt: skip
TOTAL_KEYS = {
    "token_positions", "score_cells", "naive_token_positions", "naive_score_cells", "multiplier",
}  # fmt: skip


def test_a_report_has_these_keys_and_no_others(make_trace):
    report = run_report(make_trace(dtype=DType.BFLOAT16, batch=3), "abc!")

    assert set(report) == RUN_KEYS
    assert [set(step) for step in report["steps"]] == [STEP_KEYS] * 3
    assert set(report["totals"]) == TOTAL_KEYS
    assert report["prompt_tokens"] == [5, 6, 7]
    assert report["tokens"] == [11, 12, 13]
    assert (report["text"], report["batch"]) == ("abc!", 3)
    assert (report["cache"], report["dtype"], report["kv_dtype"]) == (
        "preallocated", "bfloat16", "float32",
    )  # fmt: skip


def test_every_figure_is_plain_json(make_trace):
    report = run_report(make_trace(chosen=(1,), chunks=(2, 1)), None)

    again = json.loads(json.dumps(report, allow_nan=False))

    assert again == report
    assert again["text"] is None
    assert again["tpot_ns"] is None
    assert again["steps"][0]["token_id"] is None


def test_without_a_cache_the_first_step_is_prefill_and_the_rest_decode(make_trace):
    report = run_report(make_trace(layout=LayoutKind.NONE), None)

    assert [step["phase"] for step in report["steps"]] == ["prefill", "decode", "decode"]
    assert [step["num_tokens_fed"] for step in report["steps"]] == [3, 4, 5]
    assert all(step["bytes_used"] == step["predicted_bytes"] == 0 for step in report["steps"])


def test_runs_are_compared_with_the_first(make_trace):
    runs = [(make_trace(chosen=chosen), None) for chosen in [(1, 2), (1, 2), (1, 3)]]

    report = compare_report(runs)

    assert set(report) == {"runs"}
    assert set(report["runs"][2]) == RUN_KEYS | {"same_tokens", "first_difference", "max_logit_gap"}
    assert [run["same_tokens"] for run in report["runs"]] == [True, True, False]
    assert [run["first_difference"] for run in report["runs"]] == [None, None, 1]
    assert report["runs"][0]["max_logit_gap"] == 0.0
