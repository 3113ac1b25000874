"""What a quantized cache lost, layer by layer."""

import numpy as np

from kvviz.trace.step import Floats
from kvviz.trace.trace import Trace


def layer_errors(trace: Trace) -> list[dict[str, float]] | None:
    """Return for each layer the mean error of K and of V over the tokens that became codes.

    An error is the length of what a token lost, relative to the token's own: 0 is none.  None if
    no token became codes.
    """
    errors = token_errors(trace)
    if not errors.shape[1]:
        return None
    means = errors.mean(axis=1).reshape(-1, 2).tolist()
    return [{"k": k, "v": v} for k, v in means]


def token_errors(trace: Trace) -> Floats:
    """Return the error of each token that became codes, [L * 2, tokens] in their order, k first."""
    parts = [part for step in trace.steps if (part := trace.errors(step.index)) is not None]
    nothing = np.zeros((2 * trace.config.model.shape.num_layers, 0), np.float32)
    return np.concatenate([nothing, *parts], axis=1)
