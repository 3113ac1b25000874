"""The same model with other KV heads: what MHA, GQA and MQA would each take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kvviz.sizing.cache_size import ModelRows, model_rows
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.errors import InputError
from kvviz.sizing.parts import AttentionPart, LatentPart, LayerParts, Part
from kvviz.sizing.policy import Load, Policy

GROUPS = 8


@dataclass(frozen=True, slots=True)
class HeadsWay:
    """One way to share heads: its name, what it keeps, whether it is the model's own."""

    name: str
    rows: ModelRows
    own: bool


@dataclass(frozen=True, slots=True)
class HeadsBar:
    """One way to share heads with its bytes over all GPUs."""

    name: str
    total: int
    own: bool


def heads_bars(ways: Sequence[HeadsWay], load: Load) -> list[HeadsBar]:
    """Return what each way takes for a load, the largest first."""
    bars = [HeadsBar(way.name, way.rows.total_bytes(load), way.own) for way in ways]
    return sorted(bars, key=lambda bar: -bar.total)


def heads_ways(config: ModelConfig, policy: Policy) -> tuple[HeadsWay, ...]:
    """Return the model as it is, MHA, a GQA of the usual groups where none is its own, and MQA.

    Empty where the model has no attention, or its query heads are not known.
    """
    own = _own_heads(config)
    if not config.num_heads or own is None:
        return ()
    ways = [HeadsWay(_name(config.num_heads, own), model_rows(config, policy), True)]
    for kv_heads in sorted({config.num_heads, *_groups(config.num_heads, own), 1} - {own}):
        try:
            rows = model_rows(with_kv_heads(config, kv_heads), policy)
        except InputError:  # not every number of heads can be shared out over the GPUs
            continue
        ways.append(HeadsWay(_name(config.num_heads, kv_heads), rows, False))
    return tuple(ways)


def _groups(heads: int, own: int) -> tuple[int, ...]:
    """Return the groups that most models have, where they divide the heads and differ from both."""
    is_grouped = 1 < own < heads
    return (GROUPS,) if heads > GROUPS and heads % GROUPS == 0 and not is_grouped else ()


def with_kv_heads(config: ModelConfig, kv_heads: int) -> ModelConfig:
    """Return the geometry with ``kv_heads`` in every attention layer; a latent becomes heads."""
    known: dict[int, LayerParts] = {}

    def changed(layer: LayerParts) -> LayerParts:
        found = known.get(id(layer))
        if found is None:
            parts = tuple(_with_heads(part, kv_heads) for part in layer.parts)
            found = known[id(layer)] = replace(layer, parts=parts)
        return found

    return replace(config, layers=tuple(map(changed, config.layers)))


def attention_heads(config: ModelConfig) -> Iterator[int]:
    """Return the KV heads of each attention part; 0 stands for a latent."""
    for layer in config.layers:
        for part in layer.parts:
            if isinstance(part, AttentionPart):
                yield part.heads.kv_heads
            elif isinstance(part, LatentPart):
                yield 0


def _with_heads(part: Part, kv_heads: int) -> Part:
    if isinstance(part, AttentionPart):
        return replace(part, heads=replace(part.heads, kv_heads=kv_heads))
    if isinstance(part, LatentPart):
        return AttentionPart(replace(part.heads, kv_heads=kv_heads))
    return part


def _own_heads(config: ModelConfig) -> int | None:
    """Return the KV heads of all attention layers; 0 for a latent, -1 where layers differ."""
    found = set(attention_heads(config))
    if not found:
        return None
    return found.pop() if len(found) == 1 else -1


def _name(heads: int, kv_heads: int) -> str:
    if kv_heads == 0:
        return "MLA, one latent"
    if kv_heads == -1:
        return "as it is"
    if kv_heads == heads:
        return f"MHA, {kv_heads} KV heads"
    return "MQA, 1" if kv_heads == 1 else f"GQA, {kv_heads}"
