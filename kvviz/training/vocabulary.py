"""The built-in model's tokenizer: byte-level BPE."""

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

START, END = "<s>", "</s>"


def train_tokenizer(stories: Iterable[str], vocab_size: int) -> Tokenizer:
    """Return a tokenizer that encodes any text and puts ``<s>`` before it."""
    tokenizer = Tokenizer(models.BPE())
    # With a space put first, a text's first word is the same token as in its middle.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(stories, trainer)
    start_id = tokenizer.token_to_id(START)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", pair=f"{START} $A {START} $B", special_tokens=[(START, start_id)]
    )
    return tokenizer
