"""What is said when a run ends with an error."""

import traceback

import torch

from kvviz.sizing.errors import InputError
from kvviz.trace.messages import RunFailed

# The CPU allocator raises a plain RuntimeError; these are its words on Linux, macOS and Windows.
ALLOCATOR_WORDS = ("can't allocate memory", "not enough memory", "out of memory")


def describe(run_id: int, error: BaseException, while_doing: str) -> RunFailed:
    """Return the sentence for ``error``, raised "at step 3" or "while loading the model"."""
    if isinstance(error, InputError):
        return RunFailed(run_id, str(error), "")
    detail = "".join(traceback.format_exception(error))
    if is_out_of_memory(error):
        message = (
            f"Out of memory {while_doing}: what was recorded stays, choose a smaller shape, "
            "batch or sequence limit."
        )
    else:
        text = " ".join(str(error).split()) or "no reason given"
        message = f"The run stopped {while_doing}, {type(error).__name__}: {text}"
    return RunFailed(run_id, message, detail)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the machine or the device had no memory left."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(w in str(error) for w in ALLOCATOR_WORDS)
