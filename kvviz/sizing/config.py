"""The one reader of a config's geometry: config.json to the cache parts of each layer."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kvviz.sizing.config_keys import ALIASES, LIMITS, Keys
from kvviz.sizing.families.choose import choose_family
from kvviz.sizing.families.family import Family
from kvviz.sizing.families.refusals import check_telltales, warn_of_unread
from kvviz.sizing.families.seq2seq import source_positions
from kvviz.sizing.parts import AttentionPart, LayerParts, Part
from kvviz.sizing.quantization import cache_dtype, packing, quantization
from kvviz.sizing.shape import CachePart

VOCABULARY = ("vocab_size", "padded_vocab_size", "n_vocab")
STATE_DTYPE = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
PREDICTION = ("mtp_num_hidden_layers", "num_nextn_predict_layers")
CONTEXT = (
    "max_target_positions",
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "n_ctx",
)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What a config says of a model's geometry.

    ``layers`` has the cache parts of each decoder layer.  ``num_kv_heads`` and ``head_dim`` are
    those of all attention layers where these are alike, else None; so is what a config may leave
    out.  ``torch_dtype`` is as stored, ``source_positions`` how long a source of cross-attention is
    where the model fixes it, ``prediction_layers`` those beyond ``num_layers`` that draft tokens,
    ``state_dtype`` what a recurrent state is kept in, ``quantization`` how weights were packed,
    ``cache_dtype`` what K and V were calibrated for if that is another type.
    ``assumptions`` lists every value taken from a default, ``groups`` the layers that are one
    object with their number, ``distinct_parts`` what these have, once for each group.
    """

    model_type: str
    num_layers: int
    layers: tuple[LayerParts, ...]
    num_heads: int | None = None
    num_kv_heads: int | None = None
    head_dim: int | None = None
    hidden_size: int | None = None
    vocab_size: int | None = None
    intermediate_size: int | None = None
    max_positions: int | None = None
    tie_word_embeddings: bool | None = None
    torch_dtype: str | None = None
    source_positions: int | None = None
    prediction_layers: int = 0
    state_dtype: str | None = None
    quantization: str | None = None
    cache_dtype: str | None = None
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    groups: tuple[tuple[LayerParts, int], ...] = field(init=False, repr=False, compare=False)
    distinct_parts: tuple[Part, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        groups = _groups(self.layers)
        parts = tuple(part for layer, _ in groups for part in layer.parts)
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "distinct_parts", parts)

    @property
    def windows(self) -> tuple[int, ...]:
        """For each layer how many tokens a query sees, itself included; 0 for all."""
        attention = (layer.attention for layer in self.layers)
        return tuple(part.window or 0 if part else 0 for part in attention)


def plain_config(layers: int, kv_heads: int, head_dim: int) -> ModelConfig:
    """Return the geometry of layers all alike, from three numbers; raise InputError for others."""
    numbers = {"layers": layers, "kv_heads": kv_heads, "head_dim": head_dim}
    keys = Keys(numbers, "typed numbers", "plain attention")
    keys.checked("layers", layers, high=LIMITS["num_hidden_layers"])
    keys.checked("KV heads", kv_heads, high=LIMITS["num_key_value_heads"])
    keys.checked("head size", head_dim, high=LIMITS["head_dim"])
    layer = LayerParts((AttentionPart(CachePart(kv_heads, head_dim, head_dim)),))
    return ModelConfig("plain", layers, (layer,) * layers, None, kv_heads, head_dim)


def read_config(config: Mapping[str, Any], name: str) -> ModelConfig:
    """Return the geometry that ``config`` gives; ``name`` says in errors where it came from.

    Raises InputError, with the key, for what is missing, wrong or of an unknown architecture.
    """
    keys, family = open_config(config, name)
    return model_config(keys, family, config)


def open_config(config: Mapping[str, Any], name: str) -> tuple[Keys, Family]:
    """Return the text model's keys, of a nested config the inner ones, and who reads them."""
    return choose_family(config, name)


def model_config(keys: Keys, family: Family, config: Mapping[str, Any]) -> ModelConfig:
    """Return what ``family`` reads of ``keys``; ``config`` is the outermost object."""
    check_telltales(keys, family)
    warn_of_unread(keys)
    layers = family.read(keys)
    heads = _uniform(layers)
    quantized = quantization(keys, config)
    return ModelConfig(
        model_type=keys.model_type,
        num_layers=len(layers),
        layers=layers,
        num_heads=_number(keys, "num_attention_heads"),
        num_kv_heads=None if heads is None else heads.heads.kv_heads,
        head_dim=None if heads is None else heads.heads.k_width,
        hidden_size=_number(keys, "hidden_size"),
        vocab_size=_first(keys, VOCABULARY),
        intermediate_size=_number(keys, "intermediate_size"),
        max_positions=_first(keys, CONTEXT),
        tie_word_embeddings=_tied(keys, config),
        torch_dtype=_dtype(keys, config),
        source_positions=source_positions(keys),
        prediction_layers=_prediction_layers(keys),
        quantization=packing(quantized),
        cache_dtype=cache_dtype(keys, quantized),
        state_dtype=next((v for k in STATE_DTYPE if (v := keys.text(k))), None),
        assumptions=tuple(keys.assumptions),
        warnings=tuple(keys.warnings),
    )


def _uniform(layers: tuple[LayerParts, ...]) -> AttentionPart | None:
    """Return the attention that all layers have alike but for the window, if they do."""
    found = [layer.attention for layer in _distinct(layers).values()]
    first = found[0] if found else None
    alike = first and all(part is not None and part.heads == first.heads for part in found)
    return first if alike else None


def _groups(layers: tuple[LayerParts, ...]) -> tuple[tuple[LayerParts, int], ...]:
    """Return each layer once, by identity, with its number: to compare them takes longer."""
    numbers = Counter(map(id, layers))
    return tuple((layer, numbers[key]) for key, layer in _distinct(layers).items())


def _distinct(layers: tuple[LayerParts, ...]) -> dict[int, LayerParts]:
    """Return each layer once, by its identity, in order."""
    return dict(zip(map(id, layers), layers, strict=True))


def _prediction_layers(keys: Keys) -> int:
    found = (keys.whole(key, low=0, high=1000) for key in PREDICTION)
    return next((number for number in found if number), 0)


def _number(keys: Keys, key: str) -> int | None:
    return _first(keys, ALIASES[key])


def _first(keys: Keys, names: tuple[str, ...]) -> int | None:
    """Return the first of ``names`` that is there; what only informs is silent about defaults."""
    for name in names:
        value = keys.config.get(name)
        if value is not None and not isinstance(value, list):
            return keys.checked(name, value)
    return next((keys.defaults[name] for name in names if keys.defaults.get(name)), None)


def _tied(keys: Keys, config: Mapping[str, Any]) -> bool | None:
    """Return whether embedding and head are one, as read inside or outside, else by the class."""
    key = "tie_word_embeddings"
    for source in (keys.config, config):
        if source.get(key) is not None:
            return Keys(source, keys.name, keys.model_type).flag(key, default=False)
    default: bool | None = keys.defaults.get(key)
    return default


def _dtype(keys: Keys, config: Mapping[str, Any]) -> str | None:
    for source in (keys.config, config):
        for key in ("torch_dtype", "dtype"):
            value = source.get(key)
            if isinstance(value, str):
                return value.removeprefix("torch.")
    return None
