"""Training windows cut from the stories, and random sequences that repeat."""

import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from kvviz.training.corpus import varied
from kvviz.training.recipe import Recipe
from kvviz.training.vocabulary import END, START

Ids = npt.NDArray[np.int64]

SENTENCE_ENDS = (".", "!", "?", '."', '!"', '?"')
SHORTEST_REPEAT = 12  # tokens; a window holds six copies or more
COPIES = 6


class Windows:
    """Batches [B, window + 1] of token ids; each row begins with ``<s>``."""

    def __init__(self, stories: tuple[str, ...], tokenizer: Tokenizer, recipe: Recipe) -> None:
        self._stories, self._tokenizer, self._recipe = stories, tokenizer, recipe
        self._rng = random.Random(recipe.seed)
        vocabulary = tokenizer.get_vocab()
        self._start, self._end = vocabulary[START], vocabulary[END]
        self._ends = [i for text, i in vocabulary.items() if text in SENTENCE_ENDS]

    def batches(self) -> Iterator[Ids]:
        """Yield a batch for each step; the stories are varied afresh each time round."""
        recipe, step = self._recipe, 0
        while step < recipe.steps:
            stream = self._stream()
            story_starts = np.flatnonzero(stream == self._start) + 1
            sentence_starts = np.flatnonzero(np.isin(stream, self._ends)) + 1
            for _ in range(min(len(stream) // recipe.step_tokens, recipe.steps - step)):
                length, repeats = recipe.window(step), recipe.repeat_share(step)
                rows = [
                    self._repeat(length)
                    if self._rng.random() < repeats
                    else self._row(stream, story_starts, sentence_starts, length)
                    for _ in range(recipe.step_tokens // length)
                ]
                yield np.stack(rows)
                step += 1

    def _stream(self) -> Ids:
        """Return all stories, varied and in another order, each between ``<s>`` and ``</s>``."""
        recipe, rng = self._recipe, self._rng
        texts = [
            varied(story, rng, recipe.swap_names, recipe.swap_colours) for story in self._stories
        ]
        rng.shuffle(texts)
        ids = [[*encoding.ids, self._end] for encoding in self._tokenizer.encode_batch(texts)]
        return np.concatenate([np.asarray(story, np.int64) for story in ids])

    def _row(self, stream: Ids, stories: Ids, sentences: Ids, length: int) -> Ids:
        rng = self._rng
        starts = stories if rng.random() < self._recipe.story_starts else sentences
        begin = int(starts[rng.randrange(len(starts))])
        # The stream is a ring: the last stories are as often a row's middle as the others.
        row = stream.take(range(begin, begin + length), mode="wrap")
        return np.concatenate(([self._start], row))

    def _repeat(self, length: int) -> Ids:
        rng = self._rng
        segment = [
            rng.randrange(2, self._recipe.vocab_size)
            for _ in range(rng.randint(SHORTEST_REPEAT, length // COPIES))
        ]
        return np.concatenate(([self._start], np.resize(np.asarray(segment, np.int64), length)))
