"""Autoregressive generation, one recorded step at a time."""

import threading
from collections.abc import Callable, Iterator
from time import perf_counter_ns

import numpy as np
import torch
from torch import Tensor

from kvviz.cache.build import build_cache
from kvviz.cache.kv_cache import KVCache
from kvviz.engine.devices import synchronizer
from kvviz.engine.recorder import Cancelled, Recorder
from kvviz.engine.sampling import Choice, Row, Sampler
from kvviz.engine.tokenizer import Tokenizer
from kvviz.model.transformer import Transformer
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheBytes
from kvviz.sizing.work import score_cells
from kvviz.trace.config import RunConfig, check_fits
from kvviz.trace.messages import EndReason
from kvviz.trace.step import Candidate, Floats, Phase, Step, StepArrays


class Generation:
    """One run: its tokens, its cache, its random generator; it can be continued.

    The batch is copies of one prompt: row 0 is recorded and chooses the token for all rows.
    """

    def __init__(
        self,
        config: RunConfig,
        model: Transformer,
        tokenizer: Tokenizer,
        clock: Callable[[], int] = perf_counter_ns,
    ) -> None:
        self.config = config
        self.num_steps = 0
        self.reason: EndReason | None = None
        self.bytes_reserved = 0
        self._model = model
        self._tokenizer = tokenizer
        self._clock = clock
        self._sampler = Sampler(config.sampling)
        self._device = next(model.parameters()).device
        self._synchronize = synchronizer(self._device)
        self._ids = list(config.prompt_ids)
        self._held = 0
        self._parts = config.model.shape.cache_parts
        self._phase = Phase.PREFILL
        self._remaining = config.max_new_tokens
        self._cache: KVCache | None = build_cache(
            config.layout,
            config.model.shape,
            batch=config.batch,
            max_seq_len=config.max_seq_len,
            device=self._device,
        )

    @property
    def can_continue(self) -> bool:
        """Whether the cache is kept, so that ``extend`` may follow."""
        return self._cache is not None

    def extend(self, max_new_tokens: int, text_ids: tuple[int, ...] = ()) -> None:
        """Ask for more tokens; ``text_ids`` are fed first, a second prefill on the kept cache.

        Raises InputError, and leaves the run as it was, where that is not possible.
        """
        if self._cache is None:
            raise InputError("This run's cache was dropped: start the run again.")
        if max_new_tokens < 1:
            raise InputError(f"New tokens must be at least 1, not {max_new_tokens}.")
        vocab_size = self.config.model.shape.vocab_size
        bad = next((i for i in text_ids if not 0 <= i < vocab_size), None)
        if bad is not None:
            raise InputError(
                f"Token id {bad} is outside the vocabulary of {vocab_size}: "
                f"use ids from 0 to {vocab_size - 1}."
            )
        check_fits(len(self._ids) + len(text_ids), max_new_tokens, self.config.max_seq_len)
        self._ids.extend(text_ids)
        if text_ids:
            self._phase = Phase.PREFILL
        self._remaining = max_new_tokens
        self.reason = None

    def run(self, cancel: threading.Event | None = None) -> Iterator[tuple[Step, StepArrays]]:
        """Yield steps until the run ends; ``reason`` then says why.

        A cancel ends it between two layers: that step is not recorded and the cache is dropped,
        as it is when the model raises.
        """
        cancel = cancel or threading.Event()
        while self.reason is None:
            try:
                item = self._step(cancel)
            except Cancelled:
                self._cache = None
                self.reason = EndReason.CANCELLED
                return
            except BaseException:
                self._cache = None
                raise
            yield item

    def _step(self, cancel: threading.Event) -> tuple[Step, StepArrays]:
        config, cache = self.config, self._cache
        if cache is None or cancel.is_set():
            raise Cancelled
        before, after = self._held, self._next_stop()
        start = before if config.layout.keeps_entries else 0
        recorder = Recorder(cancel)
        with torch.inference_mode():
            latency_ns, logits, choice = self._call(start, after, cache, recorder)
            q, k, v = recorder.arrays(cache, after - before)
            measured = cache.finish_step()
        self.bytes_reserved = measured.reserved
        new_ids = tuple(self._ids[before:after])
        candidates = self._candidates(logits) if choice else ()
        step = Step(
            index=self.num_steps,
            phase=self._phase,
            num_tokens_fed=after - start,
            seq_len=after,
            latency_ns=latency_ns,
            measured=measured,
            predicted=self._predict(before, after),
            token_positions=after - start,
            score_cells=score_cells(start, after - start),
            new_ids=new_ids,
            new_pieces=tuple(map(self._tokenizer.piece, new_ids)),
            token_id=choice.token_id if choice else None,
            piece=self._tokenizer.piece(choice.token_id) if choice else "",
            probability=_probability(choice, candidates),
            candidates=candidates,
        )
        self._advance(after, choice)
        return step, StepArrays(q, k, v, _recorded(logits) if choice else None)

    def _next_stop(self) -> int:
        """Return how many tokens are held after the next step."""
        chunk = self.config.prefill_chunk
        if not chunk or not self.config.layout.keeps_entries:
            return len(self._ids)
        return min(len(self._ids), self._held + chunk)

    def _call(
        self, start: int, after: int, cache: KVCache, recorder: Recorder
    ) -> tuple[int, Row, Choice | None]:
        """Feed the tokens, choose if they were the last ones; clock exactly that."""
        batch = self.config.batch
        input_ids = torch.tensor([self._ids[start:after]] * batch, device=self._device)
        self._synchronize()
        begin = self._clock()
        logits = _host_row(self._model(input_ids, cache, recorder))
        choice = self._sampler.choose(logits) if after == len(self._ids) else None
        self._synchronize()
        return self._clock() - begin, logits, choice

    def _predict(self, before: int, after: int) -> CacheBytes:
        config = self.config
        return config.layout.predict(
            self._parts,
            batch=config.batch,
            before=before,
            after=after,
            max_seq_len=config.max_seq_len,
        )

    def _candidates(self, logits: Row) -> tuple[Candidate, ...]:
        ids, probabilities = zip(*self._sampler.candidates(logits), strict=True)
        return tuple(map(Candidate, ids, map(self._tokenizer.piece, ids), probabilities))

    def _advance(self, after: int, choice: Choice | None) -> None:
        self.num_steps += 1
        self._held = after
        if choice is None:
            return
        self._ids.append(choice.token_id)
        self._phase = Phase.DECODE
        self._remaining -= 1
        if choice.token_id in self.config.end_token_ids:
            self.reason = EndReason.END_TOKEN
        elif not self._remaining:
            self.reason = EndReason.LENGTH


def _probability(choice: Choice | None, candidates: tuple[Candidate, ...]) -> float | None:
    if choice is None:
        return None
    # A greedy choice is drawn from nothing; it is the likeliest candidate.
    return candidates[0].probability if choice.probability is None else choice.probability


def _host_row(logits: Tensor) -> Row:
    """Return row 0 of logits [B, V] as the model's numbers, at least float32."""
    row = logits[0]
    if row.dtype in (torch.float16, torch.bfloat16):
        row = row.float()
    return row.numpy(force=True)


def _recorded(logits: Row) -> Floats:
    recorded = np.array(logits, np.float32)  # its own copy: row 0 alone, not the batch's storage
    recorded.flags.writeable = False
    return recorded
