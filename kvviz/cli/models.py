"""Which model the options name, and how it takes the prompt."""

import os
import sys
from argparse import Namespace

from kvviz.engine.folder import ModelFolder, has_built_in, open_built_in, open_folder
from kvviz.engine.tokenizer import BYTE_VOCABULARY
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind

IDS_VOCABULARY = 128
RANDOM, BUILT_IN = "random", "built-in"
SHAPE_FLAGS = {
    "layers": "num_layers",
    "heads": "num_heads",
    "kv_heads": "num_kv_heads",
    "head_dim": "head_dim",
    "vocab_size": "vocab_size",
    "positions": "positions",
}


def chosen_model(options: Namespace) -> ModelChoice:
    """Return the model that the options ask for; raise InputError where it cannot be had.

    Without ``--model`` it is the built-in one for text, and random weights for shape flags, for
    typed ids, or where no model is built in.
    """
    if options.weights is not None:
        return _typed(options, ModelChoice(_tutorial_model(options)))
    name = options.model or _usual(options)
    if name == RANDOM:
        return _typed(options, ModelChoice(_random_model(options)))
    found = _opened(name, with_tokenizer=options.prompt_ids is None)
    for note in found.notes:
        print(f"kvviz: note: {note}", file=sys.stderr)
    _check_flags(options, found.choice.spec.shape, options.model or "the built-in model")
    return found.choice if found.has_tokenizer else _without_tokenizer(options, found)


def _usual(options: Namespace) -> str:
    shaped = any(getattr(options, flag) is not None for flag in SHAPE_FLAGS)
    text = options.prompt_ids is None
    return BUILT_IN if text and not shaped and not options.bytes and has_built_in() else RANDOM


def _opened(name: str, *, with_tokenizer: bool) -> ModelFolder:
    if name != BUILT_IN:
        if not os.path.lexists(name):
            raise InputError(
                f"{name} was not found and is no model's name ({BUILT_IN}, {RANDOM}): give the "
                "folder of one, nothing is downloaded."
            )
        return open_folder(name, with_tokenizer=with_tokenizer)
    if not has_built_in():
        raise InputError("This kvviz has no built-in model: give --model DIR.")
    return open_built_in(with_tokenizer=with_tokenizer)


def _without_tokenizer(options: Namespace, found: ModelFolder) -> ModelChoice:
    if options.prompt_ids is not None:
        return found.choice
    if options.bytes:
        return found.with_bytes()
    raise InputError(
        f"{options.model} has no tokenizer.json: give --prompt-ids, or --bytes to feed the text "
        "as UTF-8 bytes, which mean other tokens to the model."
    )


def _typed(options: Namespace, choice: ModelChoice) -> ModelChoice:
    """Return a model without a tokenizer of its own, fed bytes or typed ids."""
    kind = TokenizerKind.BYTES if options.prompt_ids is None else TokenizerKind.IDS
    return ModelChoice(choice.spec, kind)


def _random_model(options: Namespace) -> ModelSpec:
    usual = ModelShape()
    heads = _or(options.heads, usual.num_heads)
    vocabulary = BYTE_VOCABULARY if options.prompt_ids is None else IDS_VOCABULARY
    shape = ModelShape(
        num_layers=_or(options.layers, usual.num_layers),
        num_heads=heads,
        num_kv_heads=_or(options.kv_heads, heads),
        head_dim=_or(options.head_dim, usual.head_dim),
        vocab_size=_or(options.vocab_size, vocabulary),
        positions=options.positions or usual.positions,
    )
    return ModelSpec(shape, ModelSource.RANDOM, options.seed)


def _tutorial_model(options: Namespace) -> ModelSpec:
    from kvviz.model.tutorial_weights import tutorial_shape

    if options.model is not None:
        raise InputError("--model and --weights are two models: give one of them.")
    if options.heads is None:
        raise InputError("--weights needs --heads N: the file does not say how many heads it has.")
    shape = tutorial_shape(options.weights, options.heads)
    _check_flags(options, shape, options.weights)
    return ModelSpec(shape, ModelSource.TUTORIAL, options.seed, options.weights)


def _check_flags(options: Namespace, shape: ModelShape, where: str) -> None:
    for flag, field in SHAPE_FLAGS.items():
        asked, found = getattr(options, flag), getattr(shape, field)
        if asked not in (None, found):
            raise InputError(
                f"--{flag.replace('_', '-')} {asked} contradicts {where}, which has {found}: "
                "leave it out."
            )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value
