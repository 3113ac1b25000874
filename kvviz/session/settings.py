"""What the controls say, and the run they ask for."""

from dataclasses import dataclass, replace

from kvviz.sizing.cost import RunCost, run_cost
from kvviz.sizing.dtypes import DType
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape, Positions, kv_head_choices
from kvviz.trace.config import (
    ModelChoice,
    ModelSource,
    ModelSpec,
    RunConfig,
    Sampling,
    TokenizerKind,
)

DEFAULT_PROMPT = "The cat sat on the"
BYTE_VOCABULARY = 256
FIRST_NEW_TOKENS, FIRST_LIMIT = 48, 128  # some sentences, and room to go on
FIRST_TEMPERATURE, FIRST_TOP_P = 0.8, 0.9
FIRST_SEED = 31  # what the built-in model says with it hangs together
SHAPE_CONTROLS = (
    "num_layers",
    "num_heads",
    "num_kv_heads",
    "head_dim",
    "vocab_size",
    "positions",
)
LAYOUT_CONTROLS = ("block_size", "num_blocks", "window", "sinks", "bits", "group", "residual")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every control of the playground.

    ``model`` is the one that runs, whose shape then stands in the shape fields; None is random
    weights of that shape, and ``left`` the model that was left for them.  ``kv_dtype`` None
    stores the cache in the model's dtype, ``v_dtype`` None values as keys.  ``more_prompts`` are
    further prompts, one a line: the batch is then of them and ``prompt``, and ``row`` the one of
    these that is recorded.
    """

    prompt: str = DEFAULT_PROMPT
    model: ModelChoice | None = None
    left: ModelChoice | None = None
    num_layers: int = 4
    num_heads: int = 6
    num_kv_heads: int = 2
    head_dim: int = 32
    vocab_size: int = BYTE_VOCABULARY
    positions: Positions = Positions.ROPE
    tokenizer: TokenizerKind = TokenizerKind.BYTES
    tokenizer_path: str | None = None
    layout: LayoutKind = LayoutKind.PREALLOCATED
    block_size: int = 16
    num_blocks: int = 0
    window: int = 64
    sinks: int = 0
    bits: int = 8
    group: int = 32
    residual: int = 0
    shares_pool: bool = False
    dtype: DType = DType.FLOAT32
    kv_dtype: DType | None = None
    v_dtype: DType | None = None
    max_seq_len: int = 64
    batch: int = 1
    max_new_tokens: int = 24
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    prefill_chunk: int = 256  # a long prompt shows how far it is, and is not recorded all at once
    device: str = "cpu"
    more_prompts: str = ""
    row: int = 0
    kernel: Kernel = Kernel.SDPA
    tile: int = 16

    @property
    def prompts(self) -> tuple[str, ...]:
        """Every prompt of the batch as it was typed."""
        return self.prompt, *(line for line in self.more_prompts.splitlines() if line.strip())

    @property
    def sequences(self) -> int:
        """How many sequences run side by side: prompts of their own, or copies of one."""
        return len(self.prompts) if len(self.prompts) > 1 else self.batch

    @property
    def shape(self) -> ModelShape:
        """The model's geometry; raises InputError where it cannot be built."""
        if self.model is not None:
            return self.model.spec.shape
        return ModelShape(**{name: getattr(self, name) for name in SHAPE_CONTROLS})

    @property
    def choice(self) -> ModelChoice:
        """The model that runs, with its tokenizer; raises InputError where it cannot be built."""
        if self.model is not None:
            return self.model
        spec = ModelSpec(self.shape, ModelSource.RANDOM, self.seed)
        return ModelChoice(spec, self.tokenizer, self.tokenizer_path)

    @property
    def cache_layout(self) -> CacheLayout:
        """How the cache is kept."""
        return CacheLayout(
            self.layout,
            self.kv_dtype or self.dtype,
            self.v_dtype,
            **{name: getattr(self, name) for name in LAYOUT_CONTROLS},
        )

    def with_layout(self, layout: CacheLayout) -> "Settings":
        """Return the settings with this way to keep a cache; the dtypes stay."""
        numbers = {name: getattr(layout, name) for name in LAYOUT_CONTROLS}
        return replace(self, layout=layout.kind, **numbers)

    def with_heads(self, num_heads: int) -> "Settings":
        """Return the settings with other query heads, KV heads going to the nearest divisor."""
        choices = kv_head_choices(num_heads)
        kv_heads = max(n for n in choices if n <= max(self.num_kv_heads, 1))
        return replace(self, num_heads=num_heads, num_kv_heads=kv_heads)

    def with_model(self, choice: ModelChoice) -> "Settings":
        """Return the settings with this model, its shape and its tokenizer."""
        shape = choice.spec.shape
        return replace(
            self,
            model=choice,
            left=None,
            tokenizer=choice.tokenizer,
            tokenizer_path=choice.tokenizer_path,
            **{name: getattr(shape, name) for name in SHAPE_CONTROLS},
        )

    def with_random_weights(self) -> "Settings":
        """Return the settings with random weights of this shape; the tokenizer stays."""
        if self.model is None:
            return self
        positions = Positions.NONE if self.positions is Positions.NONE else Positions.ROPE
        return replace(self, model=None, left=self.model, positions=positions)

    def cost(self, prompt_tokens: int) -> RunCost:
        """Predict what the run would take, in bytes."""
        return run_cost(
            self.shape,
            dtype=self.dtype,
            layout=self.cache_layout,
            batch=self.sequences,
            prompt_tokens=prompt_tokens,
            max_new_tokens=self.max_new_tokens,
            max_seq_len=self.max_seq_len,
        )

    def to_config(self, *ids: tuple[int, ...]) -> RunConfig:
        """Return the run these settings ask for; raises InputError with the reason.

        ``ids`` are those of each of ``prompts``.
        """
        choice, prompts = self.choice, self.prompts
        row = min(self.row, len(prompts) - 1)
        others = [place for place in range(len(prompts)) if place != row]
        typed = choice.tokenizer is TokenizerKind.IDS
        return RunConfig(
            model=choice.spec,
            prompt_ids=ids[row],
            more_prompts=tuple(ids[place] for place in others),
            prompt_text=None if typed else prompts[row],
            more_texts=() if typed else tuple(prompts[place] for place in others),
            row=row,
            tokenizer=choice.tokenizer,
            tokenizer_path=choice.tokenizer_path,
            end_token_ids=choice.end_token_ids,
            layout=self.cache_layout,
            shares_pool=self.shares_pool and self.layout is LayoutKind.PAGED,
            dtype=self.dtype,
            max_new_tokens=self.max_new_tokens,
            max_seq_len=self.max_seq_len,
            batch=self.sequences,
            sampling=Sampling(self.temperature, self.top_k, self.top_p, self.seed),
            prefill_chunk=self.prefill_chunk,
            device=self.device,
            kernel=self.kernel,
            tile=self.tile,
        )


