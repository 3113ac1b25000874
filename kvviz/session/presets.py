"""Prompts that show one thing each."""

from dataclasses import dataclass, replace

from kvviz.session.settings import DEFAULT_PROMPT, Settings

LONG_PROMPT = (
    "A cache keeps what has been worked out once. For every token the model has read, each layer "
    "made one key and one value. The next token asks all the keys which of them matter, and takes "
    "its share of their values. Nothing about the old tokens changes when a new one arrives, so "
    "their keys and values can stay where they are. What grows is the memory they need: one entry "
    "for each token, in each layer, for each head that keeps its own. Summed up in a few words: "
)
LONG_CHAT = (
    "You: What is in a KV cache?\n"
    "Model: One key and one value for every token so far, in every layer.\n"
    "You: Why keep the keys?\n"
    "Model: The next token compares its query with all of them.\n"
    "You: And the values?\n"
    "Model: They are what is read where a key matches.\n"
    "You: What about the queries?\n"
    "Model: Each is used once, for its own row, and never again.\n"
    "You: So what does it cost me?\n"
    "Model: Memory that grows with every token of this chat.\n"
    "You: And if you kept nothing?\n"
    "Model: I would read the whole chat again for each word.\n"
    "You: Then keep it, please.\n"
    "Model: "
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A prompt with the lengths that make its point."""

    name: str
    point: str
    prompt: str
    max_new_tokens: int
    max_seq_len: int

    def applied(self, settings: Settings) -> Settings:
        """Return ``settings`` with this prompt and these lengths."""
        return replace(
            settings,
            prompt=self.prompt,
            max_new_tokens=self.max_new_tokens,
            max_seq_len=self.max_seq_len,
        )


PRESETS = (
    Preset(
        "Short prompt, short answer",
        "A few tokens in, a few tokens out: what a start shows.",
        DEFAULT_PROMPT,
        24,
        64,
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
        16,
        512,
    ),
    Preset(
        "Long chat",
        "Both count, and the cache holds the whole conversation.",
        LONG_CHAT,
        192,
        1024,
    ),
)
