"""The model card: what the model is, how it was made, and what it was measured to do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from kvviz.engine.folder import open_folder
from kvviz.engine.generate import Generation
from kvviz.engine.head_kinds import measure_heads
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.model.transformer import Transformer
from kvviz.sizing.dtypes import DType
from kvviz.trace.config import ModelChoice, RunConfig, Sampling
from kvviz.trace.head_kinds import THRESHOLDS, HeadScores

PROMPTS = (
    "The cat sat on the",
    "Once upon a time, there was a little girl named",
    "Tom and Lily went to the park. They saw a big",
    "The dog was very happy because",
    '"Can I play with you?" asked the',
    "One day, a bird flew to the",
    "The sun was shining and",
    "Ben had a red ball. Sue had a blue ball. Ben gave Sue his",
    "Mom made a cake. It was",
    "It was raining, so the children",
)
NEW_TOKENS = 40
SAMPLED = Sampling(temperature=0.8, top_p=0.9, seed=1)

CARD = """# tiny-stories: the model kvviz opens with

A Llama-style transformer of {parameters:,} parameters that writes simple English stories for
children. It is here so that a KV cache can be watched in a model that says something; it knows
nothing and should be asked nothing.

| | |
|---|---|
| layers, hidden size | {num_layers}, {hidden_size} |
| heads | {num_heads} query heads, {num_kv_heads} KV heads of {head_dim} (GQA) |
| feed-forward | SwiGLU, {ffn_size} |
| norm, positions | RMSNorm ({norm_eps}), RoPE (theta {rope_theta:g}) |
| vocabulary | {vocab_size:,}, byte-level BPE; embedding and head are one matrix |
| trained context | {context} tokens: beyond it the text degrades, what the cache costs stays real |
| KV cache | {cache_values:,} values per token |
| weights | float16 safetensors, {weight_bytes:,} bytes |

## Data and licence
Trained on {stories} short stories from TinyStories (Ronen Eldan and Yuanzhi Li,
arXiv:2305.07759), which is under the Community Data License Agreement - Sharing, Version 1.0
(https://cdla.dev/sharing-1-0/). The text is not shipped. A model trained on it is a Result in the
sense of that agreement, whose section 3.5 puts no obligation on using or publishing Results; these
weights and this tokenizer are under kvviz's MIT licence.

SHA-256 of the text: `{corpus_sha256}`

## Recipe
`python -m kvviz.training --corpus FILE` makes it again: seed {seed}, {steps:,} steps of
{step_tokens:,} tokens ({tokens:,} in all), windows of {context_quarter}, then {context_half}, then
{context} tokens; Muon ({matrix_rate:g}) for the matrices, AdamW ({vector_rate:g}) for embedding and
norms, {warmup_steps} steps of warm-up, constant to {constant_share:.0%}, then linearly to 0;
dropout {dropout:g}; names and colours exchanged at random, {repeats:.0%} of the windows random
tokens repeated. torch {torch}, float32. `training.json` has every number.

## Loss
On the last {held_out_stories} stories, never trained on: **{final:.3f} nats per character** (all
tokens but the start token, over the characters).

| tokens seen | nats per character |
|---:|---:|
{losses}

## Heads
Measured over {probe_tokens} tokens, a start token and random ones twice: the mean weight that a
token gives to the one before it (previous token, from {previous:g}), that one of the repetition
gives to the token after its first occurrence (induction, from {induction:g}), and to the start
token (sink, from {sink:g}). Layers and heads count from 0, as in the app.

| head | kind | score |
|---|---|---:|
{heads}

## Samples
{new_tokens} tokens after each prompt, greedy and at temperature {temperature:g}, top-p {top_p:g},
seed {sample_seed}; "/" is a new line.

| prompt | greedy | sampled |
|---|---|---|
{samples}

## Limits
Two to four sentences hang together; after that people and things drift. Greedy decoding falls into
loops. It has read nothing but stories for small children.
"""


def model_card(folder: Path, log: dict[str, Any]) -> str:
    """Return the card of the model in ``folder``, whose training ``log`` tells of."""
    choice = open_folder(str(folder)).choice
    model = load_model(choice.spec, DType.FLOAT32, torch.device("cpu"))
    recipe = log["recipe"]
    scores = measure_heads(model, tokenizer_for(choice.tokenizer, str(folder)).encode("a")[0])
    return CARD.format(
        **recipe,
        parameters=log["parameters"],
        torch=log["torch"],
        corpus_sha256=log["corpus_sha256"],
        stories=f"{log['stories']:,}",
        tokens=recipe["steps"] * recipe["step_tokens"],
        context_quarter=recipe["context"] // 4,
        context_half=recipe["context"] // 2,
        cache_values=2 * recipe["num_layers"] * recipe["num_kv_heads"] * recipe["head_dim"],
        weight_bytes=(folder / "model.safetensors").stat().st_size,
        final=log["held_out"][-1]["nats_per_character"],
        losses="\n".join(
            f"| {row['tokens']:,} | {row['nats_per_character']:.4f} |" for row in log["held_out"]
        ),
        probe_tokens=scores.num_tokens,
        **{kind.name.lower(): threshold for kind, threshold in THRESHOLDS.items()},
        heads="\n".join(_head_rows(scores)),
        new_tokens=NEW_TOKENS,
        temperature=SAMPLED.temperature,
        top_p=SAMPLED.top_p,
        sample_seed=SAMPLED.seed,
        samples="\n".join(_sample_rows(choice, model)),
    )


def _head_rows(scores: HeadScores) -> Iterator[str]:
    layers, heads = scores.previous.shape
    for layer in range(layers):
        for head in range(heads):
            if (kind := scores.kind(layer, head)) is not None:
                score = scores.score(kind, layer, head)
                yield f"| layer {layer}, head {head} | {kind.value} | {score:.2f} |"


def _sample_rows(choice: ModelChoice, model: Transformer) -> Iterator[str]:
    for prompt in PROMPTS:
        texts = (continuation(choice, model, prompt, how) for how in (Sampling(), SAMPLED))
        yield "| " + " | ".join(_cell(text) for text in (prompt, *texts)) + " |"


def continuation(choice: ModelChoice, model: Transformer, prompt: str, sampling: Sampling) -> str:
    """Return what the model writes after ``prompt``."""
    tokenizer = tokenizer_for(choice.tokenizer, choice.tokenizer_path)
    prompt_ids = tokenizer.encode(prompt)
    config = RunConfig(
        model=choice.spec,
        prompt_ids=prompt_ids,
        tokenizer=choice.tokenizer,
        tokenizer_path=choice.tokenizer_path,
        max_new_tokens=NEW_TOKENS,
        max_seq_len=len(prompt_ids) + NEW_TOKENS,
        sampling=sampling,
        end_token_ids=choice.end_token_ids,
    )
    steps = [step for step, _ in Generation(config, model, tokenizer).run()]
    chosen = [step.token_id for step in steps if step.token_id not in (None, *choice.end_token_ids)]
    return tokenizer.decode([i for i in chosen if i is not None])


def _cell(text: str) -> str:
    return text.strip().replace("\n", " / ").replace("|", "\\|")
