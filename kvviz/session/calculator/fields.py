"""A config's values, one by one, so that each can be typed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kvviz.session.calculator.model import SizedModel, write_value
from kvviz.sizing.config_keys import ALIASES

FIRST = (
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "hidden_size",
)
MOST_FIELDS = 60
LONGEST = 2000
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Field:
    """One value: where it is in the config, and how it is written; empty where it is not given."""

    path: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        """The key, with what it is nested in."""
        return ".".join(self.path)


def fields_of(model: SizedModel) -> list[Field]:
    """Return the values of a model's config, those that every config has first."""
    found = list(_walk(model.raw, ()))
    inner = _text_part(model.raw)
    listed: list[Field] = []
    for key in FIRST:
        given = next((f for f in found if f.path[-1] in ALIASES[key]), None)
        listed.append(given or Field((*inner, key), ""))
    rest = [field for field in found if field not in listed]
    return [*listed, *rest][:MOST_FIELDS]


def _walk(values: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[Field]:
    for key, value in values.items():
        path = (*above, key)
        if isinstance(value, Mapping):
            if len(path) < DEEPEST:
                yield from _walk(value, path)
        elif len(text := write_value(value)) <= LONGEST:
            yield Field(path, text)


def _text_part(raw: Mapping[str, Any]) -> tuple[str, ...]:
    return next(((k,) for k in ("text_config", "llm_config") if isinstance(raw.get(k), dict)), ())
