"""How the built-in model is made: every number that decides it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes, data and schedule; lengths in tokens, rates per optimiser step."""

    num_layers: int = 6
    hidden_size: int = 192
    num_heads: int = 6
    num_kv_heads: int = 2
    head_dim: int = 32
    ffn_size: int = 512
    vocab_size: int = 2048
    norm_eps: float = 1e-5
    rope_theta: float = 10_000.0
    context: int = 512

    seed: int = 0
    steps: int = 4000
    step_tokens: int = 4096
    held_out_stories: int = 250
    repeats: float = 0.06
    repeats_at_the_end: float = 0.02
    story_starts: float = 0.35
    swap_names: float = 0.75
    swap_colours: float = 0.5

    matrix_rate: float = 0.02
    vector_rate: float = 3e-3
    weight_decay: float = 0.1
    dropout: float = 0.1
    clip_norm: float = 1.0
    warmup_steps: int = 60
    constant_share: float = 0.35

    @property
    def tokens(self) -> int:
        """Tokens seen in all."""
        return self.steps * self.step_tokens

    def window(self, step: int) -> int:
        """Tokens of a window at ``step``: short ones first, which cost less attention."""
        if step < self.steps * 45 // 100:
            return self.context // 4
        return self.context // 2 if step < self.steps * 75 // 100 else self.context

    def rate(self, step: int) -> float:
        """Share of the full learning rate at ``step``: up, constant, then linearly to 0."""
        if step < self.warmup_steps:
            return (step + 1) / self.warmup_steps
        fall = int(self.steps * self.constant_share)
        return 1.0 if step < fall else (self.steps - step) / (self.steps - fall)

    def repeat_share(self, step: int) -> float:
        """Share of the windows that are a random sequence repeated; few in the last quarter."""
        return self.repeats if step < self.steps * 3 // 4 else self.repeats_at_the_end
