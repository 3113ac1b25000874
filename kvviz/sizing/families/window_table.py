"""Model types with windows; defaults and patterns are those of the classes in transformers 5.24."""

from collections.abc import Mapping

from kvviz.sizing.families import gemma, twofold
from kvviz.sizing.families.family import Family, sizes
from kvviz.sizing.families.windows import (
    above_max_window,
    all_full,
    all_sliding,
    every_full,
    first_full,
    listed,
    lower_alternating,
    read_chunked,
    ruled,
    slides,
    sliding_if_used,
    upper_sliding,
)

TIED = {"tie_word_embeddings": True}
WINDOW = frozenset(
    {"sliding_window", "sliding_window_size", "layer_types", "sliding_window_pattern"}
)
CHUNK = frozenset({"attention_chunk_size", "layer_types"})
SWA = WINDOW | {
    "attention_chunk_size",
    "v_head_dim",
    "swa_num_key_value_heads",
    "swa_head_dim",
    "hybrid_layer_pattern",
}
STEP = WINDOW | {"per_layer_config"}
SHARED = WINDOW | {
    "num_kv_shared_layers",
    "global_head_dim",
    "num_global_key_value_heads",
    "per_layer_config",
}
PATTERN = "sliding_window_pattern"

from_the_end = ruled(
    lambda layer, layers: (layers - 1 - layer) % 4 == 0, "full is each fourth from the last"
)
flint = ruled(
    lambda layer, layers: layer < 2 or layer % 4 == 1 or layer == layers - 1,
    "full are the first two layers, then each fourth, and the last",
)
beam = ruled(
    lambda layer, layers: (layer + 1) % 6 == 0 or layer == layers - 1,
    "full are each sixth layer and the last",
)

