"""How the next token is chosen from the last position's logits."""

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kvviz.sizing.errors import InputError
from kvviz.trace.config import Sampling

Row = NDArray[np.float32] | NDArray[np.float64]
NUM_CANDIDATES = 8


class Choice(NamedTuple):
    """The token, and its probability where it was drawn from a distribution."""

    token_id: int
    probability: float | None = None


class Sampler:
    """Draws tokens with a generator of its own, so a run continued goes on where it stopped."""

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._random = np.random.default_rng(sampling.seed)

    def choose(self, logits: Row) -> Choice:
        """Choose from logits [V]; raise InputError where they are not numbers."""
        best = int(logits.argmax())  # argmax returns the first NaN, if there is one
        if not math.isfinite(logits[best]):
            raise InputError(
                "The logits are not finite numbers (NaN or infinity), as when weights are damaged "
                "or overflow float16: choose bfloat16 or float32, or another model."
            )
        if self._sampling.greedy:
            return Choice(best)
        kept = self.distribution(logits)
        heights = np.cumsum(kept)
        # The last height is 1 but for rounding; scaled by it, a draw never falls behind it.
        drawn = self._random.random() * heights[-1]
        token_id = int(np.searchsorted(heights, drawn, side="right"))
        return Choice(token_id, float(kept[token_id]))

    def distribution(self, logits: Row) -> NDArray[np.float64]:
        """Return what a token is drawn from, [V]: temperature, then top-k, then top-p.

        Top-k keeps exactly k tokens, top-p the fewest, likeliest first, that reach p together.
        """
        sampling = self._sampling
        probabilities = softmax(logits, sampling.temperature)
        if not sampling.top_k and sampling.top_p == 1.0:
            return probabilities
        order = np.argsort(-probabilities, kind="stable")
        if sampling.top_k:
            order = order[: sampling.top_k]
        ranked = probabilities[order]
        if sampling.top_p < 1.0:
            reached = np.cumsum(ranked) >= sampling.top_p * ranked.sum()
            order = order[: int(reached.argmax()) + 1]
        kept = np.zeros_like(probabilities)
        kept[order] = probabilities[order] / probabilities[order].sum()
        return kept

    def candidates(self, logits: Row) -> list[tuple[int, float]]:
        """Return the likeliest ids with their probability before any cut, best first.

        ``logits`` are [V].  At the sampling temperature; at 1 for a greedy run.
        """
        # Few calls: behind a forward the code of each has to come from memory again.
        scores, temperature = torch.from_numpy(logits), self._sampling.temperature or 1.0
        if temperature != 1.0:
            scores = (scores.double() - scores.max()) / temperature
        weights = torch.softmax(scores, dim=0)
        likeliest, ids = weights.topk(min(NUM_CANDIDATES + 1, len(weights)))
        probabilities = likeliest.tolist()
        if len({*probabilities}) < len(probabilities):
            # Of equal ones the lower id comes first, as argmax has it; topk leaves that open.
            likeliest, ids = weights.sort(descending=True, stable=True)
            probabilities = likeliest.tolist()
        return list(zip(ids.tolist(), probabilities, strict=True))[:NUM_CANDIDATES]


def softmax(logits: Row, temperature: float) -> NDArray[np.float64]:
    """Return probabilities [V] in float64."""
    weights = boltzmann(logits, temperature)
    weights /= weights.sum()
    return weights


def boltzmann(logits: Row, temperature: float) -> NDArray[np.float64]:
    """Return exp((logit - largest) / temperature) of logits [V], the largest 1, in float64."""
    scores = logits.astype(np.float64)
    scores -= scores.max()
    if temperature != 1.0:
        with np.errstate(over="ignore"):  # near 0 the quotient is -inf, and its weight rightly 0
            scores /= temperature
    np.exp(scores, out=scores)
    return scores
