"""Which tensor of a file holds a parameter, and where in it.  No torch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from kvviz.model.architecture import Architecture, HeadNorm, Norm
from kvviz.sizing.shape import ModelShape, Positions

Sizes = tuple[int, ...]

PROJECTIONS = ("attn.q_proj", "attn.k_proj", "attn.v_proj")


@dataclass(frozen=True, slots=True)
class Source:
    """The rows of a file's tensor that are one parameter.

    The tensor ``name``, or else one of ``aliases``, has ``sizes`` in the file and is transposed
    first where ``transposed``.  Its first axis is then ``groups`` equal parts, one behind the
    other, and the rows ``start`` to ``stop`` of each part are the parameter's, all where None.
    """

    name: str
    sizes: Sizes
    aliases: tuple[str, ...] = ()
    transposed: bool = False
    groups: int = 1
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class WeightNames:
    """What a family's files call our modules.

    Everything but the head stands behind ``base``, which some files leave out; layer N's modules
    behind ``layers`` and N.  ``fused`` names tensors that hold several modules' rows: one behind
    the other, or head by head where ``by_head``.  ``transposed`` are the modules, inside a layer,
    whose weights are stored [in, out].
    """

    base: str
    layers: str
    outside: Mapping[str, str]
    inside: Mapping[str, str]
    fused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_head: bool = False
    transposed: frozenset[str] = frozenset()
    heads: tuple[str, ...] = ("lm_head",)


def parameter_sizes(shape: ModelShape, architecture: Architecture) -> dict[str, Sizes]:
    """Return every parameter's name and sizes, as the model's state dict has them."""
    hidden = shape.hidden_size
    sizes: dict[str, Sizes] = {"token_emb.weight": (shape.vocab_size, hidden)}
    if shape.positions is Positions.LEARNED:
        sizes["position_emb.weight"] = (shape.context or 0, hidden)
    inside = dict(_layer_sizes(shape, architecture))
    for layer in range(shape.num_layers):
        sizes.update({f"blocks.{layer}.{name}": size for name, size in inside.items()})
    sizes.update(_norm_sizes("norm", hidden, architecture))
    if not architecture.tied_head:
        sizes["lm_head.weight"] = (shape.vocab_size, hidden)
    return sizes


def count_parameters(shape: ModelShape, architecture: Architecture) -> int:
    """Return how many numbers the parameters are."""
    return sum(prod(size) for size in parameter_sizes(shape, architecture).values())


def sources(names: WeightNames, shape: ModelShape, architecture: Architecture) -> dict[str, Source]:
    """Return where each parameter lies in a file of a family."""
    sizes = parameter_sizes(shape, architecture)
    found: dict[str, Source] = {}
    for parameter, size in sizes.items():
        module, _, kind = parameter.rpartition(".")
        if module == "lm_head":
            head, *others = (f"{name}.{kind}" for name in names.heads)
            found[parameter] = Source(head, size, tuple(others))
        elif module.startswith("blocks."):
            _, layer, inner = module.split(".", 2)
            before = f"{names.base}{names.layers}{layer}."
            found[parameter] = _inside(names, shape, sizes, parameter, before, inner)
        else:
            name = f"{names.outside[module]}.{kind}"
            found[parameter] = Source(names.base + name, size, (name,) if names.base else ())
    return found


def _inside(
    names: WeightNames,
    shape: ModelShape,
    sizes: Mapping[str, Sizes],
    parameter: str,
    before: str,
    module: str,
) -> Source:
    """Return the source of a parameter of a layer, whose tensors' names begin with ``before``."""
    kind = parameter.rpartition(".")[2]
    block = parameter.removesuffix(f"{module}.{kind}")
    transposed = kind == "weight" and module in names.transposed
    for fused, modules in names.fused.items():
        if module in modules:
            rows = [sizes[f"{block}{one}.{kind}"][0] for one in modules]
            place = modules.index(module)
            groups = shape.num_heads if names.by_head else 1
            start, stop = sum(rows[:place]) // groups, sum(rows[: place + 1]) // groups
            whole = (sum(rows), *sizes[parameter][1:])
            return _source(names, f"{before}{fused}.{kind}", whole, transposed, groups, start, stop)
    name = f"{before}{names.inside[module]}.{kind}"
    return _source(names, name, sizes[parameter], transposed)


def _source(
    names: WeightNames,
    name: str,
    sizes: Sizes,
    transposed: bool,
    groups: int = 1,
    start: int = 0,
    stop: int | None = None,
) -> Source:
    aliases = (name.removeprefix(names.base),) if names.base else ()
    stored = sizes[::-1] if transposed else sizes
    return Source(name, stored, aliases, transposed, groups, start, stop)


def _layer_sizes(shape: ModelShape, architecture: Architecture) -> Iterator[tuple[str, Sizes]]:
    hidden, width, ffn = shape.hidden_size, shape.head_dim, shape.ffn_size
    q, kv = shape.num_heads * width, shape.num_kv_heads * width
    if architecture.norm_before:
        yield from _norm_sizes("attn_norm", hidden, architecture)
        yield from _norm_sizes("ffn_norm", hidden, architecture)
    if architecture.norm_after:
        yield from _norm_sizes("attn_post_norm", hidden, architecture)
        yield from _norm_sizes("ffn_post_norm", hidden, architecture)
    if architecture.head_norm is not HeadNorm.NONE:
        each = architecture.head_norm is HeadNorm.EACH
        yield from _norm_sizes("attn.q_norm", width if each else q, architecture)
        yield from _norm_sizes("attn.k_norm", width if each else kv, architecture)
    for name, rows in zip(PROJECTIONS, (q, kv, kv), strict=True):
        yield from _linear_sizes(name, rows, hidden, architecture.qkv_bias)
    yield from _linear_sizes("attn.out", hidden, q, architecture.out_bias)
    into = ("ffn.gate", "ffn.up") if architecture.gated else ("ffn.0",)
    for name in into:
        yield from _linear_sizes(name, ffn, hidden, architecture.ffn_bias)
    down = "ffn.down" if architecture.gated else "ffn.2"
    yield from _linear_sizes(down, hidden, ffn, architecture.ffn_bias)


def _norm_sizes(name: str, width: int, architecture: Architecture) -> Iterator[tuple[str, Sizes]]:
    yield f"{name}.weight", (width,)
    if architecture.norm is Norm.LAYER:
        yield f"{name}.bias", (width,)


def _linear_sizes(name: str, rows: int, columns: int, bias: bool) -> Iterator[tuple[str, Sizes]]:
    yield f"{name}.weight", (rows, columns)
    if bias:
        yield f"{name}.bias", (rows,)
