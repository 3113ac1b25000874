import pytest
from engine_runs import CPU, config_of
from load_stand import Kept
from model_folders import tensors_of, write_folder
from runner_stand import handled

from kvviz.engine.folder import open_folder
from kvviz.engine.load import load_model
from kvviz.engine.load_news import PAUSE_NS, LoadNews
from kvviz.engine.recorder import Cancelled
from kvviz.trace.config import RunConfig
from kvviz.trace.messages import ModelLoaded, ModelLoading, RunFailed, RunFinished, StartRun


def nothing():
    return None


def config(folder, **fields):
    choice = open_folder(folder, with_tokenizer=False).choice
    given = {"max_new_tokens": 2, "max_seq_len": 8} | fields
    return RunConfig(choice.spec, (1, 2), tokenizer=choice.tokenizer, **given)


def test_it_is_told_at_most_twenty_times_a_second():
    posted, now = [], [0]
    news = LoadNews(7, nothing, posted.append, lambda: now[0])
    for step in range(1, 101):
        now[0] += PAUSE_NS // 10
        news.progress(step, 100)
    assert posted == [ModelLoading(7, done, 100) for done in range(10, 101, 10)]


def test_what_reads_nothing_has_nothing_to_tell():
    posted, now = [], [0]
    news = LoadNews(7, nothing, posted.append, lambda: now[0])
    now[0] = 10 * PAUSE_NS
    news.progress(0, 100)
    assert posted == []


def test_a_cancel_ends_the_load():
    def cancel():
        raise Cancelled

    with pytest.raises(Cancelled):
        LoadNews(7, cancel, lambda _: None).progress(1, 2)


def test_the_runner_tells_bytes_while_it_loads_and_warnings_once(tmp_path, monkeypatch):
    monkeypatch.setattr("kvviz.engine.load_news.PAUSE_NS", 0)
    tensors = tensors_of()
    tensors["model.embed_tokens.weight"][200, :3] = float("nan")
    run = config(write_folder(tmp_path, tensors=tensors))
    _, inbox = handled(StartRun(1, run), StartRun(2, run))
    told = [event for event in inbox.of(1) if isinstance(event, ModelLoading)]
    assert [event.done for event in told] == sorted({event.done for event in told})
    assert told[-1].done == told[-1].total == run.cost.weights
    first, second = (event for event in inbox.events if isinstance(event, ModelLoaded))
    assert "3 weights are not finite" in first.warnings[0]
    assert second.warnings == ()
    assert not [event for event in inbox.of(2) if isinstance(event, ModelLoading)]


def test_the_runner_goes_on_after_a_folder_that_cannot_be_loaded(tmp_path):
    run = config(write_folder(tmp_path / "bad"))
    (tmp_path / "bad" / "model.safetensors").write_bytes(b"")
    good = config(write_folder(tmp_path / "good"))
    _, inbox = handled(StartRun(1, run), StartRun(2, good))
    [failed] = [event for event in inbox.events if isinstance(event, RunFailed)]
    assert "is empty" in failed.message
    assert [event.run_id for event in inbox.events if isinstance(event, RunFinished)] == [2]


def test_a_tokenizer_that_is_gone_is_refused_before_the_model_is_dropped(tmp_path):
    folder = write_folder(tmp_path / "model")
    choice = open_folder(folder).choice
    run = RunConfig(choice.spec, (1,), tokenizer=choice.tokenizer, tokenizer_path=str(tmp_path))
    loaded = []

    def load(*args):
        loaded.append(args)
        return load_model(*args)

    handled(StartRun(1, config_of()), StartRun(2, run), load=load)
    assert len(loaded) == 1


def test_random_weights_can_be_stopped_too():
    spec = config_of().model
    with pytest.raises(KeyboardInterrupt):
        load_model(spec, config_of().dtype, CPU, Kept(stop_after=3))
