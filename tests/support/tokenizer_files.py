"""Folders with a tokenizer.json, of every spelling that people's models use, and broken ones."""

import json

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

START, END = "<s>", "</s>"
WORDS = {"a": 0, "b": 1, "<s>": 2, "</s>": 3}
ALL_BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())


def byte_level(*, prefix_space=False, start=False):
    """GPT-2's spelling: every byte a token, two words whole, ``<s>`` and ``</s>`` at the end."""
    vocab = {piece: index for index, piece in enumerate(ALL_BYTES)}
    merges = [("Ġ", "c"), ("a", "t"), ("Ġc", "at")]
    for left, right in merges:
        vocab[left + right] = len(vocab)
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([START, END])
    if start:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{START} $A", special_tokens=[(START, tokenizer.token_to_id(START))]
        )
    return tokenizer


def sentence_piece():
    """Llama's spelling: a mark for spaces, ``<0xE2>`` for bytes."""
    pieces = [START, END, "▁", "c", "a", "t", "▁c", "▁ca", "▁cat"]
    pieces += [f"<0x{value:02X}>" for value in range(256)]
    vocab = {piece: index for index, piece in enumerate(pieces)}
    merges = [("▁", "c"), ("▁c", "a"), ("▁ca", "t")]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.add_special_tokens([START, END])
    return tokenizer


def write_tokenizer(folder, tokenizer, **tokenizer_config):
    """Write what ``FileTokenizer`` reads and return the folder as text."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    if tokenizer_config:
        write_json(folder / "tokenizer_config.json", tokenizer_config)
    return str(folder)


def write_json(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")


def raw_tokenizer(**parts):
    """A tokenizer.json of two letters, as text, with some of its parts replaced."""
    plain = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "BPE", "vocab": WORDS, "merges": []},
    }
    return json.dumps(plain | parts)


def splitting_at(regex):
    split = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    return raw_tokenizer(pre_tokenizer=split)


NEVER_ENDS = splitting_at("(a+)+$")
ROUND_IN_CIRCLES = ("a" * 22 + "b") * 6  # each word for itself below the library's own limit
PANICS_AT_LOAD = raw_tokenizer(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"})
