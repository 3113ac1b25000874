"""A trace as plain tensors, and back with every number checked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.layout import CacheBytes
from kvviz.trace.config import RunConfig
from kvviz.trace.packing_extras import Extras, pack_extras, unpack_extras
from kvviz.trace.step import Candidate, Floats, Phase, Step, StepArrays
from kvviz.trace.trace import COLUMNS, Trace

Tensor = NDArray[Any]
Tensors = dict[str, Tensor]
PHASES = (Phase.PREFILL, Phase.DECODE)
FIGURES = ("used", "reserved", "peak", "copied", "pool", "gathered")
# Behind the trace's own columns: phase as an index into PHASES, token_id -1 where none was chosen.
STEP_COLUMNS = (*COLUMNS, "phase", "token_id", "num_new_ids", "num_candidates")


def pack(trace: Trace) -> Tensors:
    """Return everything the steps hold; a figure that a step has not is -1 or NaN."""
    steps = trace.steps
    candidates = [candidate for step in steps for candidate in step.candidates]
    extra = [
        (
            PHASES.index(step.phase),
            -1 if step.token_id is None else step.token_id,
            len(step.new_ids),
            len(step.candidates),
        )
        for step in steps
    ]
    table = np.column_stack([*(trace.column(name) for name in COLUMNS), np.array(extra, np.int64)])
    pieces = [
        *(piece for step in steps for piece in step.new_pieces),
        *(step.piece for step in steps),
        *(candidate.piece for candidate in candidates),
    ]
    encoded = [encode_text(piece) for piece in pieces]
    logits = {step.index: trace.logits(step.index) for step in steps}
    recorded = {index: row for index, row in logits.items() if row is not None}
    layers = range(trace.config.model.shape.num_layers)
    return {
        "steps": table,
        "probabilities": np.array([_or_nan(step.probability) for step in steps], np.float64),
        "kernel_gaps": np.array([_or_nan(step.kernel_gap) for step in steps], np.float64),
        "new_ids": np.array([i for step in steps for i in step.new_ids], np.int64),
        "pieces": np.frombuffer(b"".join(encoded), np.uint8),
        "piece_bytes": np.array([len(piece) for piece in encoded], np.int64),
        "candidate_ids": np.array([c.token_id for c in candidates], np.int64),
        "candidate_probabilities": np.array([c.probability for c in candidates], np.float64),
        "q": _every_layer(trace.queries, layers),
        "k": _every_layer(trace.keys, layers),
        "v": _every_layer(trace.values, layers),
        "out": _every_layer(trace.outputs, layers),
        "logit_steps": np.array(list(recorded), np.int64),
        "logits": np.array(list(recorded.values()), np.float32).reshape(
            len(recorded), trace.config.model.shape.vocab_size
        ),
        **pack_extras(trace),
    }


def _every_layer(read: Callable[[int], Floats], layers: range) -> Floats:
    """Return all layers' [heads, S, D] behind one another in memory, as a file has them."""
    return np.array([read(layer) for layer in layers], np.float32)


def unpack(config: RunConfig, tensors: Tensors) -> Trace:
    """Return the trace that ``pack`` took apart; raise ValueError naming what does not fit."""
    _check_table(tensors["steps"])
    lengths = tensors["steps"][:, STEP_COLUMNS.index("seq_len")].tolist()
    parts = _Parts(config, tensors, unpack_extras(config, tensors, lengths))
    parts.check()
    trace = Trace(config)
    for step, arrays in parts.steps():
        trace.append(step, arrays)
    return trace


def encode_text(text: str) -> bytes:
    """Return text as UTF-8; half a surrogate pair, which a prompt can hold, is kept as it is."""
    return text.encode("utf-8", errors="surrogatepass")


