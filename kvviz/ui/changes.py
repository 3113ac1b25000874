"""What changed in the store; every view looks at the flags that concern it."""

from enum import Flag, auto


class Change(Flag):
    """Reasons to read the store again."""

    NONE = 0
    SETTINGS = auto()  # a control, or what it may be set to
    RUNS = auto()  # the list, its reference, which run is shown, how far they are
    STEPS = auto()  # the shown run grew
    CURSOR = auto()
    SELECTION = auto()
    POINTER = auto()
    PICTURE = auto()
    STATUS = auto()  # the worker, free memory
    NOTICE = auto()
    FILES = auto()  # a file is being read or written, or that has ended
    ALL = SETTINGS | RUNS | STEPS | CURSOR | SELECTION | POINTER | PICTURE | STATUS | NOTICE | FILES
