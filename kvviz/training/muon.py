"""Muon: momentum whose every update is made orthogonal (Keller Jordan, 2024).

``torch.optim.Muon`` iterates in bfloat16, which a CPU without it does thirty times slower.
"""

from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional

MOMENTUM = 0.95
COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic iteration
ITERATIONS = 5


class Muon:
    """Updates matrices [out, in] in place from their gradients."""

    def __init__(self, weights: list[Tensor], weight_decay: float) -> None:
        by_shape = groupby(sorted(weights, key=_shape), key=_shape)
        self._groups = [list(group) for _, group in by_shape]
        self._decay = weight_decay
        self.momenta = [torch.zeros(len(group), *group[0].shape) for group in self._groups]

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Move every weight along its orthogonal direction; matrices of one shape together."""
        for weights, momentum in zip(self._groups, self.momenta, strict=True):
            gradients = torch.stack([_gradient(weight) for weight in weights])
            momentum.lerp_(gradients, 1 - MOMENTUM)
            updates = orthogonal(gradients.lerp(momentum, MOMENTUM))
            rows, columns = weights[0].shape
            scale = rate * max(1.0, rows / columns) ** 0.5
            for weight, update in zip(weights, updates, strict=True):
                weight.mul_(1 - rate * self._decay).sub_(update, alpha=scale)


def orthogonal(matrices: Tensor) -> Tensor:
    """Return matrices [N, out, in] with all singular values near 1, the directions kept."""
    a, b, c = COEFFICIENTS
    wide = matrices.shape[1] <= matrices.shape[2]
    x = matrices if wide else matrices.mT
    x = functional.normalize(x.flatten(1), eps=1e-7).view_as(x)
    for _ in range(ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x if wide else x.mT


def _shape(weight: Tensor) -> tuple[int, ...]:
    return tuple(weight.shape)


def _gradient(weight: Tensor) -> Tensor:
    assert weight.grad is not None
    return weight.grad