WINDOWED: Mapping[str, Family] = {
    "afmoe": Family(
        slides(every_full(4, "global_attn_every_n_layers")),
        sizes(32, 2048, 16, None, 128, sliding_window=1024),
        WINDOW,
    ),
    "beam": Family(slides(beam), sizes(52, 5120, 48, 8, 128, sliding_window=512), WINDOW),
    "cohere2": Family(
        slides(every_full(4, PATTERN)), sizes(40, 8192, 64, sliding_window=4096) | TIED, WINDOW
    ),
    "cohere2_moe": Family(slides(listed), sizes(40, 8192, 64, None, 128) | TIED, WINDOW),
    "cwm": Family(slides(first_full(4)), sizes(64, 6144, 48, 8, 128, sliding_window=8192), WINDOW),
    "dots1": Family(slides(above_max_window), sizes(62, 4608, 32, 32, sliding_window=4096), WINDOW),
    "exaone4": Family(
        slides(every_full(4, PATTERN)), sizes(32, 4096, 32, 32, sliding_window=4096), WINDOW
    ),
    "exaone_moe": Family(
        slides(every_full(4, PATTERN)), sizes(32, 4096, 32, 32, sliding_window=4096), WINDOW
    ),
    "flint": Family(slides(flint), sizes(49, 2048, 32, 4, 128, sliding_window=513), WINDOW),
    "gemma2": Family(
        slides(every_full(2)), sizes(26, 2304, 8, 4, 256, sliding_window=4096) | TIED, WINDOW
    ),
    "gemma3_text": Family(
        gemma.read_gemma3,
        sizes(26, 2304, 8, 4, 256, sliding_window=4096, vocab_size=262_208)
        | {"intermediate_size": 9216, "max_position_embeddings": 131_072}
        | TIED,
        WINDOW,
    ),
    "gemma3n_text": Family(
        gemma.read_gemma3n,
        sizes(35, 2048, 8, 2, 256, sliding_window=512, num_kv_shared_layers=15) | TIED,
        SHARED,
    ),
    "gemma4_text": Family(
        gemma.read_gemma4,
        sizes(30, 2304, 8, 4, 256, sliding_window=512, num_kv_shared_layers=0) | TIED,
        SHARED,
    ),
    "gemma4_unified_text": Family(
        gemma.read_gemma4,
        sizes(30, 2304, 8, 4, 256, sliding_window=1024, num_kv_shared_layers=0) | TIED,
        SHARED,
    ),
    "gpt_oss": Family(
        slides(every_full(2)), sizes(36, 2880, 64, 8, 64, sliding_window=128), WINDOW
    ),
    "granite_swa": Family(
        slides(first_full(4)), sizes(24, 2560, 20, 4, sliding_window=128), WINDOW
    ),
    "granitemoe_swa": Family(
        slides(first_full(4)), sizes(32, 4096, 32, sliding_window=128), WINDOW
    ),
    "kolibri1": Family(
        slides(every_full(5)), sizes(50, 2560, 48, 4, 128, sliding_window=513), WINDOW
    ),
    "laguna": Family(slides(all_full), sizes(40, 2048, 48, 8, 128, sliding_window=512), WINDOW),
    "llama4_text": Family(
        read_chunked, sizes(48, 5120, 40, 8, 128, attention_chunk_size=8192), CHUNK
    ),
    "mellum": Family(slides(all_full), sizes(28, 2304, 32, 4, 128, sliding_window=1024), WINDOW),
    "mimo": Family(slides(upper_sliding), {}, WINDOW),
    "mimo_v2_flash": Family(twofold.read_mimo_v2, sizes(48, 4096, 64, 4, 192), SWA),
    "llava_mistral": Family(slides(all_sliding), sizes(32, 4096, 32, 8), WINDOW),
    "phi3_v": Family(slides(all_sliding), sizes(32, 3072, 32), WINDOW),
    "phi4mm": Family(slides(all_sliding), sizes(32, 3072, 32, 8), WINDOW),
    "ministral": Family(slides(all_sliding), sizes(32, 4096, 32, 8, sliding_window=4096), WINDOW),
    "ministral3": Family(slides(all_sliding), sizes(34, 4096, 32, 8, 128), WINDOW),
    "mistral": Family(slides(all_sliding), sizes(32, 4096, 32, 8, sliding_window=4096), WINDOW),
    "mixtral": Family(slides(all_sliding), sizes(32, 4096, 32, 8), WINDOW),
    "muse_glimmer_text": Family(
        slides(from_the_end), sizes(52, 6656, 32, 2, 128, sliding_window=2048), WINDOW
    ),
    "muse_spark_text": Family(
        slides(from_the_end), sizes(62, 8192, 128, 16, 64, sliding_window=2048), WINDOW
    ),
    "olmo3": Family(slides(every_full(4)), sizes(32, 4096, 32, sliding_window=4096), WINDOW),
    "phi3": Family(slides(all_sliding), sizes(32, 3072, 32), WINDOW),
    "phi4_multimodal": Family(slides(all_sliding), sizes(32, 3072, 32, 8), WINDOW),
    "phimoe": Family(slides(all_sliding), sizes(32, 4096, 32, 8), WINDOW),
    "qwen2": Family(slides(upper_sliding), sizes(32, 4096, 32, 32, sliding_window=4096), WINDOW),
    "qwen2_5_omni_text": Family(
        slides(upper_sliding), sizes(28, 3584, 28, 4, sliding_window=32_768), WINDOW
    ),
    "qwen2_5_vl_text": Family(
        slides(upper_sliding), sizes(80, 8192, 64, 8, sliding_window=4096), WINDOW
    ),
    "qwen2_moe": Family(
        slides(lower_alternating), sizes(24, 2048, 16, 16, sliding_window=4096), WINDOW
    ),
    "qwen2_vl_text": Family(
        slides(upper_sliding), sizes(80, 8192, 64, 8, sliding_window=4096), WINDOW
    ),
    "qwen3": Family(
        slides(upper_sliding), sizes(32, 4096, 32, 32, 128, sliding_window=4096), WINDOW
    ),
    "qwen3_moe": Family(
        slides(sliding_if_used), sizes(24, 2048, 32, 4, sliding_window=4096), WINDOW
    ),
    "qwen3_omni_moe_text": Family(slides(all_sliding), sizes(28, 2048, 28, 4), WINDOW),
    "smollm3": Family(slides(all_full), sizes(36, 2048, 16, 4) | TIED, WINDOW),
    "starcoder2": Family(slides(all_sliding), sizes(30, 3072, 24, 2) | TIED, WINDOW),
    "step3p5": Family(twofold.read_step, sizes(45, 4096, 64, 8, 128), STEP),
    "step3p7_text": Family(twofold.read_step, sizes(45, 4096, 64, 8, 128), STEP),
    "vaultgemma": Family(
        slides(every_full(2)), sizes(26, 2304, 8, 4, 256, sliding_window=4096) | TIED, WINDOW
    ),
    "voxtral_realtime_text": Family(
        slides(all_sliding), sizes(32, 4096, 32, 8, sliding_window=4096), WINDOW
    ),
}