def decode_text(data: bytes) -> str:
    """Undo ``encode_text``; raise UnicodeDecodeError where it is not UTF-8."""
    return data.decode("utf-8", errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class _Parts:
    config: RunConfig
    tensors: Tensors
    extras: Extras

    def column(self, name: str) -> NDArray[np.int64]:
        column: NDArray[np.int64] = self.tensors["steps"][:, STEP_COLUMNS.index(name)]
        return column

    def check(self) -> None:
        self._check_columns()
        self._check_shapes()
        self._check_values()

    def _check_columns(self) -> None:
        vocab_size = self.config.model.shape.vocab_size
        fed, added = self.column("num_tokens_fed"), self.column("num_new_ids")
        lengths = self.column("seq_len")
        least = np.zeros(len(STEP_COLUMNS), np.int64)
        least[STEP_COLUMNS.index("token_id")] = -1
        _expect(bool((self.tensors["steps"] >= least).all()), "a negative figure")
        found = self.extras.prefix.num_tokens if self.extras.prefix else 0
        computed = added.copy()
        computed[0] -= found  # what a pool had already was not fed
        _expect(bool((computed >= 1).all() and (fed >= computed).all()), "a step without tokens")
        _expect(bool((fed <= lengths).all()), "a step with too many tokens")
        _expect(int(lengths.max()) <= self.config.max_seq_len, "a length over its limit")
        _expect(bool((np.diff(lengths, prepend=0) == added).all()), "lengths that do not add up")
        _expect(bool((self.column("phase") < len(PHASES)).all()), "a phase")
        _expect(bool((self.column("token_id") < vocab_size).all()), "a token id")
        _expect(bool((self.column("num_candidates") <= vocab_size).all()), "its candidates")

    def _check_shapes(self) -> None:
        shape = self.config.model.shape
        steps, rows = len(self.tensors["steps"]), int(self.column("seq_len")[-1])
        candidates = int(self.column("num_candidates").sum())
        recorded = len(self.tensors["logit_steps"])
        heads = (shape.num_layers, shape.num_heads, rows, shape.head_dim)
        kv = (shape.num_layers, shape.num_kv_heads, rows, shape.head_dim)
        expected: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
            "probabilities": (np.float64, (steps,)),
            "kernel_gaps": (np.float64, (steps,)),
            "new_ids": (np.int64, (rows,)),
            "pieces": (np.uint8, (self.tensors["pieces"].size,)),
            "piece_bytes": (np.int64, (rows + steps + candidates,)),
            "candidate_ids": (np.int64, (candidates,)),
            "candidate_probabilities": (np.float64, (candidates,)),
            "q": (np.float32, heads),
            "k": (np.float32, kv),
            "v": (np.float32, kv),
            "out": (np.float32, heads),
            "logit_steps": (np.int64, (recorded,)),
            "logits": (np.float32, (recorded, shape.vocab_size)),
        }
        for name, (dtype, size) in expected.items():
            found = self.tensors[name]
            _expect(found.dtype == dtype and found.shape == size, f"the shape of {name}")

    def _check_values(self) -> None:
        parts, vocab_size = self.tensors, self.config.model.shape.vocab_size
        known = parts["probabilities"][~np.isnan(parts["probabilities"])]
        for values in (known, parts["candidate_probabilities"]):
            _expect(bool(((values >= 0) & (values <= 1)).all()), "a probability")
        for ids in (parts["new_ids"], parts["candidate_ids"]):
            _expect(bool(((ids >= 0) & (ids < vocab_size)).all()), "a token id")
        prompt = self.config.prompt_ids[: len(parts["new_ids"])]
        _expect(tuple(parts["new_ids"][: len(prompt)].tolist()) == prompt, "its prompt")
        sizes, steps = parts["piece_bytes"], parts["logit_steps"]
        _expect(bool(((sizes >= 0) & (sizes <= parts["pieces"].size)).all()), "its pieces")
        _expect(sum(sizes.tolist()) == parts["pieces"].size, "its pieces")
        _expect(bool((np.diff(steps, prepend=-1) > 0).all()), "its logits")
        _expect(bool((steps < len(parts["steps"])).all()), "its logits")

    def steps(self) -> Iterator[tuple[Step, StepArrays]]:
        parts = self.tensors
        texts = self._texts()
        new_pieces = list(islice(texts, len(parts["new_ids"])))
        pieces = list(islice(texts, len(parts["steps"])))
        candidates = map(
            Candidate,
            parts["candidate_ids"].tolist(),
            texts,
            parts["candidate_probabilities"].tolist(),
        )
        new_ids = parts["new_ids"].tolist()
        logits = dict(zip(parts["logit_steps"].tolist(), parts["logits"], strict=True))
        probabilities, gaps = parts["probabilities"].tolist(), parts["kernel_gaps"].tolist()
        for index, values in enumerate(parts["steps"].tolist()):
            row = dict(zip(STEP_COLUMNS, values, strict=True))
            new = slice(row["seq_len"] - row["num_new_ids"], row["seq_len"])
            step = _step(
                index,
                row,
                new_ids=tuple(new_ids[new]),
                new_pieces=tuple(new_pieces[new]),
                piece=pieces[index],
                probability=None if np.isnan(probabilities[index]) else probabilities[index],
                candidates=tuple(islice(candidates, row["num_candidates"])),
                more_rows=self.extras.more_rows.get(index, ()),
                block_events=self.extras.block_events.get(index, ()),
                prefix=self.extras.prefix if index == 0 else None,
                kernel_gap=None if np.isnan(gaps[index]) else gaps[index],
            )
            q, k, v, out = (parts[name][:, :, new] for name in ("q", "k", "v", "out"))
            yield step, StepArrays(q, k, v, logits.get(index), self.extras.errors[index], out)

    def _texts(self) -> Iterator[str]:
        data, start = self.tensors["pieces"].tobytes(), 0
        for size in self.tensors["piece_bytes"].tolist():
            yield decode_text(data[start : start + size])
            start += size


def _check_table(table: Tensor) -> None:
    _expect(table.ndim == 2 and table.shape[1] == len(STEP_COLUMNS), "its table of steps")
    _expect(len(table) > 0 and table.dtype == np.int64, "its table of steps")


def _step(index: int, row: dict[str, int], **texts: Any) -> Step:
    return Step(
        index=index,
        phase=PHASES[row["phase"]],
        num_tokens_fed=row["num_tokens_fed"],
        seq_len=row["seq_len"],
        latency_ns=row["latency_ns"],
        measured=CacheBytes(*(row[f"bytes_{name}"] for name in FIGURES)),
        predicted=CacheBytes(row["predicted_bytes"], *(row[f"predicted_{n}"] for n in FIGURES[1:])),
        token_positions=row["token_positions"],
        score_cells=row["score_cells"],
        token_id=None if row["token_id"] < 0 else row["token_id"],
        **texts,
    )


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _expect(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(what)
