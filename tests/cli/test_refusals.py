import errno
import os

import pytest
from answers import ask
from tutorial_file import write_tutorial

from kvviz.engine.generate import Generation
from kvviz.trace.file import load_trace

IDS = ("run", "--prompt-ids", "10,20,30,40")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("run",), "give --prompt TEXT or --prompt-ids"),
        (("run", "--promp", "x"), "unrecognized arguments: --promp x"),
        (("run", "--prompt", ""), "prompt is empty"),
        (("run", "--prompt", " \n\t"), "prompt is empty"),
        (("run", "--prompt-ids", ""), "prompt is empty"),
        (("run", "--prompt-ids", " , ,"), "prompt is empty"),
        (("run", "--prompt-ids", "1,x"), "'x' is not a token id"),
        (("run", "--prompt-ids", "1,-2"), "'-2' is not a token id"),
        (("run", "--prompt-ids", "1,128"), "outside the vocabulary of 128"),
        (("run", "--prompt-ids", "1," + "9" * 6000), "is not a token id"),
        (("run", "--prompt", "abc", "--vocab-size", "50"), "outside the vocabulary of 50"),
        (("run", "--prompt", "a", "--prompt-ids", "1"), "not allowed with"),
        ((*IDS, "--max-new-tokens", "0"), "at least 1"),
        ((*IDS, "--max-new-tokens", "-1"), "--max-new-tokens: must be a whole number"),
        ((*IDS, "--max-new-tokens", "9" * 6000), "must be a whole number"),
        ((*IDS, "--max-new-tokens", "2.5"), "must be a whole number"),
        ((*IDS, "--max-seq-len", "10"), "over the sequence limit of 10"),
        ((*IDS, "--max-seq-len", "0"), "over the sequence limit of 0"),
        ((*IDS, "--heads", "4", "--kv-heads", "3"), "choose 1, 2 or 4"),
        ((*IDS, "--heads", "0"), "between 1 and"),
        ((*IDS, "--layers", "0"), "between 1 and"),
        ((*IDS, "--layers", "9" * 18), "between 1 and"),
        ((*IDS, "--head-dim", "9", "--positions", "rope"), "must be even"),
        ((*IDS, "--positions", "alibi"), "choose none, rope"),
        ((*IDS, "--dtype", "float31"), "dtype 'float31' is not known"),
        ((*IDS, "--kv-dtype", "int3"), "dtype 'int3' is not known"),
        ((*IDS, "--cache", "heap"), "choose none, concat, preallocated"),
        ((*IDS, "--cache", "none,concat"), "choose none, concat, preallocated"),
        ((*IDS, "--batch", "17"), "between 1 and 16"),
        ((*IDS, "--batch", "0"), "between 1 and 16"),
        ((*IDS, "--temperature", "-1"), "temperature must be from 0"),
        ((*IDS, "--temperature", "nan"), "--temperature: must be a number"),
        ((*IDS, "--top-p", "0"), "top-p must be above 0"),
        ((*IDS, "--temperature", "٢"), "--temperature: must be a number"),
        ((*IDS, "--top-p", "inf"), "--top-p: must be a number"),
        ((*IDS, "--device", "tpu"), "'tpu' is not here"),
        ((*IDS, "--model", "gpt2"), "nothing is downloaded"),
        ((*IDS, "--positions", "learned"), "choose none, rope;"),
        ((*IDS, "--layer", "2"), "unrecognized arguments: --layer"),
        ((*IDS, "--trace"), "--trace: expected one argument"),
        ((*IDS, "extra"), "unrecognized arguments: extra"),
        (("no-such-file",), "no command (run, compare, "),
        (("no/such/file",), "does not exist"),
        (("--at", "3"), "give --screenshot"),
        (("--compare", "none,concat"), "give --screenshot"),
        (("--screenshot", "a.png", "--size", "10x10"), "WIDTHxHEIGHT"),
        (("--screenshot", "a.png", "--theme", "pink"), "--theme: invalid choice"),
        (("--screenshot", "no/such/folder/a.png"), "its folder does not exist"),
    ],
)
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_input_that_cannot_be_used_is_one_sentence(capsys, options, said, json):
    assert said in ask(capsys, *options, *(json if options[0] == "run" else ())).sentence


