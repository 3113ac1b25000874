"""What modules do to rows [N, C], on parameters looked up once.

On a small model a module's call and each extra view cost as much as the sums, so these are plain
functions of plain tensors.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from kvviz.model.architecture import Activation

Rows = Callable[[Tensor], Tensor]
Added = Callable[[Tensor, Tensor], Tensor]
Product = Callable[[Tensor, Tensor | None], Tensor]
"""Multiplies rows [N, in] with a weight and adds [N, out] or [out], if given: [N, out]."""
Products = Callable[[Tensor], Product]
"""Makes the product with a weight [in, out]."""

# oneDNN's float32 GELU takes longer to start than so few rows take, and a number that is a tensor
# already multiplies in half the time of a float.
FEW_ROWS = 16
HALF = torch.tensor(0.5)
SQRT_HALF = torch.tensor(0.5**0.5)


def plain(weight: Tensor) -> Product:
    """Return the product with a weight [in, out] as it is."""

    def product(rows: Tensor, plus: Tensor | None) -> Tensor:
        return torch.mm(rows, weight) if plus is None else torch.addmm(plus, rows, weight)

    return product


def affine(*modules: nn.Module, products: Products = plain, first: Rows | None = None) -> Rows:
    """Return what linear modules make of rows [N, in], side by side: [N, out].

    ``first`` is the norm that stands before them.
    """
    weight, bias = _joined_linears(modules)
    product = products(weight)
    if first is None:
        return lambda rows: product(rows, bias)
    return lambda rows: product(first(rows), bias)


def added(module: nn.Module, behind: Rows | None, products: Products = plain) -> Added:
    """Return what adds to x [N, out] what a linear module makes of rows [N, in].

    ``behind`` is the norm of what is added.
    """
    if behind is not None:
        linear = affine(module, products=products)
        return lambda x, rows: x + behind(linear(rows))
    weight, bias = _joined_linears((module,))
    product = products(weight)
    if bias is None:
        return lambda x, rows: product(rows, x)
    return lambda x, rows: product(rows, bias).add_(x)


def norm(module: nn.Module, offset: float = 0.0) -> Rows:
    """Return what a LayerNorm or an RMSNorm does to rows [N, C]."""
    if isinstance(module, nn.RMSNorm):
        return rms(module.weight.detach(), float(module.eps or 0.0), offset)
    assert isinstance(module, nn.LayerNorm)
    size, eps = list(module.normalized_shape), module.eps
    weight, bias = module.weight.detach(), module.bias.detach()
    return lambda rows: torch.layer_norm(rows, size, weight, bias, eps)


def rms(weight: Tensor, eps: float, offset: float = 0.0) -> Rows:
    """Return what divides rows by their root mean square and multiplies them by weight + offset.

    ``weight`` is [..., C], for as many rows as it has, or one for all.
    """
    width, dtype = weight.shape[-1], torch.promote_types(weight.dtype, torch.float32)
    # The length of (x, least) is the root of width times the mean square and eps.
    factor = (weight.to(dtype) + offset) * math.sqrt(width)
    least = torch.tensor(math.sqrt(width * eps), dtype=dtype, device=weight.device)

    def normalised(rows: Tensor) -> Tensor:
        lengths = torch.linalg.vector_norm(rows, dim=-1, keepdim=True).hypot_(least)
        return (rows * factor).div_(lengths)

    if dtype == weight.dtype:
        return normalised
    return lambda rows: normalised(rows.to(dtype)).to(weight.dtype)


def feed_forward(
    module: nn.Module, activation: Activation, first: Rows | None, products: Products
) -> tuple[Rows, nn.Module]:
    """Return what a feed-forward does before its last linear module, and that module.

    ``first`` is the norm that stands before it.
    """
    act, parts = ACTIVATIONS[activation], dict(module.named_children())
    if "gate" not in parts:
        up = affine(parts["0"], products=products, first=first)
        return lambda rows: act(up(rows)), parts["2"]
    both = affine(parts["gate"], parts["up"], products=products, first=first)
    halves = [parts["gate"].get_parameter("weight").shape[0]] * 2

    def gated(rows: Tensor) -> Tensor:
        gate, value = both(rows).split_with_sizes(halves, 1)
        return act(gate).mul_(value)

    return gated, parts["down"]


def gelu(x: Tensor) -> Tensor:
    """Return x times the normal distribution's share below it (the exact form)."""
    if x.shape[0] <= FEW_ROWS and x.dtype == torch.float32 and x.is_cpu:
        half = x * HALF
        return torch.addcmul(half, half, torch.erf(x * SQRT_HALF))
    return functional.gelu(x)


def gelu_tanh(x: Tensor) -> Tensor:
    """Return the tanh form of GELU."""
    return functional.gelu(x, approximate="tanh")


ACTIVATIONS: dict[Activation, Rows] = {
    Activation.GELU: gelu,
    Activation.GELU_TANH: gelu_tanh,
    Activation.SILU: functional.silu,
    Activation.RELU: functional.relu,
}


def joined(parts: list[Tensor]) -> Tensor:
    """Return tensors as one, along the first axis; a view where they lie together in memory."""
    first, place = parts[0], parts[0].data_ptr()
    for part in parts:
        together = part.untyped_storage().data_ptr() == first.untyped_storage().data_ptr()
        if part.data_ptr() != place or part.stride() != first.stride() or not together:
            return torch.cat(parts)
        place += len(part) * part.stride(0) * part.element_size()
    sizes = (sum(map(len, parts)), *first.shape[1:])
    return first.as_strided(sizes, first.stride())


def _joined_linears(modules: tuple[nn.Module, ...]) -> tuple[Tensor, Tensor | None]:
    """Return the weights of linear modules, [in, out], and their biases, [out], if any."""
    weights: list[Tensor] = []
    biases: list[Tensor] = []
    for module in modules:
        for name, weight in module.named_parameters():
            (biases if name == "bias" else weights).append(weight.detach())
    return joined(weights).t(), joined(biases) if biases else None
