"""RoPE as configs write it: ``rope_parameters``, or the older ``rope_scaling``.  No torch."""

from dataclasses import replace

from kvviz.model.architecture import Rotation, Scaling
from kvviz.model.config_values import Values
from kvviz.model.frequencies import yarn_magnitude

THETA = 10_000.0
FULL, SLIDING = "full_attention", "sliding_attention"


def read_rotation(
    config: Values,
    head_dim: int,
    *,
    theta_key: str = "rope_theta",
    share_key: str | None = None,
    share: float = 1.0,
) -> Rotation:
    """Return how a config's heads of ``head_dim`` turn.

    A family of which only a part of each head may turn names the key, and ``share`` is its part
    where the config does not say.

    Raises InputError for a kind that is not known, or a number that it lacks.
    """
    scaling = rope_object(config)
    if any(isinstance(scaling.config.get(key), dict) for key in (FULL, SLIDING)):
        scaling.refuse("one rotation for each kind of layer is only known for gemma3_text")
    theta = scaling.positive("rope_theta", config.positive(theta_key, THETA))
    if share_key is not None:
        share = scaling.positive("partial_rotary_factor", config.positive(share_key, share))
    return _read(config, scaling, theta, share, head_dim)


def read_two_rotations(config: Values, head_dim: int) -> tuple[Rotation, Rotation]:
    """Return how the layers without a window turn and those with one (gemma3_text)."""
    both = config.inner("rope_parameters")
    full, sliding = both.inner(FULL), both.inner(SLIDING)
    if config.config.get("rope_scaling") is not None:
        older = config.inner("rope_scaling")
        full = Values({**full.config, **older.config}, older.where)
    full_theta = full.positive("rope_theta", config.positive("rope_theta", 1_000_000.0))
    theta = sliding.positive("rope_theta", config.positive("rope_local_base_freq", THETA))
    return (
        _read(config, full, full_theta, 1.0, head_dim),
        _read(config, sliding, theta, 1.0, head_dim),
    )


def rope_object(config: Values) -> Values:
    """Return the object with a config's scaling, the older name's where both are there."""
    older = config.inner("rope_scaling")
    return older if older.config else config.inner("rope_parameters")


def _read(config: Values, scaling: Values, theta: float, share: float, width: int) -> Rotation:
    name = scaling.config.get("rope_type", scaling.config.get("type", Scaling.DEFAULT.value))
    if name not in list(Scaling):
        scaling.refuse(
            f"rope type {str(name)[:40]!a} is not supported: kvviz has {', '.join(Scaling)}"
        )
    if share > 1:
        scaling.refuse(f"partial_rotary_factor must be at most 1, not {share}")
    turned = int(width * share)
    if turned < 1 or (turned == width and width % 2):
        scaling.refuse(f"RoPE turns pairs, and {turned} elements of a head are none: correct it")
    rotation = Rotation(theta, None if turned == width else turned, Scaling(name))
    match rotation.scaling:
        case Scaling.DEFAULT:
            return rotation
        case Scaling.LINEAR:
            return replace(rotation, factor=scaling.positive("factor"))
        case Scaling.DYNAMIC:
            original = int(config.positive("max_position_embeddings"))
            return replace(rotation, factor=scaling.positive("factor"), original=original)
        case Scaling.LLAMA3:
            return _llama3(config, scaling, rotation)
        case Scaling.YARN:
            return _yarn(config, scaling, rotation)


def _llama3(config: Values, scaling: Values, rotation: Rotation) -> Rotation:
    low, high = scaling.positive("low_freq_factor"), scaling.positive("high_freq_factor")
    if low >= high:
        scaling.refuse(f"low_freq_factor {low} must be below high_freq_factor {high}")
    return replace(
        rotation,
        factor=scaling.positive("factor"),
        original=_original(config, scaling),
        low_frequency=low,
        high_frequency=high,
    )


def _yarn(config: Values, scaling: Values, rotation: Rotation) -> Rotation:
    original = _original(config, scaling)
    longer = config.optional("max_position_embeddings") or original
    factor = scaling.positive("factor", longer / original)
    magnitude = yarn_magnitude(factor)
    slope, slope_all = scaling.optional("mscale"), scaling.optional("mscale_all_dim")
    if slope and slope_all:
        magnitude = yarn_magnitude(factor, slope) / yarn_magnitude(factor, slope_all)
    return replace(
        rotation,
        factor=factor,
        original=original,
        magnitude=scaling.positive("attention_factor", magnitude),
        beta_fast=scaling.positive("beta_fast", rotation.beta_fast),
        beta_slow=scaling.positive("beta_slow", rotation.beta_slow),
        truncate=scaling.flag("truncate", default=True),
    )


def _original(config: Values, scaling: Values) -> int:
    """Return the length that the angles were made for: outside, inside, else the model's own."""
    key = "original_max_position_embeddings"
    for values in (config, scaling):
        if values.config.get(key) is not None:
            return int(values.positive(key))
    return int(config.positive("max_position_embeddings"))
