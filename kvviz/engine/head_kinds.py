"""What each head looks at, measured by showing the model noise twice."""

from collections.abc import Callable

import torch
from torch import Tensor

from kvviz.cache.none import NoCache
from kvviz.engine.recorder import Cancelled, to_numpy
from kvviz.model.attention import causal_mask
from kvviz.model.transformer import Transformer
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSource, RunConfig
from kvviz.trace.head_kinds import HeadScores
from kvviz.trace.messages import HeadsMeasured

NOISE_TOKENS = 48  # in a row, then the same ones once more
SEED = 0
SMALL = 10**7  # parameters; more than these take too long before a run


class HeadProbe:
    """Measures a trained model's heads once: a small one's before its run, a large one's after.

    What goes wrong in it, or is cancelled, is left for the next run's end.
    """

    def __init__(self) -> None:
        self._due = False

    def loaded(self, config: RunConfig) -> None:
        """Take note that another model is in memory."""
        self._due = config.model.source is not ModelSource.RANDOM

    def before(
        self, run_id: int, config: RunConfig, model: Transformer, check: Callable[[], None]
    ) -> HeadsMeasured | None:
        """Measure now if that is hardly noticed; ``check`` may raise Cancelled to stop it."""
        small = model.shape.num_parameters <= SMALL
        return self.after(run_id, config, model, check) if small else None

    def after(
        self, run_id: int, config: RunConfig, model: Transformer, check: Callable[[], None]
    ) -> HeadsMeasured | None:
        """Measure if that is still to be done; None where there is no news."""
        if not self._due:
            return None
        start = config.prompt_ids[0]
        try:
            scores = measure_heads(model, start, config.end_token_ids, check)
        except (Cancelled, RuntimeError, MemoryError):
            return None
        self._due = False
        return HeadsMeasured(run_id, config.model, scores)


def measure_heads(
    model: Transformer,
    start_id: int,
    without: tuple[int, ...] = (),
    check: Callable[[], None] = lambda: None,
) -> HeadScores:
    """Feed ``start_id`` and the same 48 random tokens twice, and average where weights go.

    Tokens in ``without`` are never drawn.  ``check`` is called between layers and may raise.
    """
    shape = model.shape
    noise = _noise(shape, {start_id, *without})
    device = next(model.parameters()).device
    input_ids = torch.tensor([[start_id, *noise, *noise]], device=device)
    rows: list[Tensor] = []

    def watch(layer: int, q: Tensor, k: Tensor, v: Tensor, out: Tensor) -> None:
        check()
        rows.append(_means(_weights(shape, layer, q[0], k[0]), len(noise)))

    with torch.inference_mode():
        model(input_ids, NoCache(), watch)
    previous, induction, sink = to_numpy(torch.stack(rows, dim=1))
    return HeadScores(previous, induction, sink, input_ids.shape[1])


def _noise(shape: ModelShape, without: set[int]) -> list[int]:
    drawn = torch.randperm(shape.vocab_size, generator=torch.Generator().manual_seed(SEED))
    most = NOISE_TOKENS if shape.context is None else min(NOISE_TOKENS, (shape.context - 1) // 2)
    # A few more than are needed: some may not be used.
    some = drawn[: most + len(without)].tolist()
    return [token_id for token_id in some if token_id not in without][:most]


def _weights(shape: ModelShape, layer: int, q: Tensor, k: Tensor) -> Tensor:
    """Return the attention weights [H, T, T] of q [H, T, D] over k [K, T, D]."""
    keys = k.float().repeat_interleave(shape.group_size, dim=0)
    scores = (q.float() @ keys.mT) * shape.scale
    if shape.score_cap:
        scores = (scores / shape.score_cap).tanh() * shape.score_cap
    tokens = q.shape[1]
    seen = causal_mask(tokens, tokens, q.device, shape.window(layer))
    return scores.masked_fill(~seen, float("-inf")).softmax(-1)


def _means(weights: Tensor, period: int) -> Tensor:
    """Return [3, H]: the mean weight on the token before, after the like one before, the first."""
    previous = weights.diagonal(-1, 1, 2)[:, 1:]  # without the row whose previous is the first
    induction = weights.diagonal(1 - period, 1, 2)[:, 2:]
    return torch.stack([previous.mean(1), induction.mean(1), weights[:, 1:, 0].mean(1)])
