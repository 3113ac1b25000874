"""What a run was asked to do."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from kvviz.sizing.cost import RunCost, run_cost
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.shape import ModelShape, Positions


class ModelSource(StrEnum):
    """Where the weights come from."""

    RANDOM = "random"
    TUTORIAL = "tutorial"
    BUILT_IN = "built-in"
    FOLDER = "folder"


class TokenizerKind(StrEnum):
    """How text becomes ids: UTF-8 bytes, ids typed as numbers, or a tokenizer.json."""

    BYTES = "bytes"
    IDS = "ids"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Which weights run: the built-in model's, random ones from ``seed``, or those at ``path``.

    A path is a tutorial's file, or a folder in Hugging Face's layout.
    """

    shape: ModelShape = field(default_factory=ModelShape)
    source: ModelSource = ModelSource.RANDOM
    seed: int = 0
    path: str | None = None

    @property
    def name(self) -> str:
        """What to call it on screen."""
        if self.path is not None:
            return re.split(r"[\\/]", self.path.rstrip("\\/"))[-1]
        return "tiny stories" if self.source is ModelSource.BUILT_IN else "random weights"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be run, and how text becomes its tokens.

    ``tokenizer_path`` is the folder of a tokenizer.json, None for the built-in model's own.
    """

    spec: ModelSpec
    tokenizer: TokenizerKind = TokenizerKind.BYTES
    tokenizer_path: str | None = None
    end_token_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is chosen; temperature 0 is greedy, top_k 0 and top_p 1 are off."""

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.temperature <= 100.0:
            raise InputError(f"temperature must be from 0 (greedy) to 100, not {self.temperature}.")
        if self.top_k < 0:
            raise InputError(f"top-k must be 0 (off) or more, not {self.top_k}.")
        if not 0.0 < self.top_p <= 1.0:
            raise InputError(f"top-p must be above 0 and at most 1 (off), not {self.top_p}.")

    @property
    def greedy(self) -> bool:
        """Whether the most likely token is taken."""
        return self.temperature == 0.0


@dataclass(frozen=True, slots=True)
class RunConfig:
    """One run, whole: the model, its cache, the prompt and when to stop.

    ``prompt_text`` is None when ids were typed.  ``tokenizer_path`` is as in ModelChoice.
    ``prefill_chunk`` 0 feeds the prompt in one pass.  Raises InputError where the numbers do not
    go together.
    """

    model: ModelSpec
    prompt_ids: tuple[int, ...]
    layout: CacheLayout = field(default_factory=CacheLayout)
    dtype: DType = DType.FLOAT32
    tokenizer: TokenizerKind = TokenizerKind.BYTES
    tokenizer_path: str | None = None
    prompt_text: str | None = None
    max_new_tokens: int = 24
    max_seq_len: int = 64
    batch: int = 1
    sampling: Sampling = field(default_factory=Sampling)
    prefill_chunk: int = 0
    end_token_ids: tuple[int, ...] = ()
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not self.prompt_ids:
            raise InputError("The prompt is empty: type at least one character.")
        if self.max_new_tokens < 1:
            raise InputError(f"New tokens must be at least 1, not {self.max_new_tokens}.")
        if not 1 <= self.batch <= 16:
            raise InputError(f"Batch must be between 1 and 16, not {self.batch}.")
        if self.prefill_chunk < 0:
            raise InputError(
                f"A prefill chunk must be 0 (whole) or more, not {self.prefill_chunk}."
            )
        bad = next((i for i in self.prompt_ids if not 0 <= i < self.model.shape.vocab_size), None)
        if bad is not None:
            raise InputError(
                f"Token id {bad} is outside the vocabulary of {self.model.shape.vocab_size}: "
                f"use ids from 0 to {self.model.shape.vocab_size - 1}."
            )
        check_fits(len(self.prompt_ids), self.max_new_tokens, self.max_seq_len)
        _check_positions(self.model.shape, self.max_seq_len)

    @property
    def model_choice(self) -> ModelChoice:
        """The model with its tokenizer."""
        return ModelChoice(self.model, self.tokenizer, self.tokenizer_path, self.end_token_ids)

    @property
    def cost(self) -> RunCost:
        """Predicted bytes of the run."""
        return run_cost(
            self.model.shape,
            dtype=self.dtype,
            layout=self.layout,
            batch=self.batch,
            prompt_tokens=len(self.prompt_ids),
            max_new_tokens=self.max_new_tokens,
            max_seq_len=self.max_seq_len,
        )

    @property
    def work_multiplier(self) -> int:
        """What per-layer, per-head, per-sequence counts are multiplied by for totals."""
        shape = self.model.shape
        return shape.num_layers * shape.num_heads * self.batch


def _check_positions(shape: ModelShape, max_seq_len: int) -> None:
    if shape.positions is Positions.LEARNED and shape.context and max_seq_len > shape.context:
        raise InputError(
            f"This model has learned {shape.context:,} positions and the sequence limit is "
            f"{max_seq_len:,}: lower it to {shape.context:,}."
        )


def check_fits(known_tokens: int, new_tokens: int, max_seq_len: int) -> None:
    """Raise InputError unless ``known_tokens + new_tokens`` is within the sequence limit."""
    if known_tokens + new_tokens > max_seq_len:
        raise InputError(
            f"{known_tokens:,} tokens + {new_tokens:,} new ones need "
            f"{known_tokens + new_tokens:,}, over the sequence limit of {max_seq_len:,}: raise the "
            "limit, shorten the prompt or ask for fewer tokens."
        )
