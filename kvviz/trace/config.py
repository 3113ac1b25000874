"""What a run was asked to do."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from kvviz.sizing.cost import RunCost, run_cost
from kvviz.sizing.dtypes import COMPUTING, DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.sizing.units import count_text


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
            *outside, name = re.split(r"[\\/]", self.path.rstrip("\\/"))
            if outside[1:] and outside[-1] == "snapshots":  # a download cache names them by hash
                return outside[-2].removeprefix("models--").replace("--", "/")
            return name
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
    ``prefill_chunk`` are the tokens of row 0 that a pass of the prefill feeds, 0 for all; what
    longer rows have before them goes with the first.  ``more_prompts`` are those of batch rows 1
    and up; without them these are copies of row 0's, the one that is recorded.  ``shares_pool``
    leaves a paged run's full blocks to the next run of the same settings.  ``tile`` is the side of
    the blockwise kernel's tiles, in tokens.  ``row`` is the place of ``prompt_ids`` among all
    prompts as they were typed, ``more_texts`` what was typed for the others; empty where that were
    ids.  Raises InputError where numbers do not go together.
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
    more_prompts: tuple[tuple[int, ...], ...] = ()
    shares_pool: bool = False
    kernel: Kernel = Kernel.SDPA
    tile: int = 16
    more_texts: tuple[str, ...] = ()
    row: int = 0

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
        for ids in self.prompts:
            _check_ids(ids, self.model.shape.vocab_size)
        if self.dtype not in COMPUTING:
            raise InputError(
                f"No model computes in {self.dtype}: choose it as the KV dtype, and bfloat16 or "
                "float32 for the model."
            )
        if self.more_prompts and self.batch != len(self.prompts):
            raise InputError(
                f"{len(self.prompts)} prompts are a batch of {len(self.prompts)}, not of "
                f"{self.batch}: leave the batch to them."
            )
        if self.shares_pool and self.layout.kind is not LayoutKind.PAGED:
            raise InputError(
                f"A {self.layout.kind} cache has no pool of blocks to share: choose paged."
            )
        if not 0 <= self.row < len(self.prompts):
            raise InputError(f"There is no prompt {self.row + 1} among {len(self.prompts)}.")
        if not 1 <= self.tile <= 4096:
            raise InputError(f"A tile must be from 1 to 4,096 tokens, not {self.tile}.")
        self.layout.check(self.model.shape.cache_parts)
        _check_windows(self)
        check_fits(max(map(len, self.prompts)), self.max_new_tokens, self.max_seq_len)
        _check_positions(self.model.shape, self.max_seq_len)

    @property
    def model_choice(self) -> ModelChoice:
        """The model with its tokenizer."""
        return ModelChoice(self.model, self.tokenizer, self.tokenizer_path, self.end_token_ids)

    @property
    def prompts(self) -> tuple[tuple[int, ...], ...]:
        """The prompt of each row, row 0's alone where the others are copies."""
        return self.prompt_ids, *self.more_prompts

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each of ``prompts`` among them as they were typed."""
        return self.row, *(n for n in range(len(self.prompts)) if n != self.row)

    @property
    def pads(self) -> tuple[int, ...]:
        """How many places each row begins later than the longest; empty if all are alike."""
        longest = max(map(len, self.prompts))
        pads = tuple(longest - len(ids) for ids in self.prompts)
        return pads if any(pads) else ()

    @property
    def row_pads(self) -> tuple[int, ...]:
        """How many places each row of the batch begins later than the longest, 0 if none."""
        return self.pads or (0,) * self.batch

    def row_lengths(self, tokens: int) -> tuple[int, ...]:
        """Return the tokens of each row where row 0 has ``tokens``: rows end together."""
        pads = self.row_pads
        return tuple(max(0, tokens + pads[0] - pad) for pad in pads)

    @property
    def cost(self) -> RunCost:
        """Predicted bytes of the run."""
        return run_cost(
            self.model.shape,
            dtype=self.dtype,
            layout=self.layout,
            batch=self.batch,
            prompt_tokens=max(map(len, self.prompts)),
            max_new_tokens=self.max_new_tokens,
            max_seq_len=self.max_seq_len,
        )

    @property
    def work_multiplier(self) -> int:
        """What per-layer, per-head, per-sequence counts are multiplied by for totals.

        Prompts of their own differ in length, so then the totals are those of row 0 alone.
        """
        shape = self.model.shape
        return shape.num_layers * shape.num_heads * (1 if self.more_prompts else self.batch)


def _check_positions(shape: ModelShape, max_seq_len: int) -> None:
    if shape.positions is Positions.LEARNED and shape.context and max_seq_len > shape.context:
        raise InputError(
            f"This model has learned {shape.context:,} positions and the sequence limit is "
            f"{max_seq_len:,}: lower it to {shape.context:,}."
        )


def _check_ids(ids: tuple[int, ...], vocab_size: int) -> None:
    if not ids:
        raise InputError("A prompt of the batch is empty: type at least one token in each.")
    bad = next((i for i in ids if not 0 <= i < vocab_size), None)
    if bad is not None:
        raise InputError(
            f"Token id {bad} is outside the vocabulary of {vocab_size}: "
            f"use ids from 0 to {vocab_size - 1}."
        )


def _check_windows(config: RunConfig) -> None:
    """Raise InputError where a cache's order of keys is not the one that windows count in."""
    if not any(config.model.shape.windows):
        return
    kind = config.layout.kind
    if kind is LayoutKind.SLIDING:
        raise InputError(
            "Layers of this model have windows of their own, and a sliding cache would be a second "
            "one: choose another layout."
        )
    if kind is LayoutKind.PAGED and config.pads:
        raise InputError(
            "Layers of this model have windows, and a paged cache reads rows of unequal lengths "
            "from their beginning: give prompts of one length, or choose preallocated."
        )


def check_fits(known_tokens: int, new_tokens: int, max_seq_len: int) -> None:
    """Raise InputError unless ``known_tokens + new_tokens`` is within the sequence limit."""
    if known_tokens + new_tokens > max_seq_len:
        raise InputError(
            f"{count_text(known_tokens, 'token')} + {new_tokens:,} new need "
            f"{known_tokens + new_tokens:,}, over the sequence limit of {max_seq_len:,}: raise the "
            "limit, shorten the prompt or ask for fewer tokens."
        )
