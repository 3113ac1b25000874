"""What is said between the runner and the screen: commands in, events out."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.trace.config import ModelSpec, RunConfig
from kvviz.trace.head_kinds import HeadScores
from kvviz.trace.step import Step, StepArrays


@dataclass(frozen=True, slots=True)
class StartRun:
    """Load the model if it is not there, then run; a run in progress is cancelled first."""

    run_id: int
    config: RunConfig


@dataclass(frozen=True, slots=True)
class ContinueRun:
    """Go on with the finished run whose cache is kept; ``text_ids`` are a second prefill."""

    run_id: int
    max_new_tokens: int
    text_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DropPool:
    """Give back the pool that runs share; a run kept in it cannot go on afterwards."""


@dataclass(frozen=True, slots=True)
class ReleaseRun:
    """Give back what the cache of a finished run still holds; nothing if it is gone already."""

    run_id: int


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End the runner's loop."""


Command = StartRun | ContinueRun | ReleaseRun | DropPool | Shutdown


class EndReason(StrEnum):
    """Why a run ended well."""

    LENGTH = "length"
    END_TOKEN = "end_token"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The libraries are imported; ``devices`` can be chosen."""

    devices: tuple[str, ...]
    torch_version: str
    num_threads: int


@dataclass(frozen=True, slots=True)
class ModelLoading:
    """Weights are being read: ``done`` of ``total`` bytes."""

    run_id: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    """Weights are in memory: their bytes as the tensors have them.

    ``warnings`` are sentences on what is odd about them, told when they were loaded.
    """

    run_id: int
    weight_bytes: int
    elapsed_ns: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class HeadsMeasured:
    """What each head of a trained model looks at, measured on a sequence of its own."""

    run_id: int
    model: ModelSpec
    scores: HeadScores


@dataclass(frozen=True, slots=True)
class PoolKept:
    """The pool that runs share is now of this many bytes; 0: there is none any more.

    ``given_back`` are bytes of tensors that are gone since it was dropped.
    """

    num_bytes: int
    given_back: int = 0


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The first model call is about to happen (again, after a continue)."""

    run_id: int


@dataclass(frozen=True, slots=True)
class StepFinished:
    """One step, with what it recorded."""

    run_id: int
    step: Step
    arrays: StepArrays


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run ended; ``can_continue`` while its cache is kept."""

    run_id: int
    reason: EndReason
    can_continue: bool


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run ended with an error: one sentence, and the details for whoever wants them."""

    run_id: int
    message: str
    detail: str


Event = (
    WorkerReady
    | ModelLoading
    | ModelLoaded
    | HeadsMeasured
    | PoolKept
    | RunStarted
    | StepFinished
    | RunFinished
    | RunFailed
)
