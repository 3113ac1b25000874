"""Architectures that are refused, with the reason; all others are refused by name alone."""

from collections.abc import Mapping

ENCODERS = frozenset(
    {
        "albert", "align", "altclip", "bert", "big_bird", "camembert", "canine", "clip",
        "convbert", "data2vec-text", "deberta", "deberta-v2", "distilbert", "electra", "ernie",
        "esm", "eurobert", "flaubert", "funnel", "gemma3_encoder", "ibert", "layoutlm",
        "layoutlmv3", "longformer", "luke", "megatron-bert", "mobilebert", "modernbert", "mpnet",
        "mra", "new", "nomic_bert", "nystromformer", "perceiver", "rembert", "roberta",
        "roberta-prelayernorm", "roc_bert", "roformer", "siglip", "siglip2", "splinter",
        "squeezebert", "vit", "wav2vec2", "xlm", "xlm-roberta", "xlm-roberta-xl", "xmod", "yoso",
    }
)  # fmt: skip

REASONS: Mapping[str, str] = {
    "axk3": "its cache is not published",
    "blt": "its length in patches depends on the text",
    "deepseek_ref": "it keeps keys compressed at several rates beside a window",
    "deepseek_v4": "it keeps keys compressed at several rates beside a window",
    "dory": "it runs some layers several times over",
    "dots3_note_text": "it mixes latents of two widths, some of them with a window",
    "glm5_next_text": "its indexer keeps keys packed in pools",
    "inkling2_text": "it keeps convolution states beside windows in each layer",
    "inkling_text": "it keeps convolution states beside windows in each layer",
    "mistral_large4_text": "its layers share latents and indexers apart",
    "phi3small": "it keeps blocks of keys by a pattern of its own",
    "qwen4_exp_text": "it keeps index keys compressed in blocks",
    "reformer": "it hashes keys instead of keeping them in order",
    "rwkv": "its state is not sized here yet",
    "rwkv6": "its state is not sized here yet",
    "rwkv7": "its state is not sized here yet",
    "t5gemma2": "its decoder merges the source's keys with its own",
    "xlnet": "it keeps hidden states instead of keys",
    "xlstm": "its state is not sized here yet",
    "zaya": "it compresses keys by convolutions of its own",
}


def reason(model_type: str) -> str:
    """Return why a model type is refused, as the end of a sentence without its full stop."""
    if model_type in ENCODERS:
        return "is an encoder, which keeps no KV cache: choose a decoder's config"
    if model_type in REASONS:
        return f"cannot be sized exactly, because {REASONS[model_type]}"
    return (
        "is not known, so its cache cannot be told: kvviz calc --presets lists models that are, "
        "and --layers, --kv-heads and --head-dim size plain attention"
    )
