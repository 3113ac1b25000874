"""Stories from a text file, and the same stories with other names and colours."""

import hashlib
import lzma
import random
import re
from dataclasses import dataclass
from pathlib import Path

GIRLS = (
    "Amy Anna Bella Daisy Ella Emily Emma Grace Jane Jill Kate Lila Lily Lisa Lola Lucy Maria "
    "Mary Mia Mimi Molly Nina Rosie Sally Sara Sarah Sophie Sue Susie Zoe"
)
BOYS = (
    "Adam Alex Andy Ben Bill Billy Bob Bobby Charlie Dan David Fred George Jack Jacob James "
    "Jim Jimmy Joe John Johnny Leo Mark Max Mike Nick Peter Sam Tim Timmy Toby Tom Tommy"
)
COLOURS = "red blue green yellow pink purple brown white black"
GROUPS = (GIRLS.split(), BOYS.split())
NAME = re.compile(rf"\b({'|'.join(GROUPS[0] + GROUPS[1])})\b")
COLOUR = re.compile(rf"\b({COLOURS.replace(' ', '|')})\b")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Stories to learn from, stories held out, and the text's SHA-256."""

    train: tuple[str, ...]
    held_out: tuple[str, ...]
    sha256: str


def read_corpus(path: Path, held_out: int) -> Corpus:
    """Read stories separated by an empty line, UTF-8, plain or xz; the last ones are held out."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    stories = tuple(story.strip() for story in data.decode().split("\n\n") if story.strip())
    if len(stories) <= held_out:
        raise SystemExit(
            f"{path} has {len(stories)} stories and {held_out} are held out: use a longer corpus."
        )
    return Corpus(stories[:-held_out], stories[-held_out:], hashlib.sha256(data).hexdigest())


def varied(story: str, rng: random.Random, swap_names: float, swap_colours: float) -> str:
    """Return the story with its names, and its colours, exchanged for others throughout."""
    if rng.random() < swap_names:
        story = _exchange(story, NAME, _other_names(set(NAME.findall(story)), rng))
    if rng.random() < swap_colours:
        story = _exchange(story, COLOUR, _other_colours(rng))
    return story


def _other_names(found: set[str], rng: random.Random) -> dict[str, str]:
    # Girls' names stay girls', and two people never become one.
    names: dict[str, str] = {}
    for group in GROUPS:
        here = [name for name in group if name in found]
        names |= zip(here, rng.sample(group, len(here)), strict=True)
    return names


def _other_colours(rng: random.Random) -> dict[str, str]:
    colours = COLOURS.split()
    return dict(zip(colours, rng.sample(colours, len(colours)), strict=True))


def _exchange(story: str, words: re.Pattern[str], others: dict[str, str]) -> str:
    return words.sub(lambda found: others[found[0]], story)
