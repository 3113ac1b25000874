"""Small configs for tests of the sizing."""

from kvviz.sizing.answer import ask
from kvviz.sizing.config import read_config
from kvviz.sizing.question import Question

LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 4,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "intermediate_size": 96,
    "torch_dtype": "bfloat16",
}


def config(base=None, /, **changes):
    """A config with keys changed; a key set to ``...`` is left out."""
    merged = (LLAMA if base is None else base) | changes
    return {key: value for key, value in merged.items() if value is not ...}


def read(base=None, /, **changes):
    return read_config(config(base, **changes), "config.json")


def size(model, **question):
    return ask(model, Question(**question)).size


def kinds(model):
    """Each layer's parts as ``kind`` or ``kind:window``, layers that keep nothing as a dash."""
    return [" ".join(map(named, layer.parts)) or shown(layer) for layer in model.layers]


def named(part):
    window = getattr(part, "window", None)
    return str(part.kind) if window is None else f"{part.kind}:{window}"


def shown(layer):
    return "-" if layer.shares_with is None else f"as {layer.shares_with}"
