"""A step's Markdown as the rich text of a label, its figures put in."""

import html
import re

from kvviz.lessons.template import BRACES, FigureReference, fill, references
from kvviz.session.figures import Origin
from kvviz.session.moment import Moment
from kvviz.ui.theme import Theme

MARKS = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*(.+?)\*"), r"<i>\1</i>"),
    (re.compile(r"`(.+?)`"), r"<code>\1</code>"),
)
NOT_YET = "…"
LINE_HEIGHT = 150  # percent


def rich_text(text: str, moment: Moment | None, theme: Theme) -> str:
    """Return paragraphs of HTML: the first in the text colour, the others a shade quieter."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return "".join(
        f"<p style='margin:0 0 10px 0; line-height:{LINE_HEIGHT}%; color:{color}'>"
        f"{inline(paragraph, moment, theme)}</p>"
        for paragraph, color in zip(
            paragraphs, [theme.text, *[theme.secondary] * len(paragraphs)], strict=False
        )
    )


def inline(text: str, moment: Moment | None, theme: Theme) -> str:
    """Return one paragraph's HTML; a figure is stressed, "…" while the run has not come to it."""
    marked = html.escape(" ".join(text.split()), quote=False)
    for pattern, replacement in MARKS:
        marked = pattern.sub(replacement, marked)

    def dress(_reference: FigureReference, written: str) -> str:
        return _stressed(written, theme)

    if moment is None:
        return BRACES.sub(_stressed(NOT_YET, theme), marked)
    return fill(marked, moment, dress)


def origins(text: str) -> str:
    """Say where a text's figures come from: "measured: step latency · formula: score cells"."""
    names: dict[Origin, dict[str, None]] = {}
    for reference in references(text):
        names.setdefault(reference.figure.origin, {})[reference.figure.words] = None
    return " · ".join(f"{origin}: {', '.join(words)}" for origin, words in sorted(names.items()))


def _stressed(written: str, theme: Theme) -> str:
    escaped = html.escape(written, quote=False)
    if written.count(" ") == 1:  # a number and its unit stay together
        escaped = escaped.replace(" ", "&nbsp;")
    return f"<span style='font-weight:600; color:{theme.text}'>{escaped}</span>"
