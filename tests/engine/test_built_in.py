"""What the built-in model is promised to do, measured on the shipped weights."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from kvviz.assets import built_in_model
from kvviz.engine.generate import Generation
from kvviz.engine.head_kinds import measure_heads
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.session.built_in import BUILT_IN
from kvviz.session.settings import first_settings
from kvviz.sizing.dtypes import DType
from kvviz.trace.config import TokenizerKind
from kvviz.trace.head_kinds import HeadKind

# Written for this test: nobody trained on them.
PLAIN = "Once upon a time, there was a little girl named Lucy. She liked to play in the garden."
SHUFFLED = "garden the in play to liked She .Lucy named girl little a was there ,time a upon Once"


@pytest.fixture(scope="module")
def model():
    return load_model(BUILT_IN.spec, DType.FLOAT32, torch.device("cpu"))


@pytest.fixture(scope="module")
def tokenizer():
    return tokenizer_for(TokenizerKind.FILE, str(built_in_model()))


@pytest.fixture(scope="module")
def log():
    return json.loads((built_in_model() / "training.json").read_text(encoding="utf-8"))


def nats_per_character(model, tokenizer, text):
    ids = torch.tensor([tokenizer.encode(text)])
    with torch.inference_mode():
        logits = model.all_logits(ids[:, :-1])[0]
    loss = torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="sum")
    return loss.item() / len(text)


def test_its_training_ended_where_the_recipe_says(log):
    steps, last = log["recipe"]["steps"], log["held_out"][-1]
    assert last["tokens"] == steps * log["recipe"]["step_tokens"]
    assert last["nats_per_character"] <= 0.58
    assert log["parameters"] == BUILT_IN.spec.shape.num_parameters


def test_a_plain_story_costs_few_nats_and_a_shuffled_one_many(model, tokenizer):
    plain, shuffled = (nats_per_character(model, tokenizer, t) for t in (PLAIN, SHUFFLED))
    assert plain < 0.5
    assert shuffled > 2 * plain


def test_it_has_heads_of_each_kind(model, tokenizer):
    scores = measure_heads(model, tokenizer.encode("a")[0])
    best = {kind: scores.strongest(kind) for kind in HeadKind}
    assert all(place is not None for place in best.values())
    assert scores.score(HeadKind.PREVIOUS, *best[HeadKind.PREVIOUS]) >= 0.6
    assert scores.score(HeadKind.INDUCTION, *best[HeadKind.INDUCTION]) >= 0.7


@pytest.mark.parametrize("greedy", [True, False], ids=["greedy", "as it opens"])
def test_the_first_prompt_goes_on_in_sentences(model, tokenizer, greedy):
    settings = first_settings(BUILT_IN)
    if greedy:
        settings = replace(settings, temperature=0.0, top_p=1.0)
    config = settings.to_config(tokenizer.encode(settings.prompt))
    assert config.sampling.greedy == greedy
    steps = [step for step, _ in Generation(config, model, tokenizer).run()]
    chosen = [step.token_id for step in steps if step.token_id not in config.end_token_ids]
    text = tokenizer.decode(chosen)
    assert text.startswith("couch and started to")
    words = text.replace(".", " ").replace(",", " ").split()
    assert len(words) >= 20
    assert all(word.isalpha() or "'" in word for word in words)
    assert np.mean([step.probability for step in steps]) > 0.3


def test_the_card_says_what_was_measured(log):
    card = (built_in_model() / "README.md").read_text(encoding="utf-8")
    assert f"**{log['held_out'][-1]['nats_per_character']:.3f} nats per character**" in card
    assert log["corpus_sha256"] in card
