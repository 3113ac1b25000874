"""Prompts that show one thing each."""

from dataclasses import dataclass, replace

from kvviz.session.settings import (
    DEFAULT_PROMPT,
    FIRST_LIMIT,
    FIRST_NEW_TOKENS,
    Settings,
)
from kvviz.sizing.layout import CacheLayout, LayoutKind

LONG_PROMPT = (
    "Once upon a time there was a little girl named Lily. She had a red ball and a small brown dog "
    "named Max. Every day Lily and Max went to the park to play. One day Lily threw the ball very "
    "high, and it went into a big tree. Lily was sad. Max ran around the tree and barked. A kind "
    'bird saw them and said, "Do not cry, I can help you." The bird flew up to the ball and gave '
    "it a little push. But the ball did not fall. It was stuck between two big branches.\n"
    'Then a cat came to the tree. "Can you help us?" asked Lily. "I can climb," said the cat, "but '
    'I am afraid of your dog." Max sat down and was very quiet. So the cat went up the tree, slow '
    "and careful. She put her paw on the ball, but it was too heavy for her. The cat was tired and "
    "came down again.\n"
    "Lily had an idea. She ran home and told her mom. Her mom took a long stick and went to the "
    "park with her. The ball fell down and rolled to Max. Max was so"
)
BEGINNING = "Once upon a time there was a little girl named Lily."
SMALL_BLOCKS = CacheLayout(LayoutKind.PAGED, block_size=4)
LONG_STORY = (
    "Tom and his mom went to the beach. The sun was warm and the water was blue. Tom wanted to "
    "build a big castle in the sand. He had a bucket and a little shovel.\n"
    '"Mom, can you help me?" asked Tom.\n'
    '"Yes, I can," said his mom. "First we need wet sand."\n'
    "They worked all morning. They made four tall towers and a long wall. Tom found a white shell "
    "and put it on top. Then a little girl came to them. Her name was Sue.\n"
    '"Your castle is so pretty," said Sue. "Can I play too?"\n'
    '"Yes, you can," said Tom. He gave her the bucket. Sue was very happy. But then a big wave '
    'came and took the wall away.\n"Oh no!" said Tom.'
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A prompt with the lengths that make its point, further prompts, and a layout of its own.

    ``turn`` is what to continue its run with.
    """

    name: str
    point: str
    prompt: str
    max_new_tokens: int
    max_seq_len: int
    more_prompts: str = ""
    layout: CacheLayout | None = None
    shares_pool: bool = False
    turn: str = ""

    def applied(self, settings: Settings) -> Settings:
        """Return ``settings`` with this prompt and these lengths."""
        if self.layout is not None:
            settings = settings.with_layout(self.layout)
        return replace(
            settings,
            prompt=self.prompt,
            more_prompts=self.more_prompts,
            row=0,
            shares_pool=self.shares_pool,
            max_new_tokens=self.max_new_tokens,
            max_seq_len=self.max_seq_len,
        )


PRESETS = (
    Preset(
        "Short prompt, short answer",
        "A few tokens in, some sentences out: what a start shows.",
        DEFAULT_PROMPT,
        FIRST_NEW_TOKENS,
        FIRST_LIMIT,
    ),
    Preset(
        "Short prompt, long answer",
        "Decode decides: one token at a time, many times.",
        "Once upon a time",
        240,
        256,
    ),
    Preset(
        "Long prompt, short answer",
        "Prefill decides: one wide pass before the first token.",
        LONG_PROMPT,
        8,
        1024,
    ),
    Preset(
        "Long chat",
        "The cache holds it all: Enter in the box beside Continue adds a turn to it.",
        LONG_STORY,
        192,
        1024,
        turn=" The next day Tom and Sue",
    ),
    Preset(
        "Shared prefix, 1st prompt",
        "Paged. Its full blocks stay in the pool when it has ended.",
        f"{BEGINNING} She had a red ball and a dog.",
        24,
        128,
        layout=SMALL_BLOCKS,
        shares_pool=True,
    ),
    Preset(
        "Shared prefix, 2nd prompt",
        "Run it after the 1st: it begins alike, so its first blocks are found, not computed.",
        f"{BEGINNING} She loved to run and to play.",
        24,
        128,
        layout=SMALL_BLOCKS,
        shares_pool=True,
    ),
    Preset(
        "Unequal prompts, one batch",
        "The short ones are padded to the longest; a paged cache needs no padding.",
        "The cat sat on the",
        24,
        128,
        more_prompts=f"{BEGINNING}\nTom and Sue went to the park. They saw a",
    ),
)
