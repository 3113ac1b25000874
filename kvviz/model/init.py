"""Random weights, the same for a shape and a seed wherever and in whatever dtype they run."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from kvviz.model.architecture import TUTORIAL, Architecture
from kvviz.model.block import Attention, GatedFeedForward
from kvviz.model.transformer import Transformer
from kvviz.sizing.shape import ModelShape


def empty_transformer(
    shape: ModelShape,
    architecture: Architecture = TUTORIAL,
    *,
    dtype: torch.dtype,
    device: torch.device,
) -> Transformer:
    """Return a model whose weights are allocated and not set, and never need a gradient."""
    model = Transformer(shape, architecture)
    for module in model.modules():
        if isinstance(module, Attention):
            _lay_together([module.q_proj, module.k_proj, module.v_proj], dtype, device)
        elif isinstance(module, GatedFeedForward):
            _lay_together([module.gate, module.up], dtype, device)
    # Not to_empty: it imports sympy, which takes longer than anything else before the first token.
    for module in model.modules():
        for name, weight in module.named_parameters(recurse=False):
            if weight.is_meta:
                empty = torch.empty(weight.shape, dtype=dtype, device=device)
                module.register_parameter(name, nn.Parameter(empty, requires_grad=False))
    return model.eval()


def _lay_together(linears: list[nn.Linear], dtype: torch.dtype, device: torch.device) -> None:
    """Put the rows of several projections behind one another, so that one product serves all."""
    rows = [linear.out_features for linear in linears]
    for name, first in list(linears[0].named_parameters()):
        whole = torch.empty([sum(rows), *first.shape[1:]], dtype=dtype, device=device)
        for linear, part in zip(linears, torch.split(whole, rows), strict=True):
            linear.register_parameter(name, nn.Parameter(part, requires_grad=False))


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
