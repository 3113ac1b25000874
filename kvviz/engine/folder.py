"""A folder opened: the model in it, ready to run, and what is worth telling of it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kvviz.assets import built_in_model
from kvviz.engine.file_tokenizer import FileTokenizer
from kvviz.engine.special_tokens import end_token_ids
from kvviz.engine.tokenizer import BYTE_VOCABULARY, tokenizer_for
from kvviz.model.shards import SUFFIX, file_inside, some
from kvviz.model.weights import CONFIG, Weights, folder_weights
from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain, read_header
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind

TOKENIZER = "tokenizer.json"
PARTS = (CONFIG, TOKENIZER, "tokenizer_config.json", "generation_config.json")
READ_BY_TOKENIZER = (TOKENIZER, *PARTS[2:])


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model that can be run.  ``notes`` are sentences on what is odd about the folder.

    ``kind`` is its family, ``dtypes`` what its weights are stored as, ``num_bytes`` what loading
    reads.  Without a tokenizer.json ``choice`` takes ids, or bytes if the person agrees.
    """

    choice: ModelChoice
    kind: str
    dtypes: tuple[str, ...]
    num_bytes: int
    notes: tuple[str, ...] = ()

    @property
    def has_tokenizer(self) -> bool:
        """Whether text becomes the model's own tokens."""
        return self.choice.tokenizer is TokenizerKind.FILE

    @property
    def can_take_bytes(self) -> bool:
        """Whether text can be fed as UTF-8 bytes, which then mean other tokens to the model."""
        return self.choice.spec.shape.vocab_size >= BYTE_VOCABULARY

    @property
    def summary(self) -> str:
        """The model in one line."""
        count = self.choice.spec.shape.num_parameters
        return (
            f"{self.choice.spec.name}: {self.kind}, {count:,} parameters, "
            f"{bytes_text(self.num_bytes)} of {' and '.join(self.dtypes)}"
        )

    def with_bytes(self) -> ModelChoice:
        """Return the choice that feeds text as UTF-8 bytes; InputError where it has too few ids."""
        if not self.can_take_bytes:
            raise InputError(
                f"{self.choice.spec.name} knows {self.choice.spec.shape.vocab_size} tokens, fewer "
                "than there are bytes: give token ids."
            )
        return replace(self.choice, tokenizer=TokenizerKind.BYTES, tokenizer_path=None)


def folder_of(path: str) -> str | None:
    """Return the model's folder that ``path`` is, or is a file of; None where it is neither."""
    if os.path.isdir(path):
        return path
    folder, name = os.path.split(os.path.abspath(path))
    part = name in PARTS or name.endswith((SUFFIX, SUFFIX + ".index.json"))
    return folder if part and os.path.lexists(os.path.join(folder, CONFIG)) else None


def open_folder(path: str, *, with_tokenizer: bool = True) -> ModelFolder:
    """Return the model in a Hugging Face folder, or in that of one of its files.

    Weights are checked by their headers alone.  ``with_tokenizer`` False takes ids, whatever
    tokenizer there is.  Raises InputError where the model cannot be run.
    """
    folder = folder_of(path)
    if folder is None:
        raise _no_folder(path)
    folder = os.path.abspath(folder)
    weights = folder_weights(folder)
    spec = ModelSpec(weights.shape, ModelSource.FOLDER, path=folder)
    return _opened(folder, weights, ModelChoice(spec), with_tokenizer)


def open_built_in(*, with_tokenizer: bool = True) -> ModelFolder:
    """Return the model that kvviz comes with, named by no path so that its runs can be shared."""
    folder = str(built_in_model())
    weights = folder_weights(folder)
    choice = ModelChoice(ModelSpec(weights.shape, ModelSource.BUILT_IN))
    return _opened(folder, weights, choice, with_tokenizer)


def has_built_in() -> bool:
    """Whether the built-in model is there."""
    return (built_in_model() / CONFIG).is_file()


def _no_folder(path: str) -> InputError:
    """Return why a path is no model; what is foreign is named by its content."""
    with open_plain(path) as file:
        read_header(file, path)
    return InputError(f"{path} has no {CONFIG} beside it: choose the model's folder.")


def _opened(
    folder: str, weights: Weights, choice: ModelChoice, with_tokenizer: bool
) -> ModelFolder:
    for name in READ_BY_TOKENIZER:
        if os.path.lexists(os.path.join(folder, name)):
            file_inside(folder, name)
    notes = list(_notes(weights))
    tokenizer = _tokenizer(folder, choice.spec) if with_tokenizer else None
    if tokenizer is None:
        choice = replace(choice, tokenizer=TokenizerKind.IDS)
    else:
        notes += _checked_vocabulary(tokenizer, choice.spec)
        path = choice.spec.path
        choice = replace(choice, tokenizer=TokenizerKind.FILE, tokenizer_path=path)
    lookup = tokenizer.token_id if tokenizer else lambda _: None
    ends = end_token_ids(folder, lookup, weights.shape.vocab_size)
    return ModelFolder(
        choice=replace(choice, end_token_ids=ends),
        kind=weights.kind,
        dtypes=weights.dtypes,
        num_bytes=weights.num_bytes,
        notes=tuple(notes),
    )


def _tokenizer(folder: str, spec: ModelSpec) -> FileTokenizer | None:
    if not os.path.lexists(os.path.join(folder, TOKENIZER)):
        return None
    found = tokenizer_for(TokenizerKind.FILE, spec.path)
    return found if isinstance(found, FileTokenizer) else None


def _checked_vocabulary(tokenizer: FileTokenizer, spec: ModelSpec) -> list[str]:
    """Return what to note of the tokenizer; raise InputError if it is another model's."""
    known = spec.shape.vocab_size
    if tokenizer.vocab_size > known:
        raise InputError(
            f"{tokenizer.path}: tokenizer and model disagree: {tokenizer.vocab_size:,} > "
            f"{known:,} tokens: the two do not belong together, or give token ids."
        )
    beyond = tokenizer.added_beyond(known)
    return [f"{spec.name} has no vectors for {some(beyond)}: do not use them."] if beyond else []


def _notes(weights: Weights) -> Iterator[str]:
    name = os.path.basename(weights.where)
    if weights.unused:
        yield (
            f"{name}: {len(weights.unused):,} tensors are not part of a {weights.kind} and are "
            f"left out ({some(weights.unused)})."
        )
