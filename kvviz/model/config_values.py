"""Numbers and names that decide a family's arithmetic, read off a config.  No torch."""

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from kvviz.model.architecture import Activation
from kvviz.sizing.errors import InputError

ACTIVATIONS: Mapping[str, Activation] = {
    "silu": Activation.SILU,
    "swish": Activation.SILU,
    "gelu": Activation.GELU,
    "gelu_new": Activation.GELU_TANH,
    "gelu_fast": Activation.GELU_TANH,
    "gelu_pytorch_tanh": Activation.GELU_TANH,
    "relu": Activation.RELU,
}


class Values:
    """A config's values by key; every error is an InputError that names the file and the key.

    ``where`` is the file, and the object inside it if it is one.
    """

    def __init__(self, config: Mapping[str, Any], where: str) -> None:
        self.config, self.where = config, where

    def refuse(self, fault: str) -> NoReturn:
        """Raise InputError for this config."""
        raise InputError(f"{self.where}: {fault}.")

    def positive(self, key: str, default: float | None = None) -> float:
        """Return a finite number above 0; ``default`` where the key is absent or null."""
        value = self.config.get(key)
        value = default if value is None else value
        if value is None:
            self.refuse(f"missing {key}: add it, or choose the whole config.json")
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(f"{key} must be a number, not {str(value)[:40]!a}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not 0 < number < math.inf:
            self.refuse(f"{key} must be above 0 and finite, not {number}")
        return number

    def optional(self, key: str, default: float | None = None) -> float | None:
        """Return a finite number above 0, None for null; ``default`` where the key is absent."""
        if key not in self.config:
            return default
        return None if self.config[key] is None else self.positive(key)

    def flag(self, key: str, default: bool) -> bool:
        """Return a true or false; ``default`` where the key is absent or null."""
        value = self.config.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(f"{key} must be true or false, not {str(value)[:40]!a}")
        return value

    def activation(self, key: str, default: str) -> Activation:
        """Return the activation named; ``default`` where the key is absent or null."""
        value = self.config.get(key)
        found = ACTIVATIONS.get(default if value is None else str(value))
        if found is None:
            self.refuse(
                f"activation {str(value)[:40]!a} is not supported: kvviz has "
                f"{', '.join(sorted(ACTIVATIONS))}"
            )
        return found

    def inner(self, key: str) -> "Values":
        """Return the object inside; empty where it is absent or null."""
        value = self.config.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.refuse(f"{key} must be an object, not {str(value)[:40]!a}")
        return Values(value or {}, f"{self.where}: {key}")
