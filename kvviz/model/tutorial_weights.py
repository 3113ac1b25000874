"""A tutorial reader's own weights: the teaching model's state dict in a .safetensors file.

No torch here: the shape is read off the header, before anything is built.
"""

import re
from collections.abc import Mapping

from kvviz.model.shards import some
from kvviz.model.stored_tensors import Sizes, by, check_float, stored_tensors
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape

MAX_HEADS = 1024  # as many as a shape may have


def tutorial_shape(path: str, num_heads: int) -> ModelShape:
    """Return the shape of the weights in ``path``; only the number of heads must be told.

    Raises InputError where the file is foreign, damaged, or not the tutorial's model.
    """
    sizes = _read_sizes(path)
    shape = _infer(sizes, num_heads, path)
    check_tensors(sizes, shape, path)
    return shape


def possible_shapes(path: str) -> dict[int, ModelShape]:
    """Return every shape that the weights in ``path`` can have, by number of heads, fewest first.

    Raises InputError as ``tutorial_shape`` does.
    """
    sizes = _read_sizes(path)
    _, hidden = _matrix(sizes, "token_emb.weight", path)
    shapes: dict[int, ModelShape] = {}
    problem = None
    for num_heads in range(1, min(hidden, MAX_HEADS) + 1):
        if hidden % num_heads == 0:
            try:
                shapes[num_heads] = _infer(sizes, num_heads, path)
            except InputError as error:
                problem = error
    if not shapes and problem is not None:
        raise problem
    check_tensors(sizes, next(iter(shapes.values())), path)
    return shapes


def check_tensors(sizes: Mapping[str, Sizes], shape: ModelShape, path: str) -> None:
    """Raise InputError unless the tensors are exactly those of ``shape``."""
    expected = expected_sizes(shape)
    if missing := expected.keys() - sizes.keys():
        raise InputError(
            f"{path} lacks {len(missing)} of the tutorial model's tensors ({some(missing)}): "
            "save the whole state dict."
        )
    if extra := sizes.keys() - expected.keys():
        raise InputError(
            f"{path} holds {len(extra)} tensors that the tutorial's model does not have "
            f"({some(extra)}): it is another model, or leave them out when saving."
        )
    for name, wanted in expected.items():
        if sizes[name] != wanted:
            raise InputError(
                f"{path}: {name} is {by(sizes[name])} and should be {by(wanted)} for "
                f"{shape.num_heads} heads and hidden size {shape.hidden_size}: check the file."
            )


def expected_sizes(shape: ModelShape) -> dict[str, Sizes]:
    """Return every tensor's name and sizes, as the state dict has them."""
    hidden, kv, ffn = shape.hidden_size, shape.num_kv_heads * shape.head_dim, shape.ffn_size
    sizes: dict[str, Sizes] = {"token_emb.weight": (shape.vocab_size, hidden)}
    linears = {
        "attn.q_proj": (hidden, hidden),
        "attn.k_proj": (kv, hidden),
        "attn.v_proj": (kv, hidden),
        "attn.out": (hidden, hidden),
        "ffn.0": (ffn, hidden),
        "ffn.2": (hidden, ffn),
    }
    for layer in range(shape.num_layers):
        for norm in ("attn_norm", "ffn_norm"):
            sizes[f"blocks.{layer}.{norm}.weight"] = (hidden,)
            sizes[f"blocks.{layer}.{norm}.bias"] = (hidden,)
        for linear, weight in linears.items():
            sizes[f"blocks.{layer}.{linear}.weight"] = weight
            sizes[f"blocks.{layer}.{linear}.bias"] = weight[:1]
    sizes["norm.weight"] = sizes["norm.bias"] = (hidden,)
    sizes["lm_head.weight"] = (shape.vocab_size, hidden)
    return sizes


def _read_sizes(path: str) -> dict[str, Sizes]:
    tensors = stored_tensors(path)
    for name, tensor in tensors.items():
        check_float(name, tensor)
    return {name: tensor.sizes for name, tensor in tensors.items()}


def _infer(sizes: Mapping[str, Sizes], num_heads: int, path: str) -> ModelShape:
    vocab_size, hidden = _matrix(sizes, "token_emb.weight", path)
    kv_width, _ = _matrix(sizes, "blocks.0.attn.k_proj.weight", path)
    ffn_size, _ = _matrix(sizes, "blocks.0.ffn.0.weight", path)
    if num_heads < 1 or hidden % num_heads:
        raise InputError(
            f"{path} has hidden size {hidden}, which {num_heads} heads do not divide: "
            "give the number of heads it was trained with."
        )
    head_dim = hidden // num_heads
    if ffn_size != 4 * hidden:
        raise InputError(
            f"{path} has a feed-forward of {ffn_size}, and the tutorial's model has 4 x hidden "
            f"size = {4 * hidden}: it is another model."
        )
    if kv_width == 0 or kv_width % head_dim:
        raise InputError(
            f"{path} has keys {kv_width} wide, which is no number of heads of {head_dim}: "
            f"{num_heads} heads do not fit this file."
        )
    layers = {int(found[1]) for name in sizes if (found := re.match(r"blocks\.(\d{1,6})\.", name))}
    return ModelShape(
        num_layers=max(layers) + 1,
        num_heads=num_heads,
        num_kv_heads=kv_width // head_dim,
        head_dim=head_dim,
        vocab_size=vocab_size,
    )


def _matrix(sizes: Mapping[str, Sizes], name: str, path: str) -> tuple[int, int]:
    if name not in sizes:
        raise InputError(
            f"{path} has no tensor {name}: it is not the tutorial's model "
            f"(it has {some(sizes) or 'none'})."
        )
    match sizes[name]:
        case (rows, columns) if rows and columns:
            return rows, columns
        case other:
            raise InputError(f"{path}: {name} is {by(other)}, not a matrix: check the file.")
