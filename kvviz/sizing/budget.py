"""A GPU's memory shared out: weights, a stated allowance, and what is left for the cache."""

from dataclasses import dataclass

from kvviz.sizing.element_types import ElementType

ALLOWANCE_PERCENT = 10


@dataclass(frozen=True, slots=True)
class Budget:
    """One GPU's bytes; ``weights`` is None where all of the memory is the cache's."""

    memory: int
    weights: int | None
    allowance: int
    cache: int

    def free(self, used: int) -> int:
        """Bytes left when the cache takes ``used``; negative where it does not fit."""
        return self.cache - used

    def larger(self, used: int) -> str:
        """Whether the model or its cache takes more of the GPU."""
        return "cache" if used > (self.weights or 0) else "model"


def weight_bytes(parameters: int, kind: ElementType, tp: int) -> int:
    """Return the weights on one of ``tp`` GPUs, scales included, rounded up."""
    return -(-parameters * kind.block_bytes // (kind.block * tp))


def budget(memory: int, weights: int, allowance: int | None) -> Budget:
    """Return what is left for the cache, which may be nothing.

    The allowance, for activations and the engine itself, is a tenth of the memory unless typed.
    """
    spared = memory * ALLOWANCE_PERCENT // 100 if allowance is None else allowance
    return Budget(memory, weights, spared, max(0, memory - weights - spared))
