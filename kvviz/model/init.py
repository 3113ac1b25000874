"""Random weights, the same for a shape and a seed wherever and in whatever dtype they run."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from kvviz.model.architecture import TUTORIAL, Architecture
from kvviz.model.block import Attention, GatedFeedForward
from kvviz.model.transformer import Transformer
from kvviz.sizing.shape import ModelShape

MOST_TURNED_BYTES = 64 * 2**20


def empty_transformer(
    shape: ModelShape,
    architecture: Architecture = TUTORIAL,
    *,
    dtype: torch.dtype,
    device: torch.device,
) -> Transformer:
    """Return a model whose weights are allocated and not set, and never need a gradient."""
    model = Transformer(shape, architecture)
    lay = Lay(dtype, device, turned=_turned(model, dtype, device))
    for module in model.modules():
        if isinstance(module, Attention):
            lay.together(module.q_proj, module.k_proj, module.v_proj)
        elif isinstance(module, GatedFeedForward):
            lay.together(module.gate, module.up)
        elif isinstance(module, nn.Linear) and module.weight.is_meta:
            lay.together(module)
    if architecture.tied_head:
        lay.together(model.token_emb)
    # Not to_empty: it imports sympy, which takes longer than anything else before the first token.
    for module in model.modules():
        for name, weight in module.named_parameters(recurse=False):
            if weight.is_meta:
                empty = torch.empty(weight.shape, dtype=dtype, device=device)
                module.register_parameter(name, nn.Parameter(empty, requires_grad=False))
    return model.eval()


@dataclass(frozen=True, slots=True)
class Lay:
    """How the rows [out, in] of projections lie: one after the other, or ``turned``."""

    dtype: torch.dtype
    device: torch.device
    turned: bool

    def together(self, *modules: nn.Module) -> None:
        """Put the rows of several projections behind one another: one product serves all."""
        for name, first in list(modules[0].named_parameters()):
            rows = [len(module.get_parameter(name)) for module in modules]
            whole = self._empty(sum(rows), *first.shape[1:])
            for module, part in zip(modules, torch.split(whole, rows), strict=True):
                module.register_parameter(name, nn.Parameter(part, requires_grad=False))

    def _empty(self, *size: int) -> Tensor:
        size = size[::-1] if self.turned else size
        whole = torch.empty(size, dtype=self.dtype, device=self.device)
        return whole.t() if self.turned else whole


def _turned(model: Transformer, dtype: torch.dtype, device: torch.device) -> bool:
    """Whether to keep columns: one row times them is quicker, but a file has rows to turn."""
    if device.type != "cpu" or dtype not in (torch.float32, torch.float64):
        return False
    elements = sum(weight.numel() for weight in model.parameters())
    return elements * dtype.itemsize <= MOST_TURNED_BYTES


def fill_random(model: Transformer, seed: int, check: Callable[[], None]) -> None:
    """Set every weight as torch's modules do by default, from a generator of our own.

    Drawn in float32 on the CPU in the order of the modules, so the numbers are those of
    ``torch.manual_seed(seed)`` and the tutorial's constructor.  ``check`` is called between
    modules and may raise to stop.
    """
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        check()
        if isinstance(module, nn.Embedding):
            module.weight.copy_(_blank(module.weight).normal_(generator=generator))
        elif isinstance(module, nn.Linear):
            bound = 1 / math.sqrt(module.in_features)
            for weight in module.parameters():
                weight.copy_(_blank(weight).uniform_(-bound, bound, generator=generator))
        elif isinstance(module, (nn.LayerNorm, nn.RMSNorm)):
            for name, weight in module.named_parameters():
                nn.init.constant_(weight, float(name == "weight"))


def _blank(weight: Tensor) -> Tensor:
    # One float32 tensor at a time: a bfloat16 model never needs twice its own memory.
    return torch.empty(weight.shape, dtype=torch.float32)
