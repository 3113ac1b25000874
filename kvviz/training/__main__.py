"""``python -m kvviz.training --corpus FILE``: makes the built-in model."""

import argparse
import json
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from kvviz.training.card import model_card
from kvviz.training.corpus import Corpus, read_corpus
from kvviz.training.evaluate import nats_per_character
from kvviz.training.folder import write_folder, write_json
from kvviz.training.llama import Llama
from kvviz.training.optimise import Trainer
from kvviz.training.recipe import Recipe
from kvviz.training.vocabulary import train_tokenizer
from kvviz.training.windows import Windows

REPORT_EVERY = 200  # steps
DEFAULT_OUT = Path("assets/models/tiny-stories")


def main() -> None:
    """Train the built-in model and write its folder; stopped, it goes on where it was."""
    options = _parser().parse_args()
    recipe = replace(Recipe(), steps=options.steps, seed=options.seed)
    torch.set_num_threads(options.threads)
    torch.manual_seed(recipe.seed)
    corpus = read_corpus(options.corpus, recipe.held_out_stories)
    tokenizer = train_tokenizer(corpus.train, recipe.vocab_size)
    trainer = Trainer(Llama(recipe), recipe)
    losses = _train(trainer, corpus, tokenizer, recipe, options.state)
    write_folder(options.out, trainer.model, tokenizer, recipe)
    log = {
        "recipe": asdict(recipe),
        "corpus_sha256": corpus.sha256,
        "stories": len(corpus.train),
        "torch": torch.__version__.split("+")[0],
        "parameters": sum(weight.numel() for weight in trainer.model.parameters()),
        "held_out": losses,
    }
    write_json(options.out / "training.json", log)
    (options.out / "README.md").write_text(model_card(options.out, log), encoding="utf-8")


def _train(
    trainer: Trainer, corpus: Corpus, tokenizer: Tokenizer, recipe: Recipe, state: Path
) -> list[dict[str, float]]:
    """Train under a progress bar; return the held-out losses."""
    log = state.with_suffix(".json")
    held_out: list[dict[str, float]] = []
    if state.exists():
        trainer.take_up(load_file(state))
        held_out = json.loads(log.read_text(encoding="utf-8"))
    batches = islice(Windows(corpus.train, tokenizer, recipe).batches(), trainer.step, None)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    console = Console()
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=recipe.steps, completed=trainer.step)
        for loss in trainer.run(batches):
            step = trainer.step
            bar.update(task, completed=step, description=f"step {step}, loss {loss:.2f}")
            if step % REPORT_EVERY == 0 or step == recipe.steps:
                nats = _held_out_loss(trainer.model, corpus, tokenizer, recipe)
                tokens = step * recipe.step_tokens
                held_out.append({"tokens": tokens, "nats_per_character": round(nats, 4)})
                console.print(
                    f"{tokens:,} tokens: {nats:.4f} nats per character, {loss:.2f} a token"
                )
                save_file(trainer.state(), state)
                write_json(log, held_out)
    return held_out


def _held_out_loss(model: Llama, corpus: Corpus, tokenizer: Tokenizer, recipe: Recipe) -> float:
    model.eval()
    with torch.inference_mode():
        return nats_per_character(model, corpus.held_out, tokenizer, recipe.context)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kvviz.training", description=main.__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="stories, .txt or .txt.xz")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="folder to write")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("training-state.safetensors"),
        help="where training stands; delete it to begin again",
    )
    parser.add_argument("--steps", type=int, default=Recipe().steps)
    parser.add_argument("--seed", type=int, default=Recipe().seed)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads (default 1)")
    return parser


if __name__ == "__main__":
    main()
