import pytest
import torch
from answers import ask
from safetensors.torch import save_file

from kvviz.bench.tutorial import TinyCausalLM
from kvviz.cli.main import main

IDS = "10,20,30,40"
FEW = ("--max-new-tokens", 3)


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory):
    torch.manual_seed(11)
    model = TinyCausalLM().eval()
    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    save_file(model.state_dict(), path)
    return model, path


@torch.inference_mode()
def greedy(model, ids, count):
    """The full prefix each time, with nothing of ours."""
    ids = list(ids)
    for _ in range(count):
        ids.append(int(model(torch.tensor([ids]))[0][0, -1].argmax()))
    return ids


@pytest.mark.parametrize("cache", ["none", "concat", "preallocated"])
def test_a_tutorials_weights_say_what_the_tutorials_model_says(capsys, tutorial, cache):
    model, path = tutorial

    found = ask(
        capsys, "run", "--weights", path, "--heads", 4, "--prompt-ids", IDS,
        "--max-new-tokens", 12, "--cache", cache, "--json",
    ).json  # fmt: skip

    assert found["prompt_tokens"] + found["tokens"] == greedy(model, (10, 20, 30, 40), 12)
    assert found["text"] is None
    assert (found["cache"], found["dtype"], found["kv_dtype"]) == (cache, "float32", "float32")


def test_shape_flags_mean_the_random_weights_of_the_seed(capsys):
    torch.manual_seed(5)
    model = TinyCausalLM(vocab_size=40, hidden_size=24, num_heads=3, num_layers=1)

    found = ask(
        capsys, "run", "--layers", 1, "--heads", 3, "--head-dim", 8, "--vocab-size", 40,
        "--seed", 5, "--prompt-ids", "1 2 3", "--max-new-tokens", 8, "--json",
    ).json  # fmt: skip

    assert found["prompt_tokens"] + found["tokens"] == greedy(model, (1, 2, 3), 8)


def test_counts_and_bytes_are_those_of_the_closed_forms(capsys):
    found = ask(
        capsys, "run", "--prompt-ids", IDS, "--max-new-tokens", 5, "--layers", 3, "--heads", 4,
        "--kv-heads", 2, "--head-dim", 8, "--batch", 2, "--kv-dtype", "bf16", "--cache", "concat",
        "--json",
    ).json  # fmt: skip

    per_token = 2 * 3 * 2 * 2 * 8 * 2  # K and V, layers, batch, KV heads, head size, bytes
    steps = found["steps"]
    assert [step["phase"] for step in steps] == ["prefill"] + ["decode"] * 4
    assert [step["num_tokens_fed"] for step in steps] == [4, 1, 1, 1, 1]
    assert [step["seq_len"] for step in steps] == [4, 5, 6, 7, 8]
    assert [step["score_cells"] for step in steps] == [10, 5, 6, 7, 8]
    assert [step["bytes_used"] for step in steps] == [n * per_token for n in (4, 5, 6, 7, 8)]
    assert [step["bytes_copied"] for step in steps] == [n * per_token for n in (0, 4, 5, 6, 7)]
    assert [step["bytes_peak"] for step in steps] == [n * per_token for n in (4, 9, 11, 13, 15)]
    for step in steps:
        assert step["predicted_bytes"] == step["bytes_used"]
        assert step["predicted_reserved"] == step["bytes_reserved"]
    assert found["totals"] == {
        "token_positions": 8,
        "score_cells": 36,
        "naive_token_positions": 4 + 5 + 6 + 7 + 8,
        "naive_score_cells": 10 + 15 + 21 + 28 + 36,
        "multiplier": 3 * 4 * 2,
    }
    assert (found["batch"], found["kv_dtype"]) == (2, "bfloat16")


def test_times_fit_together(capsys):
    found = ask(capsys, "run", "--prompt-ids", IDS, "--max-new-tokens", 4, "--json").json

    latencies = [step["latency_ns"] for step in found["steps"]]
    assert found["ttft_ns"] == latencies[0] > 0
    assert found["itl_ns"] == latencies[1:]
    assert found["tpot_ns"] == round(sum(latencies[1:]) / 3)


def test_one_token_has_no_gap(capsys):
    found = ask(capsys, "run", "--prompt-ids", IDS, "--max-new-tokens", 1, "--json").json

    assert (found["itl_ns"], found["tpot_ns"]) == ([], None)
    assert len(found["tokens"]) == len(found["steps"]) == 1


def test_text_holds_prompt_and_continuation(capsys):
    found = ask(capsys, "run", "--prompt", "Grüße 🙂", "--bytes", *FEW, "--json").json

    assert found["text"].startswith("Grüße 🙂")
    assert bytes(found["prompt_tokens"]).decode() == "Grüße 🙂"
    assert all(0 <= token < 256 for token in found["tokens"])


def test_a_prompt_that_is_not_unicode_runs(capsys):
    found = ask(capsys, "run", "--prompt", "a\udc80", "--bytes", *FEW, "--json").json

    assert found["text"].startswith("a?")


def test_a_chunked_prefill_says_the_same(capsys):
    whole = ask(capsys, "run", "--prompt-ids", IDS, "--json").json
    chunked = ask(capsys, "run", "--prompt-ids", IDS, "--prefill-chunk", 3, "--json").json

    assert chunked["tokens"] == whole["tokens"]
    assert [step["num_tokens_fed"] for step in chunked["steps"][:3]] == [3, 1, 1]
    assert chunked["steps"][0]["token_id"] is None
    assert chunked["ttft_ns"] == sum(step["latency_ns"] for step in chunked["steps"][:2])
    assert chunked["totals"] == whole["totals"]


def test_the_seed_decides_weights_and_draws(capsys):
    def tokens(*options):
        return ask(capsys, "run", "--prompt-ids", IDS, *options, "--json").json["tokens"]

    drawn = ("--temperature", "1.5", "--top-k", "50", "--top-p", "0.9")
    assert tokens("--seed", 1) != tokens("--seed", 2)
    assert tokens(*drawn, "--seed", 1) == tokens(*drawn, "--seed", 1) != tokens("--seed", 1)


def test_the_limit_is_what_preallocated_reserves(capsys):
    tight = ask(capsys, "run", "--prompt-ids", IDS, "--max-new-tokens", 4, "--json").json
    wide = ask(
        capsys, "run", "--prompt-ids", IDS, "--max-new-tokens", 4, "--max-seq-len", 80, "--json"
    ).json

    assert wide["steps"][0]["bytes_reserved"] == 10 * tight["steps"][0]["bytes_reserved"]


def test_the_default_is_24_tokens(capsys):
    assert len(ask(capsys, "run", "--prompt", "a", "--bytes", "--json").json["tokens"]) == 24


def test_stdout_is_one_line_of_ascii(capsys):
    found = ask(capsys, "run", "--prompt", "ü", "--bytes", "--json")

    assert found.out.isascii()
    assert found.out.count("\n") == 1
    assert found.err == ""


def test_main_returns_its_exit_code(capsys):
    assert main(["run", "--prompt-ids", "1", "--max-new-tokens", "1", "--json"]) == 0
    assert capsys.readouterr().out