def test_a_shape_too_big_is_refused_with_the_numbers(capsys):
    sentence = ask(
        capsys, *IDS, "--layers", 1024, "--heads", 1024, "--head-dim", 4096, "--batch", 16
    ).sentence

    assert "weights" in sentence
    assert "GiB free" in sentence


@pytest.mark.parametrize("size", ["--max-seq-len", "--max-new-tokens"])
def test_a_length_too_big_is_refused_with_the_numbers(capsys, size):
    assert "GiB free" in ask(capsys, *IDS, size, 10**15).sentence


def test_weights_need_heads_and_nothing_that_contradicts_them(capsys, tmp_path):
    weights = (*IDS, "--weights", write_tutorial(tmp_path / "tiny.safetensors"))

    assert "needs --heads" in ask(capsys, *weights).sentence
    assert "contradicts" in ask(capsys, *weights, "--heads", 4, "--layers", 3).sentence
    assert "contradicts" in ask(capsys, *weights, "--heads", 4, "--positions", "rope").sentence
    assert "heads do not divide" in ask(capsys, *weights, "--heads", 5).sentence
    assert "two models" in ask(capsys, *weights, "--heads", 4, "--model", "random").sentence
    agreeing = ("--heads", 4, "--layers", 2, "--head-dim", 16, "--vocab-size", 128)
    assert ask(capsys, *weights, *agreeing, "--max-new-tokens", 1, "--json").code == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "is empty"), (b"PK\x03\x04rest", "pickle can run code"), (b"<html>", "web page")],
)
def test_a_foreign_file_is_refused_wherever_it_is_named(capsys, tmp_path, content, said):
    path = tmp_path / "file.safetensors"
    path.write_bytes(content)

    assert said in ask(capsys, *IDS, "--weights", path, "--heads", 4).sentence
    assert said in ask(capsys, path).sentence


def test_a_model_that_raises_is_one_sentence_with_the_step(capsys, monkeypatch, tmp_path):
    whole, calls = Generation._step, []

    def failing(self, cancel):
        calls.append(self)
        if len(calls) == 3:
            raise RuntimeError("the\nweights are gone")
        return whole(self, cancel)

    monkeypatch.setattr(Generation, "_step", failing)
    found = ask(capsys, *IDS, "--json", "--trace", tmp_path / "run.safetensors")

    assert (found.code, found.out) == (2, "")
    assert "at step 2" in found.err
    assert "the weights are gone" in found.err
    assert found.err.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_ctrl_c_leaves_nothing_behind(capsys, monkeypatch, tmp_path):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Generation, "_step", stop)
    found = ask(capsys, *IDS, "--json", "--trace", tmp_path / "run.safetensors")

    assert (found.code, found.out) == (130, "")
    assert os.listdir(tmp_path) == []


def test_a_fault_of_our_own_is_one_sentence_and_exit_1(capsys, monkeypatch):
    def fail():
        raise LookupError("lost\nsomewhere")

    monkeypatch.setattr("kvviz.cli.info.system_report", fail)
    found = ask(capsys, "--info")

    assert found.code == 1
    assert "LookupError: lost somewhere" in found.err
    assert found.err.count("\n") == 1


def test_a_trace_is_written_whole(capsys, tmp_path):
    found = ask(capsys, *IDS, "--json", "--trace", tmp_path / "run.safetensors").json

    trace = load_trace(tmp_path / "run.safetensors")
    assert trace.generated_ids == found["tokens"]
    assert trace.steps[0].latency_ns == found["ttft_ns"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_trace_that_cannot_be_written_leaves_the_old_one(capsys, monkeypatch, tmp_path, code):
    path = tmp_path / "run.safetensors"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    assert "could not be written" in ask(capsys, *IDS, "--trace", path).sentence
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["run.safetensors"]


def test_a_place_that_is_none_is_refused_before_the_run(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("kvviz.cli.run.record", None)

    missing = tmp_path / "missing" / "run.safetensors"
    assert "its folder does not exist" in ask(capsys, *IDS, "--trace", missing).sentence
    assert "is a folder" in ask(capsys, *IDS, "--trace", tmp_path).sentence
