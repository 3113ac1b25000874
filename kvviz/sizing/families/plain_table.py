"""Model types whose layers all keep every token; defaults are those of transformers 5.24.

Types that transformers does not have are read as their own published code reads them.
"""

from collections.abc import Mapping

from kvviz.sizing.families import grouped
from kvviz.sizing.families.family import Family, sizes
from kvviz.sizing.families.twofold import read_minimax_m3
from kvviz.sizing.families.windows import read_plain

TIED = {"tie_word_embeddings": True}
LLAMA = sizes(32, 4096, 32)
# Old code of their own, all with Llama's keys and one KV head a query head unless given.
LLAMA_LIKE = (
    "aquila", "arctic", "baichuan", "bailing_moe", "bailing_moe_v2", "deepseek",
    "gpt_neox_japanese", "grok-1", "internlm", "internlm2", "jais", "llava_llama", "minicpm",
    "mixformer-sequential", "orion", "phi-msft", "skywork", "stablelm_epoch", "xverse", "Yi",
)  # fmt: skip

PLAIN: Mapping[str, Family] = {
    **{name: Family(read_plain) for name in LLAMA_LIKE},
    "apertus": Family(read_plain, LLAMA),
    "apertus1p5_text": Family(read_plain, LLAMA),
    "arcee": Family(read_plain, sizes(32, 2560, 32)),
    "aria_text": Family(read_plain, LLAMA),
    "biogpt": Family(read_plain, sizes(24, 1024, 16) | TIED),
    "bitnet": Family(read_plain, sizes(30, 2560, 20, 5)),
    "bloom": Family(read_plain, TIED),
    "chameleon": Family(read_plain, sizes(32, 4096, 32, 32)),
    "codegen": Family(read_plain, sizes(28, 4096, 16)),
    "cohere": Family(read_plain, sizes(40, 8192, 64) | TIED),
    "cosmos3_edge_text": Family(read_plain, sizes(28, 2048, 16, 8, 128)),
    "ctrl": Family(read_plain, TIED),
    "deepseek_ocr2_text": Family(read_plain, LLAMA),
    "diffllama": Family(read_plain, sizes(16, 2048, 32)),
    "emu3_text_model": Family(read_plain, sizes(32, 4096, 32, 8)),
    "ernie4_5": Family(read_plain, sizes(18, 1024, 16, 2, 128) | TIED),
    "ernie4_5_moe": Family(read_plain, sizes(28, 2560, 20, 4) | TIED),
    "ernie4_5_vl_moe_text": Family(read_plain, sizes(28, 2560, 20, 4) | TIED),
    "exaone": Family(read_plain, sizes(32, 4096, 32, 8)),
    "flex_olmo": Family(read_plain, LLAMA),
    "gemma": Family(read_plain, sizes(28, 3072, 16, 16, 256) | TIED),
    "glm": Family(read_plain, sizes(40, 4096, 32, 2, 128)),
    "glm4": Family(read_plain, sizes(40, 4096, 32, 2, 128)),
    "glm4_moe": Family(read_plain, sizes(46, 4096, 96, 8)),
    "glm4v_text": Family(read_plain, sizes(40, 4096, 32, 2)),
    "glm4v_moe_text": Family(read_plain, sizes(46, 4096, 96, 8)),
    "glm_ocr_text": Family(read_plain, sizes(16, 1024, 16, 8)),
    "gpt2": Family(read_plain, TIED),
    "gpt_neox": Family(read_plain, sizes(44, 6144, 64)),
    "gptj": Family(read_plain, sizes(28, 4096, 16)),
    "granite": Family(read_plain, LLAMA),
    "granite4_vision_text": Family(read_plain, LLAMA),
    "granite_docling_text": Family(read_plain, sizes(28, 1024, 16, 4) | TIED),
    "granitemoe": Family(read_plain, LLAMA),
    "granitemoeshared": Family(read_plain, LLAMA),
    "helium": Family(read_plain, sizes(24, 2560, 20, 20, 128)),
    "hy_v3": Family(read_plain, sizes(80, 4096, 64, 8, 128)),
    "hyperclovax": Family(read_plain, LLAMA),
    "internlm3": Family(read_plain, sizes(48, 4096, 32, 2, 128)),
    "iquestcoder": Family(read_plain, sizes(80, 5120, 40, 8, 128)),
    "jais2": Family(read_plain, sizes(32, 3328, 26)),
    "llama": Family(read_plain, LLAMA),
    "minimax_m2": Family(read_plain, sizes(62, 3072, 48, 8, 128)),
    "molmo2_text": Family(read_plain, sizes(36, 4096, 32, 8, 128)),
    "nanochat": Family(read_plain, sizes(12, 768, 6)),
    "nemotron": Family(read_plain, sizes(32, 6144, 48)),
    "olmo": Family(read_plain, LLAMA),
    "olmo2": Family(read_plain, LLAMA),
    "olmoe": Family(read_plain, sizes(16, 2048, 16)),
    "opt": Family(read_plain, sizes(12, 768, 12) | TIED),
    "paddleocr_vl_text": Family(read_plain, sizes(18, 1024, 16, 2, 128) | TIED),
    "persimmon": Family(read_plain, sizes(36, 4096, 64)),
    "phi": Family(read_plain, sizes(24, 2048, 32)),
    "qwen3_vl_text": Family(read_plain, sizes(32, 4096, 32, 32, 128)),
    "qwen3_vl_moe_text": Family(read_plain, sizes(24, 2048, 16, 16)),
    "sarvam_moe": Family(read_plain, sizes(19, 4096, 64, 4, 64)),
    "seed_oss": Family(read_plain, sizes(64, 4096, 80, 8, 128)),
    "solar_open": Family(read_plain, sizes(48, 4096, 64, 8, 128)),
    "step3_text": Family(read_plain, sizes(61, 7168, 64, 1, 256)),
    "stablelm": Family(read_plain, sizes(32, 2560, 32, 32)),
    "xglm": Family(read_plain, sizes(24, 1024, 16) | TIED),
}

