"""Every way to keep a cache, asked for on the command line."""

import pytest
from answers import ask

LAYOUTS = "none,concat,preallocated,paged:4,sliding:64,quantized:int8,quantized:int4/16+4"
RUN = ("--prompt-ids", "10,20,30,40,50,60,70,80,90", "--max-new-tokens", "4")


def test_one_command_compares_every_layout(capsys):
    runs = ask(capsys, "compare", *RUN, "--cache", LAYOUTS, "--json").json["runs"]
    assert [run["cache"] for run in runs] == LAYOUTS.split(",")
    assert all(run["same_tokens"] for run in runs[:5])
    assert max(run["max_logit_gap"] for run in runs[:5]) < 1e-5
    paged, sliding, int8 = runs[3:6]
    assert all(step["bytes_pool"] >= step["bytes_reserved"] for step in paged["steps"])
    assert all(step["bytes_gathered"] == step["bytes_reserved"] for step in paged["steps"])
    assert "bytes_pool" not in sliding["steps"][0]
    assert len(int8["reconstruction_error"]) == 2
    assert 0 < int8["reconstruction_error"][0]["k"] < 0.02
    assert all(step["bytes_copied"] == 0 for run in runs[2:] for step in run["steps"])


def test_the_table_is_as_wide_as_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = ask(capsys, "compare", *RUN, "--cache", LAYOUTS).out
    assert all(name in text for name in LAYOUTS.split(","))
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_batch_may_have_prompts_of_different_lengths(capsys):
    options = ("--also", "1,2,3", "--also", "4,5", "--cache", "paged:1", "--json")
    report = ask(capsys, "run", *RUN, *options).json
    assert report["batch"] == 3
    assert [row["num_tokens_fed"] for row in report["steps"][0]["rows"]] == [3, 2]
    assert all(step["bytes_slack"] == 0 for step in report["steps"])


def test_a_second_prompt_says_what_it_found_and_why_the_rest_missed(capsys):
    options = ("--earlier", "10,20,30,40,50,60,71", "--cache", "paged:2")
    report = ask(capsys, "run", *RUN, *options, "--json").json
    assert report["prefix_tokens"] == 6
    assert report["steps"][0]["num_tokens_fed"] == 3
    assert report["prefix_misses"] == [
        "no block with these tokens behind this prefix was ever stored",
        "the prompt ends inside it, and only full blocks are shared",
    ]
    assert "6 tokens, not computed" in ask(capsys, "run", *RUN, *options).out


def test_a_kernel_tells_how_far_it_is_from_eager(capsys):
    report = ask(capsys, "run", *RUN, "--kernel", "blockwise", "--tile", "4", "--json").json
    assert report["kernel"] == "blockwise"
    assert 0 <= report["max_kernel_gap"] < 1e-5


def test_keys_and_values_have_dtypes_of_their_own(capsys):
    options = ("--kv-dtype", "float16", "--v-dtype", "fp8", "--cache", "paged:4", "--json")
    report = ask(capsys, "run", *RUN, *options).json
    assert (report["kv_dtype"], report["v_dtype"]) == ("float16", "float8_e4m3")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--cache", "paged:0"), "between 1 and 256, not 0"),
        (("--cache", "quantized:int4", "--head-dim", "5"), "head size 5 must be even"),
        (("--cache", "quantized", "--kv-dtype", "fp8"), "too coarse"),
        (("--dtype", "fp8"), "No model computes in float8_e4m3"),
        (("--earlier", "1,2,3"), "give --cache paged:16 with it"),
        (("--also", "1,2", "--batch", "2"), "give one"),
        (("--kernel", "flash"), "choose sdpa, eager, blockwise"),
        (("--tile", "0"), "from 1 to 4,096 tokens, not 0"),
    ],
)
def test_bad_combinations_are_refused_with_the_reason(capsys, options, reason):
    answer = ask(capsys, "run", *RUN, *options)
    assert answer.code == 2
    assert reason in answer.sentence
