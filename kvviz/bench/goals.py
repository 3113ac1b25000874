"""The figures to reach, one line each: what is measured, in which unit, against which limit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """A row's name and unit, and the limit that its ratio (or its value) must keep to."""

    name: str
    unit: str
    limit: float
    at_least: bool
    of_ratio: bool

    @property
    def text(self) -> str:
        """The goal as a person reads it: ``>= 1.5x``, ``<= 16 ms``."""
        sign = ">=" if self.at_least else "<="
        limit = f"{self.limit:,.0f}" if self.limit >= 1000 else f"{self.limit:g}"
        return f"{sign} {limit}{'x' if self.of_ratio else f' {self.unit}'}"

    def is_met(self, measured: float) -> bool:
        """Whether a ratio, or a value, keeps to the limit."""
        return measured >= self.limit if self.at_least else measured <= self.limit


def at_least(limit: float, name: str, unit: str) -> Goal:
    """Return a goal for value / baseline to be ``limit`` or more."""
    return Goal(name, unit, limit, at_least=True, of_ratio=True)


def at_least_value(limit: float, name: str, unit: str) -> Goal:
    """Return a goal for the value to be ``limit`` or more."""
    return Goal(name, unit, limit, at_least=True, of_ratio=False)


def at_most_times(limit: float, name: str, unit: str) -> Goal:
    """Return a goal for value / baseline to be ``limit`` or less."""
    return Goal(name, unit, limit, at_least=False, of_ratio=True)


def at_most(limit: float, name: str, unit: str) -> Goal:
    """Return a goal for the value to be ``limit`` or less."""
    return Goal(name, unit, limit, at_least=False, of_ratio=False)


GOALS = {
    "decode_2048": at_least(
        1.5, "decode around 2,048 cached tokens, against the tutorial's loop", "tokens/s"
    ),
    "decode_4096": at_least(
        2.5, "decode around 4,096 cached tokens, against the tutorial's loop", "tokens/s"
    ),
    "against_concat": at_least(
        2.5, "decode around 4,096 cached tokens, preallocated against concat", "tokens/s"
    ),
    "paged": at_least(
        0.6, "decode around 4,096 cached tokens, paged:16 against preallocated", "tokens/s"
    ),
    "block_pool": at_least_value(
        200_000, "appends and frees of sequences in a pool of blocks", "operations/s"
    ),
    "transformers": at_least(
        2.5, "decode on 4 layers of 128, GQA, against transformers (sdpa)", "tokens/s"
    ),
    "built_in_decode": at_least(
        2.5, "decode on the built-in model, against transformers (sdpa)", "tokens/s"
    ),
    "built_in_load": at_most_times(
        1.3, "load the built-in model, against a plain safetensors read", "ms"
    ),
    "window_speed": at_least(0.8, "steps under the live window, against headless", "steps/s"),
    "late_p99": at_most(16, "10 ms heartbeat over 2,000 steps, late at p99", "ms"),
    "late_max": at_most(60, "10 ms heartbeat over 2,000 steps, late at worst", "ms"),
    "torch_stall": at_most(250, "longest stall while torch is imported", "ms"),
    "grid": at_most(16, "redraw of the 4,096 x 4,096 grid, p95", "ms"),
    "chart": at_most(5, "redraw of a chart of 10,000 points, median of the slowest", "ms"),
    "slider_move": at_most(5, "a slider's move in the calculator, 100-layer hybrid", "ms"),
    "slider_painted": at_most(16, "the same move until it is painted", "ms"),
    "configs": at_most(2, "10,000 configs read and answered by the calculator, best of 3", "s"),
    "calc_process": at_most(0.35, "kvviz calc --json, the whole process", "s"),
    "first_paint": at_most_times(1.5, "first paint, against importing Qt and pyqtgraph", "ms"),
    "first_token": at_most_times(1.3, "first token on screen, against those and torch", "ms"),
    "growth": at_most(16, "memory gained in 10,000 steps beyond what the traces hold", "MiB"),
    "threads": at_most(0, "threads left by 200 starts and stops", "threads"),
}

FOLDER_GOALS = {
    "folder_decode": at_least(1.0, "decode on this model, against transformers (sdpa)", "tokens/s"),
    "folder_load": at_most_times(1.3, "load this model, against a plain safetensors read", "ms"),
}
