"""A config's keys as numbers: old and new names, null for absent, what was assumed written down."""

from collections.abc import Mapping
from typing import Any, NoReturn

from kvviz.sizing.errors import InputError

# Old names of the same thing, the usual one first.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "num_hidden_layers": (
        "num_hidden_layers",
        "n_layer",
        "n_layers",
        "num_layers",
        "num_transformer_layers",
    ),
    "hidden_size": ("hidden_size", "n_embd", "d_model", "n_embed", "model_dim"),
    "num_attention_heads": (
        "num_attention_heads",
        "n_head",
        "n_heads",
        "num_heads",
        "attention_heads",
    ),
    "num_key_value_heads": (
        "num_key_value_heads",
        "num_kv_heads",
        "n_head_kv",
        "n_kv_heads",
        "n_kv_head",
        "num_attention_groups",
    ),
    "head_dim": ("head_dim", "attention_head_dim", "kv_channels"),
    "sliding_window": ("sliding_window", "sliding_window_size"),
    "sliding_window_pattern": ("sliding_window_pattern", "_sliding_window_pattern"),
    "mamba_d_state": ("mamba_d_state", "state_size"),
    "mamba_d_conv": ("mamba_d_conv", "conv_dimension"),
    "mamba_expand": ("mamba_expand", "expansion_factor"),
    "intermediate_size": ("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "d_ff"),
}
LIMITS: Mapping[str, int] = {
    "num_hidden_layers": 10_000,
    "num_attention_heads": 100_000,
    "num_key_value_heads": 100_000,
    "head_dim": 1_000_000,
}
MOST = 10**12


class Keys:
    """The keys of one model's part of a config; ``assumptions`` grows with each default taken.

    ``defaults`` are what the model's own class takes for an absent key.  Every error is an
    InputError that names the file and the key.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        name: str,
        model_type: str,
        defaults: Mapping[str, Any] | None = None,
        *,
        nested: bool = False,
    ) -> None:
        self.config = config
        self.name = name
        self.model_type = model_type
        self.defaults = defaults or {}
        self.nested = nested
        self.assumptions: list[str] = []
        self.warnings: list[str] = []

    def assume(self, text: str) -> None:
        """Write down one value that was not read."""
        if text not in self.assumptions:
            self.assumptions.append(text)

    def warn(self, text: str) -> None:
        """Write down what a reader should know."""
        if text not in self.warnings:
            self.warnings.append(text)

    def refuse(self, fault: str) -> NoReturn:
        """Raise InputError for this file."""
        raise InputError(f"{self.name}: {fault}.")

    def present(self, key: str) -> str | None:
        """Return the name under which ``key`` is there and not null; refuse two that disagree."""
        if key not in ALIASES:
            return None if self.config.get(key) is None else key
        first = None
        for name in ALIASES[key]:
            value = self.config.get(name)
            if value is None:
                continue
            if first is None:
                first = name
            elif value != self.config[first]:
                self.refuse(
                    f"{first} {_short(self.config[first])} and {name} {_short(value)} contradict "
                    "each other: keep one"
                )
        return first

    def whole(self, key: str, *, low: int = 1, high: int | None = None) -> int | None:
        """Return a whole number, None where it is absent or null and no default is known."""
        name = self.present(key)
        if name is not None:
            return self.checked(name, self.config[name], low=low, high=high or LIMITS.get(key))
        default = self.defaults.get(key)
        # An explicit null is a choice: the class's default is for a key that is not there at all.
        if default is None or any(n in self.config for n in ALIASES.get(key, (key,))):
            return None
        self.assume(f"{key} {default:,}: the default of {self.model_type}")
        return int(default)

    def needed(self, key: str, *, low: int = 1, high: int | None = None) -> int:
        """Return a whole number that must be there; a nested config may leave it to its class."""
        if self.present(key) is None and not self.nested:
            self.missing(key)
        value = self.whole(key, low=low, high=high)
        return self.missing(key) if value is None else value

    def needed_or_class(self, key: str, *, low: int = 1, high: int | None = None) -> int:
        """Return a whole number that must be there or be known as the class's default."""
        value = self.whole(key, low=low, high=high)
        return self.missing(key) if value is None else value

    def usual(self, key: str, default: int, *, low: int = 1, high: int | None = None) -> int:
        """Return a whole number, or ``default``, the class's own, written down as assumed."""
        value = self.whole(key, low=low, high=high)
        if value is None:
            self.assume(f"{key} {default:,}: the default of {self.model_type}")
            return default
        return value

    def missing(self, key: str) -> NoReturn:
        """Raise InputError for a key that is not there."""
        raise InputError(f"{self.name}: missing {key}: add it, or choose the whole config.json.")

    def checked(self, key: str, value: object, *, low: int = 1, high: int | None = None) -> int:
        """Return ``value`` if it is a whole number within bounds; refuse it by its key if not."""
        most = MOST if high is None else high
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(f"{key} must be an integer, not {_short(value)}")
        if not low <= value <= most:
            self.refuse(f"{key} must be between {low:,} and {most:,}, not {_short(value)}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a true or false; ``default`` where it is absent or null."""
        value = self.config.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(f"{key} must be true or false, not {_short(value)}")
        return value

    def text(self, key: str) -> str | None:
        """Return a text, None where it is absent or null."""
        value = self.config.get(key)
        if value is not None and not isinstance(value, str):
            self.refuse(f"{key} must be text, not {_short(value)}")
        return value

    def items(self, key: str) -> list[Any] | None:
        """Return a list, None where it is absent or null."""
        value = self.config.get(key)
        if value is not None and not isinstance(value, list):
            self.refuse(f"{key} must be a list, not {_short(value)}")
        return value

    def wholes(self, key: str, *, low: int = 1, high: int | None = None) -> list[int] | None:
        """Return a list of whole numbers, None where it is absent or null."""
        values = self.items(key)
        if values is None:
            return None
        return [self.checked(f"{key}[{i}]", v, low=low, high=high) for i, v in enumerate(values)]

    def inner(self, key: str) -> "Keys":
        """Return the keys of an object inside this one; empty where it is absent."""
        value = self.config.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.refuse(f"{key} must be an object, not {_short(value)}")
        inner = Keys(value or {}, f"{self.name}: {key}", self.model_type, nested=True)
        inner.assumptions, inner.warnings = self.assumptions, self.warnings
        return inner


def _short(value: object) -> str:
    """Write a value as JSON has it, cut where it is long."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"text {value[:40]!a}"
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    return f"{value:,}" if isinstance(value, int) else str(value)
