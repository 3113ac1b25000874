import pytest
from answers import ask
from model_folders import LLAMA, write_folder

from kvviz.bench import folder_speeds, suite
from kvviz.bench.folder_speeds import NEW_TOKENS, PROMPT_TOKENS, TOO_SMALL, run_of
from kvviz.bench.goals import FOLDER_GOALS
from kvviz.bench.measure import Measure
from kvviz.engine.folder import open_folder


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path)


@pytest.fixture
def _once(monkeypatch):
    monkeypatch.setattr(folder_speeds, "MOST_ROUNDS", 1)
    monkeypatch.setattr(folder_speeds, "NEW_TOKENS", 4)


@pytest.mark.usefixtures("_once")
def test_a_folder_is_held_against_transformers_which_says_the_same(folder):
    pytest.importorskip("transformers")
    found = folder_speeds.folder_speeds(folder)
    assert found.keys() == FOLDER_GOALS.keys()
    assert found["folder_decode"].reason == ""
    assert found["folder_decode"].ratio > 0
    assert (found["folder_load"].ratio, found["folder_load"].reason) == (None, TOO_SMALL)
    assert found["folder_load"].value > 0


@pytest.mark.usefixtures("_once")
def test_a_large_file_has_a_ratio(folder, monkeypatch):
    monkeypatch.setattr(folder_speeds, "LEAST_BYTES", 0)
    opened = open_folder(folder)
    assert folder_speeds.load_times(opened, folder_speeds.folder_weights(folder)).ratio > 0


@pytest.mark.usefixtures("_once")
def test_without_transformers_ours_is_still_measured(folder, monkeypatch):
    monkeypatch.setattr(folder_speeds.importlib.util, "find_spec", lambda _: None)
    found = folder_speeds.generate_speeds(open_folder(folder), folder)
    assert found.value > 0
    assert (found.ratio, found.reason) == (None, folder_speeds.NOT_INSTALLED)


@pytest.mark.parametrize(
    ("context", "prompt", "new"), [(4096, PROMPT_TOKENS, NEW_TOKENS), (32, 16, 16)]
)
def test_a_run_stays_within_the_context_and_no_token_ends_it(tmp_path, context, prompt, new):
    folder = write_folder(tmp_path, LLAMA | {"max_position_embeddings": context})
    run = run_of(open_folder(folder))
    assert (len(run.prompt_ids), run.max_new_tokens) == (prompt, new)
    assert run.end_token_ids == ()


def test_a_context_without_room_for_a_decode_step_is_said(tmp_path):
    folder = write_folder(tmp_path, LLAMA | {"max_position_embeddings": 2})
    opened = open_folder(str(folder), with_tokenizer=False)
    found = folder_speeds.generate_speeds(opened, str(folder))
    assert found.value is None
    assert "too short" in found.reason


def test_without_a_built_in_model_its_rows_say_so(monkeypatch):
    monkeypatch.setattr(folder_speeds, "has_built_in", lambda: False)
    found = folder_speeds.folder_speeds("built-in")
    assert found.keys() == {"built_in_decode", "built_in_load"}
    assert {measure.reason for measure in found.values()} == {"this kvviz has no built-in model"}


@pytest.mark.parametrize(
    ("name", "goals"),
    [("built-in", ["built_in_decode", "built_in_load"]), ("some/dir", list(FOLDER_GOALS))],
)
def test_a_named_model_is_two_rows(monkeypatch, name, goals):
    asked = []

    def measure(figure, longest_s):
        assert longest_s == suite.LONGEST_FOLDER_S
        asked.append((figure.module, list(figure.goals), figure.arguments))
        return dict.fromkeys(figure.goals, Measure(3.0, 2.0, 1.5))

    monkeypatch.setattr(suite, "measure", measure)
    [rows] = suite.measure_model(name)
    assert asked == [("folder_speeds", goals, (name,))]
    assert len(rows) == 2


def test_a_folder_that_is_none_is_refused_before_it_is_measured(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("kvviz.cli.bench.measure_model", None)
    assert "does not exist" in ask(capsys, "bench", "--model", tmp_path / "none").sentence
    assert "No config.json" in ask(capsys, "bench", "--model", tmp_path).sentence


def test_only_the_named_model_is_measured(capsys, monkeypatch, folder):
    monkeypatch.setattr("kvviz.cli.bench.measure_model", lambda name: iter([[{"name": name}]]))
    assert ask(capsys, "bench", "--model", folder, "--json").json == {"rows": [{"name": folder}]}
