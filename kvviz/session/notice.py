"""What is said to the person in front of the window."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence, and whether it says that something went wrong."""

    text: str
    is_error: bool = True
