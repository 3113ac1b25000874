"""Text made fit for a prompt: not endless, and nothing in it that is no character."""

import re
from dataclasses import dataclass

MOST_CHARACTERS = 8192  # twice what any run here can hold, so a prompt may still be trimmed by hand
STRANGE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class PromptText:
    """Text that can be shown and encoded; ``notice`` says what was done to it, "" if nothing."""

    text: str
    notice: str = ""


def fit_for_prompt(raw: str) -> PromptText:
    """Cut ``raw`` to 8,192 characters and replace NUL and lone surrogates by U+FFFD."""
    said = []
    text = raw[:MOST_CHARACTERS]
    if len(raw) > MOST_CHARACTERS:
        said.append(
            f"The text has {len(raw):,} characters, more than any run can hold: it was cut to the "
            f"first {MOST_CHARACTERS:,}."
        )
    text, replaced = STRANGE.subn(REPLACEMENT, text)
    if replaced:
        some = "1 character is" if replaced == 1 else f"{replaced:,} characters are"
        said.append(f"{some} not text and became {REPLACEMENT}.")
    return PromptText(text, " ".join(said))
