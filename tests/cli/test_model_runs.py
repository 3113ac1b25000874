from pathlib import Path

import pytest
import torch
from answers import ask
from model_folders import SINGLE, tensors_of, write_folder
from tokenizer_files import byte_level, write_json

from kvviz.trace.file import load_trace

SHORT = ("--max-new-tokens", 4)
STORIES = Path(__file__).parents[1] / "data" / "stories260K"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "model"
    write_folder(made)
    return made


@pytest.mark.parametrize("named", [".", SINGLE, "config.json", "tokenizer.json"])
def test_a_folder_runs_and_says_its_text(capsys, folder, named):
    run = ("run", "--model", folder / named, "--prompt", "a cat", *SHORT, "--json")
    found = ask(capsys, *run)
    assert found.json["text"].startswith("a cat")
    assert found.json["prompt_tokens"] == list(
        byte_level().encode("<s>a cat", add_special_tokens=False).ids
    )
    assert found.err == ""


def test_layouts_say_the_same_on_a_folder(capsys, folder):
    found = ask(capsys, "compare", "--model", folder, "--prompt", "a cat", *SHORT, "--json").json
    assert [run["same_tokens"] for run in found["runs"]] == [True, True, True]


@pytest.mark.parametrize("name", ["with spaces", "\N{CAT} ünïcode", "x" * 200])
def test_a_folder_may_have_any_name(capsys, tmp_path, name):
    folder = write_folder(tmp_path / name)
    assert ask(capsys, "run", "--model", folder, "--prompt", "a", *SHORT).code == 0


def test_an_end_token_ends_the_run(capsys, folder):
    typed = ("run", "--model", folder, "--prompt-ids", "1,2", "--max-new-tokens", 8, "--json")
    first, second, *_ = ask(capsys, *typed).json["tokens"]
    write_json(folder / "generation_config.json", {"eos_token_id": [first, 999]})
    assert ask(capsys, *typed).json["tokens"] == [first]
    write_json(folder / "generation_config.json", {"eos_token_id": second})
    assert ask(capsys, *typed).json["tokens"] in ([first, second], [first])


def test_tensors_that_the_model_does_not_have_are_noted(capsys, folder):
    found = tensors_of() | {"vision.weight": torch.ones(2, 2)}
    write_folder(folder, tensors=found, tokenizer=False)
    answer = ask(capsys, "run", "--model", folder, "--prompt", "a", *SHORT, "--json")
    assert answer.json["text"].startswith("a")
    assert answer.err.startswith("kvviz: note: model: 1 tensors are not part of a llama")
    assert "vision.weight" in answer.err


def test_weights_that_are_no_numbers_are_warned_of_with_their_count(capsys, folder):
    found = tensors_of()
    found["model.embed_tokens.weight"][200] = float("nan")
    write_folder(folder, tensors=found, tokenizer=False)
    answer = ask(capsys, "run", "--model", folder, "--prompt-ids", "1", *SHORT, "--json")
    assert "kvviz: warning: " in answer.err
    assert "16 weights are not finite" in answer.err


def test_a_folders_run_can_be_kept(capsys, folder, tmp_path):
    path = tmp_path / "run.safetensors"
    found = ask(
        capsys, "run", "--model", folder, "--prompt", "a cat", *SHORT, "--trace", path, "--json"
    ).json
    trace = load_trace(path)
    assert trace.generated_ids == found["tokens"]
    assert trace.config.tokenizer_path == str(folder)
    assert trace.steps[0].new_pieces[-1] == " cat"


def test_a_model_that_others_trained_tells_the_story_they_print(capsys):
    run = ("run", "--model", STORIES, "--prompt", "Once upon", "--max-new-tokens", 60, "--json")
    text = ask(capsys, *run).json["text"]
    assert text.startswith("Once upon a time, there was a little girl named Lily. She loved to")
    assert "One day, she saw a big, red ball." in text


# The built-in model


@pytest.fixture
def built_in(folder, monkeypatch):
    for place in ("engine.folder", "engine.tokenizer", "engine.load"):
        monkeypatch.setattr(f"kvviz.{place}.built_in_model", lambda: folder)


@pytest.mark.usefixtures("built_in")
def test_text_alone_runs_the_built_in_model(capsys, tmp_path):
    path = tmp_path / "run.safetensors"
    found = ask(capsys, "run", "--prompt", "a cat", *SHORT, "--trace", path, "--json").json
    assert found["prompt_tokens"][0] == 259
    config = load_trace(path).config
    assert (config.model.source, config.model.path) == ("built-in", None)
    assert (config.tokenizer, config.tokenizer_path) == ("file", None)
    assert "the built-in model" in ask(capsys, "run", "--prompt", "a cat", *SHORT).out


@pytest.mark.usefixtures("built_in")
@pytest.mark.parametrize(
    "options", [("--layers", 1), ("--model", "random"), ("--bytes",), ("--vocab-size", 256)]
)
def test_shape_flags_and_bytes_mean_random_weights(capsys, options):
    found = ask(capsys, "run", "--prompt", "a cat", *options, *SHORT, "--json").json
    assert found["prompt_tokens"] == list(b"a cat")


@pytest.mark.usefixtures("built_in")
def test_ids_alone_mean_random_weights_and_the_built_in_takes_them_too(capsys):
    ids = ("run", "--prompt-ids", "1,2,3", *SHORT, "--json")
    assert max(ask(capsys, *ids).json["tokens"]) < 128
    named = (*ids, "--model", "built-in")
    assert ask(capsys, *named).json["prompt_tokens"] == [1, 2, 3]
    assert "contradicts built-in" in ask(capsys, *named, "--layers", 3).sentence


def test_without_a_built_in_model_that_is_said(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("kvviz.engine.folder.built_in_model", lambda: tmp_path)
    named = ("run", "--prompt", "a", "--model", "built-in")
    assert "has no built-in model" in ask(capsys, *named).sentence
