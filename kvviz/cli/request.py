"""From options to the run they ask for."""

from argparse import Namespace

from kvviz.engine.tokenizer import build_tokenizer
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSource, ModelSpec, RunConfig, Sampling, TokenizerKind

IDS_VOCABULARY = 128
RANDOM_MODEL = "random"
SHAPE_FLAGS = {
    "layers": "num_layers",
    "kv_heads": "num_kv_heads",
    "head_dim": "head_dim",
    "vocab_size": "vocab_size",
    "positions": "positions",
}


def run_config(options: Namespace, kind: LayoutKind) -> RunConfig:
    """Return the run that the options ask for; raise InputError where it cannot be made."""
    tokenizer_kind = TokenizerKind.BYTES if options.prompt_ids is None else TokenizerKind.IDS
    tokenizer = build_tokenizer(tokenizer_kind)
    text = options.prompt if options.prompt_ids is None else options.prompt_ids
    if not text.strip():
        raise InputError("The prompt is empty: give --prompt TEXT or --prompt-ids 10,20,30.")
    prompt_ids = tokenizer.encode(text)
    limit = options.max_seq_len
    return RunConfig(
        model=_model(options, tokenizer.vocab_size or IDS_VOCABULARY),
        prompt_ids=prompt_ids,
        layout=CacheLayout(kind, options.kv_dtype or options.dtype),
        dtype=options.dtype,
        tokenizer=tokenizer_kind,
        prompt_text=options.prompt and tokenizer.decode(prompt_ids),
        max_new_tokens=options.max_new_tokens,
        max_seq_len=len(prompt_ids) + options.max_new_tokens if limit is None else limit,
        batch=options.batch,
        sampling=Sampling(options.temperature, options.top_k, options.top_p, options.seed),
        prefill_chunk=options.prefill_chunk,
        device=options.device,
    )


def run_text(config: RunConfig, generated_ids: list[int]) -> str | None:
    """Return prompt and continuation as text; None where ids were typed."""
    if config.prompt_text is None:
        return None
    return build_tokenizer(config.tokenizer).decode([*config.prompt_ids, *generated_ids])


def _model(options: Namespace, vocab_size: int) -> ModelSpec:
    if options.model not in (None, RANDOM_MODEL):
        raise InputError(
            f"Model {options.model!r} is not known: for now use --model {RANDOM_MODEL} with shape "
            "flags, or a tutorial's own weights with --weights FILE --heads N."
        )
    if options.weights is not None:
        return _tutorial_model(options)
    usual = ModelShape()
    heads = _or(options.heads, usual.num_heads)
    shape = ModelShape(
        num_layers=_or(options.layers, usual.num_layers),
        num_heads=heads,
        num_kv_heads=_or(options.kv_heads, heads),
        head_dim=_or(options.head_dim, usual.head_dim),
        vocab_size=_or(options.vocab_size, vocab_size),
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
    for flag, field in SHAPE_FLAGS.items():
        asked, found = getattr(options, flag), getattr(shape, field)
        if asked not in (None, found):
            raise InputError(
                f"--{flag.replace('_', '-')} {asked} contradicts {options.weights}, which has "
                f"{found}: leave it out."
            )
    return ModelSpec(shape, ModelSource.TUTORIAL, options.seed, options.weights)


def _or(value: int | None, default: int) -> int:
    return default if value is None else value
