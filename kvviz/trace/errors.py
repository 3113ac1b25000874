"""What a quantized cache lost, layer by layer."""

import numpy as np

from kvviz.trace.trace import Trace


def layer_errors(trace: Trace) -> list[dict[str, float]] | None:
    """Return for each layer the mean error of K and of V over the tokens that became codes.

    An error is the length of what a token lost, relative to the token's own: 0 is none.  None if
    no token became codes.
    """
    parts = [part for step in trace.steps if (part := trace.errors(step.index)) is not None]
    if not sum(part.shape[1] for part in parts):
        return None
    means = np.concatenate(parts, axis=1).mean(axis=1).reshape(-1, 2).tolist()
    return [{"k": k, "v": v} for k, v in means]
