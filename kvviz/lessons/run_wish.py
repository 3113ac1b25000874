"""A run that a lesson asks for, in the words of the playground's controls."""

from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from kvviz.session.limits import with_control
from kvviz.session.presets import PRESETS
from kvviz.session.settings import BYTE_VOCABULARY, SHAPE_CONTROLS, Settings
from kvviz.sizing.dtypes import DType, parse_dtype
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout_text import layout_text, parse_layout
from kvviz.sizing.shape import Positions
from kvviz.trace.config import TokenizerKind

OWN_WORDS = ("model", "preset", "layout", "turns", "behind")


class Turn(BaseModel):
    """Text typed after a finished run, a second prefill on the kept cache."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    max_new_tokens: int = Field(default=8, ge=1)


class RunWish(BaseModel):
    """What is not said is as in a fresh playground.

    ``model`` usual is the built-in one where it is shipped, else random weights; a shape of its
    own means random weights, and a token for each byte.  ``behind`` is a run to be made before it,
    ``more_prompts`` further ones, one a line: the batch is then of them and ``prompt``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Literal["usual", "random"] = "usual"
    preset: str | None = None
    turns: tuple[Turn, ...] = ()
    behind: str | None = None
    shares_pool: bool | None = None
    kernel: Kernel | None = None
    tile: int | None = None
    prompt: str | None = Field(default=None, min_length=1)
    more_prompts: str | None = None
    layout: str | None = None
    num_layers: int | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    head_dim: int | None = None
    positions: Positions | None = None
    dtype: DType | None = None
    kv_dtype: DType | None = None
    max_seq_len: int | None = None
    max_new_tokens: int | None = None
    batch: int | None = None
    seed: int | None = None
    prefill_chunk: int | None = None
    temperature: float | None = None

    @field_validator("dtype", "kv_dtype", mode="before")
    @classmethod
    def _named_dtype(cls, value: Any) -> Any:
        return parse_dtype(value) if isinstance(value, str) else value

    @field_validator("layout")
    @classmethod
    def _known_layout(cls, value: str | None) -> str | None:
        return None if value is None else layout_text(parse_layout(value))

    @field_validator("preset")
    @classmethod
    def _known_preset(cls, value: str | None) -> str | None:
        names = [preset.name for preset in PRESETS]
        if value is not None and value not in names:
            raise ValueError(f"there is no preset {value!r}: choose one of {', '.join(names)}")
        return value

    def settings(self, usual: Settings) -> Settings:
        """Return the settings that ask for this run; ``usual`` has the usual model."""
        settings = usual
        said = self.model_dump(exclude_none=True, exclude=set(OWN_WORDS))
        if self.model == "random" or any(name in said for name in SHAPE_CONTROLS):
            settings = _random(settings)
        if (preset := next((p for p in PRESETS if p.name == self.preset), None)) is not None:
            settings = preset.applied(settings)
        for control, value in said.items():
            settings = with_control(settings, control, value)
        if self.layout is not None:
            settings = settings.with_layout(parse_layout(self.layout))
        return settings


def _random(settings: Settings) -> Settings:
    return replace(
        settings.with_random_weights(),
        tokenizer=TokenizerKind.BYTES,
        tokenizer_path=None,
        vocab_size=BYTE_VOCABULARY,
    )
