import json
import random
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

from kvviz.training import __main__ as command
from kvviz.training.corpus import read_corpus, varied
from kvviz.training.evaluate import nats_per_character
from kvviz.training.llama import Llama
from kvviz.training.muon import orthogonal
from kvviz.training.optimise import Trainer
from kvviz.training.recipe import Recipe
from kvviz.training.vocabulary import train_tokenizer
from kvviz.training.windows import Windows

NAMES = ("Tom", "Lily", "Ben", "Mia", "Sam", "Sue")
STORIES = [
    f"{a} had a red ball. {b} had a blue cup.\n{a} and {b} played. {b} was happy and {a} was too."
    for a in NAMES
    for b in NAMES
    if a != b
]
TINY = Recipe(
    num_layers=1,
    hidden_size=24,
    num_heads=4,
    num_kv_heads=2,
    head_dim=6,
    ffn_size=32,
    vocab_size=300,
    context=288,
    steps=8,
    step_tokens=288,
    held_out_stories=3,
    warmup_steps=2,
)


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(STORIES, TINY.vocab_size)


def corpus_file(folder):
    path = folder / "stories.txt"
    path.write_text("\n\n".join(STORIES), encoding="utf-8")
    return path


def test_the_last_stories_are_held_out(tmp_path):
    corpus = read_corpus(corpus_file(tmp_path), held_out=3)
    assert (*corpus.train, *corpus.held_out) == tuple(STORIES)
    assert corpus.held_out == tuple(STORIES[-3:])


def test_a_corpus_of_too_few_stories_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="30 stories and 30 are held out"):
        read_corpus(corpus_file(tmp_path), held_out=30)


def test_names_and_colours_are_exchanged_throughout_and_two_people_never_become_one():
    rng = random.Random(1)
    for _ in range(50):
        words = varied(STORIES[0], rng, 1.0, 1.0).replace(".", "").split()
        first, second = words[0], words[5]
        assert first != second
        assert (
            words
            == (
                f"{first} had a {words[3]} ball {second} had a {words[8]} cup "
                f"{first} and {second} played {second} was happy and {first} was too"
            ).split()
        )


def test_nothing_is_exchanged_at_probability_zero():
    assert varied(STORIES[0], random.Random(0), 0.0, 0.0) == STORIES[0]


def test_the_tokenizer_gives_back_any_text_and_starts_with_its_mark(tokenizer):
    text = "Tom saw a naïve 猫 🐈."
    ids = tokenizer.encode(text).ids
    assert ids[0] == tokenizer.token_to_id("<s>")
    assert tokenizer.decode(ids).lstrip() == text


def test_every_window_begins_with_the_mark_and_grows_with_the_steps(tokenizer):
    batches = list(Windows(tuple(STORIES), tokenizer, TINY).batches())
    assert [batch.shape for batch in batches] == [(4, 73)] * 3 + [(2, 145)] * 3 + [(1, 289)] * 2
    assert all((batch[:, 0] == tokenizer.token_to_id("<s>")).all() for batch in batches)


def test_windows_are_the_same_for_a_seed(tokenizer):
    first, second = (list(Windows(tuple(STORIES), tokenizer, TINY).batches()) for _ in range(2))
    other = list(Windows(tuple(STORIES), tokenizer, replace(TINY, seed=1)).batches())
    assert all(map(np.array_equal, first, second))
    assert not all(map(np.array_equal, first, other))


def test_repeats_repeat(tokenizer):
    recipe = replace(TINY, repeats=1.0, repeats_at_the_end=1.0, steps=1)
    (batch,) = Windows(tuple(STORIES), tokenizer, recipe).batches()
    for row in batch:
        assert any((row[1 + n :] == row[1:-n]).all() for n in range(12, 49))


def test_orthogonal_brings_singular_values_near_one():
    for shape in ((3, 8, 20), (2, 20, 8), (1, 8, 8)):
        values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert values.min() > 0.4
        assert values.max() < 1.3


def test_the_rate_rises_stays_and_falls_to_zero():
    recipe = Recipe()
    assert recipe.rate(0) == pytest.approx(1 / 60)
    assert recipe.rate(recipe.steps // 3) == 1.0
    assert 0 < recipe.rate(recipe.steps - 1) < 0.001


def test_training_learns(tokenizer):
    recipe = replace(TINY, steps=16)
    torch.manual_seed(0)
    trainer = Trainer(Llama(recipe), recipe)
    losses = list(trainer.run(Windows(tuple(STORIES), tokenizer, recipe).batches()))
    assert losses[-1] < losses[0] - 0.5


def test_training_taken_up_again_ends_where_it_would_have(tokenizer):
    batches = list(Windows(tuple(STORIES), tokenizer, TINY).batches())
    torch.manual_seed(0)
    whole = Trainer(Llama(TINY), TINY)
    list(whole.run(iter(batches[:4])))
    state = {name: tensor.clone() for name, tensor in whole.state().items()}
    rest = list(whole.run(iter(batches[4:])))
    again = Trainer(Llama(TINY), TINY)
    again.take_up(state)
    assert list(again.run(iter(batches[4:]))) == rest


def test_the_loss_is_over_all_tokens_but_the_first_and_over_the_characters(tokenizer):
    vocabulary = tokenizer.get_vocab_size()
    stories = STORIES[:2]
    tokens = sum(len(tokenizer.encode(story).ids) - 1 for story in stories)
    uniform = nats_per_character(
        lambda ids: torch.zeros(1, ids.shape[1], vocabulary), stories, tokenizer, context=7
    )
    assert uniform == pytest.approx(tokens * np.log(vocabulary) / sum(map(len, stories)))


def test_the_command_writes_a_folder_that_transformers_opens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)  # else it leaves a thread behind
    monkeypatch.setattr(command, "Recipe", lambda: TINY)
    options = ["--corpus", str(corpus_file(tmp_path)), "--out", "made", "--steps", "8"]
    monkeypatch.setattr(sys, "argv", ["training", *options])
    command.main()
    made = tmp_path / "made"
    model = AutoModelForCausalLM.from_pretrained(made, dtype=torch.float32)
    words = AutoTokenizer.from_pretrained(made)
    ours = Tokenizer.from_file(str(made / "tokenizer.json"))
    assert words("Tom had a").input_ids == ours.encode("Tom had a").ids
    state = torch.nn.Module.state_dict(model)
    assert model.config.tie_word_embeddings
    log = json.loads((made / "training.json").read_text(encoding="utf-8"))
    corpus = read_corpus(corpus_file(tmp_path), TINY.held_out_stories)
    with torch.inference_mode():
        loss = nats_per_character(
            lambda ids: model(ids).logits, corpus.held_out, ours, TINY.context
        )
    # Ours in float32, theirs in the float16 that was written.
    assert loss == pytest.approx(log["held_out"][-1]["nats_per_character"], abs=2e-3)
    assert state["model.embed_tokens.weight"].shape == (TINY.vocab_size, TINY.hidden_size)
