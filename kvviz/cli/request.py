"""From options to the run they ask for."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from kvviz.cli.models import chosen_model
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.trace.config import RunConfig, Sampling


def run_configs(options: Namespace, kinds: Sequence[LayoutKind]) -> list[RunConfig]:
    """Return the run that the options ask for, once for each cache layout.

    Raises InputError where it cannot be made.
    """
    typed = options.prompt if options.prompt_ids is None else options.prompt_ids
    if not typed.strip():
        raise InputError("The prompt is empty: give --prompt TEXT or --prompt-ids 10,20,30.")
    text = typed.encode(errors="replace").decode()
    choice = chosen_model(options)
    prompt_ids = tokenizer_for(choice.tokenizer, choice.tokenizer_path).encode(text)
    limit = options.max_seq_len
    config = RunConfig(
        model=choice.spec,
        prompt_ids=prompt_ids,
        dtype=options.dtype,
        tokenizer=choice.tokenizer,
        tokenizer_path=choice.tokenizer_path,
        prompt_text=text if options.prompt_ids is None else None,
        max_new_tokens=options.max_new_tokens,
        max_seq_len=len(prompt_ids) + options.max_new_tokens if limit is None else limit,
        batch=options.batch,
        sampling=Sampling(options.temperature, options.top_k, options.top_p, options.seed),
        prefill_chunk=options.prefill_chunk,
        end_token_ids=choice.end_token_ids,
        device=options.device,
    )
    kv_dtype = options.kv_dtype or options.dtype
    return [replace(config, layout=CacheLayout(kind, kv_dtype)) for kind in kinds]


def run_text(config: RunConfig, generated_ids: list[int]) -> str | None:
    """Return prompt and continuation as text; None where ids were typed."""
    if config.prompt_text is None:
        return None
    tokenizer = tokenizer_for(config.tokenizer, config.tokenizer_path)
    return tokenizer.decode([*config.prompt_ids, *generated_ids])