QUERY = frozenset({"multi_query"})
GROUPS = frozenset({"multi_query_attention", "multi_query_group_num"})
SHARING = frozenset({"use_cla", "cla_share_factor"})
INDEX = frozenset({"sparse_attention_config", "index_head_dim", "layer_types"})

GROUPED: Mapping[str, Family] = {
    "chatglm": Family(grouped.read_chatglm, {}, GROUPS),
    "dbrx": Family(grouped.read_attn_config, {}, frozenset({"attn_config"})),
    "deci": Family(grouped.read_per_layer),
    "falcon": Family(grouped.read_falcon, sizes(32, 4544, 71) | TIED, QUERY),
    "gpt_bigcode": Family(grouped.read_bigcode, TIED, QUERY),
    "gpt_neo": Family(grouped.read_gpt_neo, sizes(24, 2048, 16) | TIED),
    "hunyuan": Family(grouped.read_shared_in_turn, {}, SHARING),
    "hunyuan_vl_text": Family(grouped.read_shared_in_turn, LLAMA | TIED, SHARING),
    "hunyuan_v1_dense": Family(grouped.read_shared_in_turn, LLAMA, SHARING),
    "hunyuan_v1_moe": Family(grouped.read_shared_in_turn, LLAMA, SHARING),
    "minimax_m3": Family(read_minimax_m3, sizes(60, 6144, 64, 4, 128), INDEX),
    "minimax_m3_vl_text": Family(read_minimax_m3, sizes(60, 6144, 64, 4, 128), INDEX),
    "mpt": Family(grouped.read_attn_config, TIED, frozenset({"attn_config"})),
    "nemotron-nas": Family(grouped.read_block_configs, {}, frozenset({"block_configs"})),
    "openelm": Family(grouped.read_per_layer),
    "qwen": Family(grouped.read_channels),
    "RefinedWeb": Family(grouped.read_falcon, TIED, QUERY),
    "RefinedWebModel": Family(grouped.read_falcon, TIED, QUERY),
}
