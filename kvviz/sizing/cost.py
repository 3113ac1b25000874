"""What a run will take, said before anything is built."""

from dataclasses import dataclass

from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.units import bytes_text

# The rest is left to the picture, the libraries and everything else that runs on the machine.
MEMORY_SHARE_PERCENT = 75
TRACE_ELEMENT_BYTES = 4


@dataclass(frozen=True, slots=True)
class RunCost:
    """Predicted bytes of one run."""

    weights: int
    cache: int
    trace: int
    activations: int

    @property
    def total(self) -> int:
        """All of it, in bytes."""
        return self.weights + self.cache + self.trace + self.activations

    def check(self, free_bytes: int) -> None:
        """Raise InputError with the numbers if the run would not fit into ``free_bytes``."""
        limit = memory_limit(free_bytes)
        if self.total > limit:
            raise InputError(
                f"This run would take {bytes_text(self.total)} (weights "
                f"{bytes_text(self.weights)}, cache {bytes_text(self.cache)}, trace "
                f"{bytes_text(self.trace)}) and {bytes_text(limit)} may be used of "
                f"{bytes_text(free_bytes)} free: choose a smaller shape or sequence limit."
            )


def memory_limit(free_bytes: int) -> int:
    """Return how much of the free memory a run may take, in bytes."""
    return free_bytes * MEMORY_SHARE_PERCENT // 100


def run_cost(
    shape: ModelShape,
    *,
    dtype: DType,
    layout: CacheLayout,
    batch: int,
    prompt_tokens: int,
    max_new_tokens: int,
    max_seq_len: int,
) -> RunCost:
    """Predict one run: weights, the cache at its peak, the recorded rows, the prefill's rows."""
    parts = shape.cache_parts
    last = min(prompt_tokens + max_new_tokens, max_seq_len)
    final = layout.predict(parts, batch=batch, before=last - 1, after=last, max_seq_len=max_seq_len)
    return RunCost(
        weights=shape.num_parameters * dtype.bits // 8,
        cache=final.allocated,
        trace=trace_bytes(shape, max_seq_len, max_new_tokens),
        activations=activation_bytes(
            shape, dtype, batch, last if not layout.keeps_entries else prompt_tokens
        ),
    )


def trace_bytes(shape: ModelShape, tokens: int, logit_rows: int) -> int:
    """Bytes a trace keeps: float32 Q, K, V and outputs of one sequence, and each step's logits."""
    row = shape.num_layers * 2 * (shape.num_heads + shape.num_kv_heads) * shape.head_dim
    return TRACE_ELEMENT_BYTES * (tokens * row + logit_rows * shape.vocab_size)


def activation_bytes(shape: ModelShape, dtype: DType, batch: int, tokens: int) -> int:
    """Bytes of the widest moment of one forward: residual, norm, and the feed-forward's rows."""
    width = 3 * shape.hidden_size + 2 * shape.ffn_size
    return batch * tokens * width * dtype.bits // 8
