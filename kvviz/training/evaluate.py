"""How well a model predicts stories it has not seen."""

from collections.abc import Callable, Iterable

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional


def nats_per_character(
    logits_of: Callable[[Tensor], Tensor],
    stories: Iterable[str],
    tokenizer: Tokenizer,
    context: int,
) -> float:
    """Return the loss of all tokens but the start token, over the characters.

    ``logits_of`` maps ids [1, T] to logits [1, T, V].  A story longer than ``context`` is read in
    windows, each from the last token of the one before.
    """
    loss, characters = 0.0, 0
    for story in stories:
        ids = torch.tensor(tokenizer.encode(story).ids)
        for begin in range(0, len(ids) - 1, context):
            window = ids[begin : begin + context + 1]
            logits = logits_of(window[None, :-1])[0].float()
            loss += functional.cross_entropy(logits, window[1:], reduction="sum").item()
        characters += len(story)
    return loss / characters
