"""Mamba 2's state, whose sizes each class has under names of its own."""

from dataclasses import dataclass

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import StatePart


@dataclass(frozen=True, slots=True)
class Mamba2Names:
    """The keys of one class; ``inner`` is None where no inner width ties heads and width."""

    heads: str = "mamba_n_heads"
    width: str = "mamba_d_head"
    state: str = "mamba_d_state"
    groups: str = "mamba_n_groups"
    kernel: str = "mamba_d_conv"
    expand: str = "mamba_expand"
    inner: str | None = "mamba_d_ssm"


BAMBA = Mamba2Names()
ZAMBA2 = Mamba2Names(heads="n_mamba_heads", width="mamba_headdim", groups="mamba_ngroups")
MAMBA2 = Mamba2Names("num_heads", "head_dim", "state_size", "n_groups", "conv_kernel", "expand")
NEMOTRON = Mamba2Names(
    "mamba_num_heads", "mamba_head_dim", "ssm_state_size", "n_groups", "conv_kernel", inner=None
)


def mamba2(keys: Keys, names: Mamba2Names) -> StatePart:
    """Return Mamba 2's state: width by state a head; B and C are convolved in groups."""
    heads, width = _heads(keys, names)
    state = keys.needed_or_class(names.state)
    groups = keys.needed_or_class(names.groups)
    if heads % groups:
        keys.refuse(f"{names.heads} {heads:,} is not divisible by {names.groups} {groups:,}")
    return StatePart(
        "Mamba 2",
        heads=heads,
        head_elements=width * state,
        conv_kernel=keys.needed_or_class(names.kernel),
        conv_head_width=width,
        conv_groups=2 * groups,
        conv_group_width=state,
    )


def _heads(keys: Keys, names: Mamba2Names) -> tuple[int, int]:
    """Return heads and their width: both read, or one of them from the inner width."""
    heads = keys.whole(names.heads) if keys.present(names.heads) else None
    width = None if _is_left_out(keys, names.width) else keys.whole(names.width)
    if names.inner is None:
        found = heads or keys.needed_or_class(names.heads)
        return found, width or keys.needed_or_class(names.width)
    if heads and width and keys.present("hidden_size") is None:
        return heads, width
    inner = keys.whole(names.inner) if keys.present(names.inner) else None
    if inner is None:
        inner = keys.needed_or_class(names.expand) * keys.needed("hidden_size")
    if heads is None and width is None:
        heads = keys.needed_or_class(names.heads)
    known = heads or width or 1
    other, rest = divmod(inner, known)
    if rest or (heads and width and heads * width != inner):
        sizes = f"{names.heads} {heads} and {names.width} {width}"
        keys.refuse(f"{sizes} do not make up the inner width of {inner:,}")
    if heads and width:
        return heads, width
    missing = names.width if heads else names.heads
    keys.assume(f"{missing} {other:,}: inner width {inner:,} / {known:,}")
    return (heads, other) if heads else (other, known)


def _is_left_out(keys: Keys, key: str) -> bool:
    return keys.config.get(key) in (None, "auto")
