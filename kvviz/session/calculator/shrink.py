"""A model's shape made small enough to run here: the proportions stay."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kvviz.session.limits import HEAD_DIMS, HEADS, LAYERS
from kvviz.session.settings import Settings
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.cost import memory_limit
from kvviz.sizing.errors import InputError
from kvviz.sizing.parts import LIMITED, AttentionPart, CrossPart, LatentPart, PartKind
from kvviz.sizing.shape import CachePart
from kvviz.sizing.units import count_text

# More would take minutes to fill with random numbers.
MOST_WEIGHTS = 2**28
OTHER_THAN_FULL = {
    "windows": LIMITED,
    "latents": (PartKind.MLA,),
    "states": (PartKind.RECURRENT,),
    "source": (PartKind.CROSS,),
}


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The playground's settings for a model's shape, and what became of it in one sentence."""

    settings: Settings
    said: str


def shrink(config: ModelConfig, settings: Settings, free_bytes: int, prompt_tokens: int) -> Shrunk:
    """Return ``settings`` with the model's shape, halved until it fits; InputError if it cannot."""
    heads = _heads(config)
    queries = config.num_heads or heads.kv_heads
    share = min(HEADS[-1], max(1, queries // heads.kv_heads))
    kv_heads = max(1, min(heads.kv_heads, HEADS[-1] // share))
    wanted = replace(
        settings.with_random_weights(),
        num_layers=min(config.num_layers, LAYERS[-1]),
        num_heads=kv_heads * share,
        num_kv_heads=kv_heads,
        head_dim=_head_dim(heads.k_width),
    )
    for smaller in _smaller(wanted):
        cost = smaller.cost(prompt_tokens)
        if cost.weights <= MOST_WEIGHTS and cost.total <= memory_limit(free_bytes):
            return Shrunk(smaller, _sentence(config, queries, heads, smaller))
    raise InputError("Not even the smallest such shape fits into the free memory: close something.")


def _heads(config: ModelConfig) -> CachePart:
    parts = [part for layer in config.layers for part in layer.parts]
    kinds = AttentionPart | LatentPart | CrossPart
    found = next((part.heads for part in parts if isinstance(part, kinds)), None)
    if found is None:
        raise InputError("The playground runs attention, and this model has none: choose another.")
    return found


def _head_dim(width: int) -> int:
    nearest = min(HEAD_DIMS, key=lambda value: abs(value - width))
    return nearest


def _smaller(settings: Settings) -> Iterator[Settings]:
    """Halve layers first, then heads in their proportion, then the head size."""
    yield settings
    while settings.num_layers > 4:
        settings = replace(settings, num_layers=max(4, settings.num_layers // 2))
        yield settings
    while settings.num_kv_heads > 1:
        share = settings.num_heads // settings.num_kv_heads
        kv_heads = settings.num_kv_heads // 2
        settings = replace(settings, num_kv_heads=kv_heads, num_heads=kv_heads * share)
        yield settings
    while settings.num_heads > 2 or settings.head_dim > 8 or settings.num_layers > 1:
        settings = replace(
            settings,
            num_heads=max(1, settings.num_heads // 2),
            head_dim=max(8, settings.head_dim // 16 * 8),
            num_layers=max(1, settings.num_layers // 2),
        )
        yield settings


def _sentence(config: ModelConfig, queries: int, heads: CachePart, runs: Settings) -> str:
    was = (config.num_layers, queries, heads.kv_heads, heads.k_width)
    now = (runs.num_layers, runs.num_heads, runs.num_kv_heads, runs.head_dim)
    plain = _made_plain(config)
    if was == now:
        return f"Runs with random weights: {_shape(now)}{plain}."
    return f"Runs with random weights, {_shape(was)} made {_shape(now)}{plain}."


def _made_plain(config: ModelConfig) -> str:
    """Say what the playground runs as attention to every token, "" where all is that already."""
    kinds = {part.kind for part in config.distinct_parts}
    found = [word for word, of in OTHER_THAN_FULL.items() if kinds.intersection(of)]
    return f"; its {' and '.join(found)} as full attention" if found else ""


def _shape(numbers: tuple[int, int, int, int]) -> str:
    layers, queries, kv_heads, width = numbers
    counts = ((layers, "layer"), (queries, "head"), (kv_heads, "KV head"))
    return ", ".join((*(count_text(*count) for count in counts), f"head size {width:,}"))
