"""Which tokens a folder's small files put before a text and take for its end."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kvviz.sizing.json_file import read_json_object

CONFIG, GENERATION, TOKENIZER = "config.json", "generation_config.json", "tokenizer_config.json"
LIMIT = 16 * 10**6  # a tokenizer_config.json lists every special token again
# What the makers of these tokenizers put first unless their file says otherwise.
STARTING_CLASSES = ("Llama", "CodeLlama", "Gemma")
STARTING_FAMILIES = ("llama", "mistral", "gemma", "gemma2", "gemma3_text")

TokenId = Callable[[str], int | None]
Facts = Mapping[str, Any]


def start_token_id(folder: str, token_id: TokenId) -> int | None:
    """Return the token to put before every text, None for none; InputError for a damaged file.

    ``token_id`` looks a special token up.  What tokenizer.json itself puts first is not in it.
    """
    tokenizer, config = _facts(folder, TOKENIZER), _facts(folder, CONFIG)
    if not _wants_start(tokenizer, config):
        return None
    named = _looked_up(tokenizer.get("bos_token"), token_id)
    found = config.get("bos_token_id") if named is None else named
    return found if type(found) is int and found >= 0 else None


def end_token_ids(folder: str, token_id: TokenId, vocab_size: int) -> tuple[int, ...]:
    """Return the tokens that end a text, ascending; InputError for a damaged file.

    generation_config.json goes before config.json, and the tokenizer's own comes on top.
    """
    config, generation = _facts(folder, CONFIG), _facts(folder, GENERATION)
    stated = generation.get("eos_token_id", config.get("eos_token_id"))
    ids = list(stated) if isinstance(stated, list) else [stated]
    ids.append(_looked_up(_facts(folder, TOKENIZER).get("eos_token"), token_id))
    return tuple(sorted({i for i in _whole(ids) if 0 <= i < vocab_size}))


def _wants_start(tokenizer: Facts, config: Facts) -> bool:
    stated = tokenizer.get("add_bos_token")
    if isinstance(stated, bool):
        return stated
    if maker := tokenizer.get("tokenizer_class"):
        return str(maker).removesuffix("Fast").removesuffix("Tokenizer") in STARTING_CLASSES
    return not tokenizer and config.get("model_type") in STARTING_FAMILIES


def _looked_up(token: object, token_id: TokenId) -> int | None:
    """Return the id of a token written as text, or as an object with its text."""
    text = token.get("content") if isinstance(token, Mapping) else token
    return token_id(text) if isinstance(text, str) else None


def _whole(ids: Iterable[object]) -> list[int]:
    return [i for i in ids if isinstance(i, int) and not isinstance(i, bool)]


def _facts(folder: str, name: str) -> Facts:
    path = os.path.join(folder, name)
    return read_json_object(path, LIMIT) if os.path.lexists(path) else {}
