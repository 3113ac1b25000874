"""From options to the run they ask for."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from kvviz.cli.models import chosen_model
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.trace.config import RunConfig, Sampling


def run_configs(options: Namespace, layouts: Sequence[CacheLayout]) -> list[RunConfig]:
    """Return the run that the options ask for, once for each cache layout.

    Raises InputError where it cannot be made.
    """
    typed = options.prompt if options.prompt_ids is None else options.prompt_ids
    if not (typed or "").strip():
        raise InputError("The prompt is empty: give --prompt TEXT or --prompt-ids 10,20,30.")
    text = typed.encode(errors="replace").decode()
    choice = chosen_model(options)
    tokenizer = tokenizer_for(choice.tokenizer, choice.tokenizer_path)
    prompt_ids, more = tokenizer.encode(text), tuple(map(tokenizer.encode, options.also))
    if more and options.batch is not None:
        raise InputError("--batch is copies of one prompt and --also further ones: give one.")
    longest, limit = max(map(len, (prompt_ids, *more))), options.max_seq_len
    config = RunConfig(
        model=choice.spec,
        prompt_ids=prompt_ids,
        dtype=options.dtype,
        tokenizer=choice.tokenizer,
        tokenizer_path=choice.tokenizer_path,
        prompt_text=text if options.prompt_ids is None else None,
        max_new_tokens=options.max_new_tokens,
        max_seq_len=longest + options.max_new_tokens if limit is None else limit,
        batch=1 + len(more) if options.batch is None else options.batch,
        more_prompts=more,
        more_texts=tuple(options.also) if options.prompt_ids is None else (),
        sampling=Sampling(options.temperature, options.top_k, options.top_p, options.seed),
        prefill_chunk=options.prefill_chunk,
        end_token_ids=choice.end_token_ids,
        device=options.device,
        kernel=options.kernel,
        tile=options.tile,
    )
    stored = {"kv_dtype": options.kv_dtype or options.dtype, "v_dtype": options.v_dtype}
    return [replace(config, layout=replace(layout, **stored)) for layout in layouts]


def sharing_configs(options: Namespace, config: RunConfig) -> tuple[RunConfig, RunConfig]:
    """Return the run of ``--earlier`` and the one asked for, both with the limit of the longer.

    Raises InputError where the layout has no pool to share.
    """
    if config.layout.kind is not LayoutKind.PAGED:
        raise InputError("--earlier shares a pool of blocks: give --cache paged:16 with it.")
    ids = tokenizer_for(config.tokenizer, config.tokenizer_path).encode(options.earlier)
    needed = max(config.max_seq_len, len(ids) + config.max_new_tokens)
    limit = needed if options.max_seq_len is None else options.max_seq_len
    text = None if config.prompt_text is None else options.earlier
    config = replace(config, max_seq_len=limit, shares_pool=True)
    return replace(config, prompt_ids=ids, prompt_text=text), config


def run_text(config: RunConfig, generated_ids: list[int]) -> str | None:
    """Return prompt and continuation as text; None where ids were typed."""
    if config.prompt_text is None:
        return None
    tokenizer = tokenizer_for(config.tokenizer, config.tokenizer_path)
    return tokenizer.decode([*config.prompt_ids, *generated_ids])