def first_settings(built_in: ModelChoice | None) -> Settings:
    """Return what a window opens with: the built-in model, or random weights where it is not."""
    if built_in is None:
        return Settings()
    return replace(
        Settings(),
        max_new_tokens=FIRST_NEW_TOKENS,
        max_seq_len=FIRST_LIMIT,
        temperature=FIRST_TEMPERATURE,
        top_p=FIRST_TOP_P,
        seed=FIRST_SEED,
    ).with_model(built_in)


def prompt_of(config: RunConfig) -> str:
    """Return what was typed for the recorded row: text, or ids."""
    return _typed(config.prompt_ids, config.prompt_text)


def prompts_of(config: RunConfig) -> tuple[str, ...]:
    """Return what was typed for every row, in that order."""
    texts = config.more_texts or (None,) * len(config.more_prompts)
    more = map(_typed, config.more_prompts, texts)
    return tuple(
        text for _, text in sorted(zip(config.places, (prompt_of(config), *more), strict=True))
    )


def _typed(ids: tuple[int, ...], text: str | None) -> str:
    return ", ".join(map(str, ids)) if text is None else text


def settings_of(config: RunConfig) -> Settings:
    """Return the settings that ask for ``config``."""
    sampling, kv_dtype, spec = config.sampling, config.layout.kv_dtype, config.model
    prompt, *more = prompts_of(config)
    settings = Settings(
        prompt=prompt,
        more_prompts="\n".join(more),
        row=config.row,
        shares_pool=config.shares_pool,
        dtype=config.dtype,
        kv_dtype=None if kv_dtype is config.dtype else kv_dtype,
        v_dtype=config.layout.v_dtype,
        max_seq_len=config.max_seq_len,
        batch=1 if more else config.batch,
        max_new_tokens=config.max_new_tokens,
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        seed=spec.seed if spec.source is ModelSource.RANDOM else sampling.seed,
        prefill_chunk=config.prefill_chunk,
        device=config.device,
        kernel=config.kernel,
        tile=config.tile,
    ).with_model(config.model_choice)
    settings = settings.with_layout(config.layout)
    if spec.source is ModelSource.RANDOM:
        return replace(settings, model=None)
    return settings
