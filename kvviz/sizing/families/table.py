"""Every model type that can be sized, with what its class takes for absent keys.

Patterns and defaults are those of the classes in transformers 5.24.
"""

from collections.abc import Mapping

from kvviz.sizing.families.family import Family
from kvviz.sizing.families.windows import (
    all_sliding,
    every_full,
    read_plain,
    slides,
    upper_sliding,
)

WINDOW = frozenset({"sliding_window", "layer_types", "sliding_window_pattern"})

FAMILIES: Mapping[str, Family] = {
    "llama": Family(
        read_plain,
        {"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32},
    ),
    "mistral": Family(
        slides(all_sliding),
        {
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "sliding_window": 4096,
        },
        WINDOW,
    ),
    "qwen2": Family(
        slides(upper_sliding),
        {
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "sliding_window": 4096,
        },
        WINDOW,
    ),
    "qwen3": Family(
        slides(upper_sliding),
        {
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "head_dim": 128,
            "sliding_window": 4096,
        },
        WINDOW,
    ),
    "gemma2": Family(
        slides(every_full(2)),
        {
            "num_hidden_layers": 26,
            "hidden_size": 2304,
            "num_attention_heads": 8,
            "num_key_value_heads": 4,
            "head_dim": 256,
            "sliding_window": 4096,
            "tie_word_embeddings": True,
        },
        WINDOW,
    ),
    "gemma3_text": Family(
        slides(every_full(6, "sliding_window_pattern")),
        {
            "num_hidden_layers": 26,
            "hidden_size": 2304,
            "num_attention_heads": 8,
            "num_key_value_heads": 4,
            "head_dim": 256,
            "sliding_window": 4096,
            "vocab_size": 262208,
            "intermediate_size": 9216,
            "max_position_embeddings": 131072,
            "tie_word_embeddings": True,
        },
        WINDOW,
    ),
    "phi3": Family(
        slides(all_sliding),
        {"num_hidden_layers": 32, "hidden_size": 3072, "num_attention_heads": 32},
        WINDOW,
    ),
    "gpt2": Family(read_plain, {"tie_word_embeddings": True}),
    "gpt_neox": Family(read_plain, {}),
    "olmo2": Family(read_plain, {}),
}
