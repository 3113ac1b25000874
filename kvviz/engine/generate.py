"""Autoregressive generation, one recorded step at a time."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter_ns

import torch

from kvviz.cache.build import build_cache
from kvviz.cache.kv_cache import KVCache
from kvviz.cache.paged import PagedCache
from kvviz.cache.paged_store import PagedStore
from kvviz.engine.batch_rows import BatchRows
from kvviz.engine.devices import synchronizer
from kvviz.engine.recorder import Cancelled, Recorder, host_array
from kvviz.engine.sampling import Choice, Row, Sampler
from kvviz.engine.tokenizer import Tokenizer
from kvviz.model.kernels import Compared, attention_of
from kvviz.model.transformer import Transformer
from kvviz.sizing.blocks import BlockEvent, PrefixMatch
from kvviz.sizing.errors import InputError
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout import CacheBytes
from kvviz.sizing.work import score_cells
from kvviz.trace.config import RunConfig, check_fits
from kvviz.trace.messages import EndReason
from kvviz.trace.step import Candidate, Phase, RowStep, Step, StepArrays


class Generation:
    """One run: its tokens, its cache, its random generator; it can be continued.

    Row 0 of the batch is recorded.  Copies of its prompt take what it chose; prompts of their own
    choose for themselves, and a step says what they were fed and chose.  ``store`` is a pool of
    blocks shared with other runs: a prefix that is there already is not computed again.
    """

    def __init__(
        self,
        config: RunConfig,
        model: Transformer,
        tokenizer: Tokenizer,
        clock: Callable[[], int] = perf_counter_ns,
        store: PagedStore | None = None,
    ) -> None:
        self.config = config
        self.num_steps = 0
        self.reason: EndReason | None = None
        self.bytes_reserved = 0
        self._model = model
        self._tokenizer = tokenizer
        self._clock = clock
        self._attention = attention_of(config.kernel, config.tile)
        if config.kernel is Kernel.BLOCKWISE:
            self._attention = Compared(self._attention, clock)
        self._rows = BatchRows(config)
        self._samplers = [
            Sampler(replace(config.sampling, seed=config.sampling.seed + place))
            for place in config.places[: self._rows.distinct]
        ]
        self._device = next(model.parameters()).device
        self._synchronize = synchronizer(self._device)
        self._held = 0  # places that the cache has seen
        self._parts = config.model.shape.cache_parts
        self._phase = Phase.PREFILL
        self._remaining = config.max_new_tokens
        self._cache: KVCache | None = build_cache(
            config.layout,
            config.model.shape,
            batch=config.batch,
            max_seq_len=config.max_seq_len,
            device=self._device,
            pads=self._rows.pads,
            store=store,
        )
        self._prefix: PrefixMatch | None = None
        if store is not None:
            self._reuse(store)

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
        check_fits(len(self._rows) + len(text_ids), max_new_tokens, self.config.max_seq_len)
        self._rows.extend(text_ids)
        if text_ids:
            self._phase = Phase.PREFILL
        self._remaining = max_new_tokens
        self.reason = None

    def release(self) -> None:
        """End the request: its storage, or its blocks, are given back at once."""
        if self._cache is not None:
            self._cache.release()
            self._cache = None
        self.bytes_reserved = 0

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
                self.release()
                self.reason = EndReason.CANCELLED
                return
            except BaseException:
                self.release()
                raise
            yield item

    def _step(self, cancel: threading.Event) -> tuple[Step, StepArrays]:
        config, cache, rows = self.config, self._cache, self._rows
        if cache is None or cancel.is_set():
            raise Cancelled
        before, after = self._held, self._next_stop()
        start = before if config.layout.keeps_entries else 0
        prefix, self._prefix = self._prefix, None
        known = 0 if prefix else before  # places whose keys the trace has already
        new_ids, fed = rows.ids(0, known, after), len(rows.ids(0, start, after))
        recorder = Recorder(cancel)
        with torch.inference_mode():
            latency_ns, logits, choices = self._call(start, after, cache, recorder)
            arrays = recorder.arrays(cache, len(new_ids), logits if choices else None)
            measured = cache.finish_step()
        self.bytes_reserved = measured.reserved
        choice = choices[0] if choices else None
        candidates = self._candidates(logits) if choice else ()
        step = Step(
            index=self.num_steps,
            phase=self._phase,
            num_tokens_fed=fed,
            seq_len=after - rows.first_pad,
            latency_ns=latency_ns,
            measured=measured,
            predicted=self._predict(before, after),
            token_positions=fed,
            score_cells=score_cells(after - rows.first_pad - fed, fed, config.layout.most_held),
            new_ids=new_ids,
            new_pieces=tuple(map(self._tokenizer.piece, new_ids)),
            token_id=choice.token_id if choice else None,
            piece=self._tokenizer.piece(choice.token_id) if choice else "",
            probability=_probability(choice, candidates),
            candidates=candidates,
            more_rows=self._more_rows(before, after, choices),
            block_events=self._block_events(cache),
            prefix=prefix,
            kernel_gap=self._kernel_gap(),
        )
        self._advance(after, choices)
        return step, arrays

    def _kernel_gap(self) -> float | None:
        if not isinstance(self._attention, Compared):
            return None
        gap, self._attention.gap = self._attention.gap, 0.0
        return gap

    def _reuse(self, store: PagedStore) -> None:
        """Begin behind what the pool has of the prompt; unequal rows begin at their beginning."""
        if isinstance(self._cache, PagedCache):
            store.pool.tell_what_is_there()
            if not self.config.more_prompts:
                self._prefix = self._cache.reuse(self.config.prompt_ids)
                self._held = self._cache.seq_len

    def _block_events(self, cache: KVCache) -> tuple[BlockEvent, ...]:
        if not isinstance(cache, PagedCache):
            return ()
        cache.seal(self._rows.every())
        return cache.store.pool.take_events()

    def _more_rows(self, before: int, after: int, choices: list[Choice]) -> tuple[RowStep, ...]:
        if self._rows.distinct == 1:
            return ()
        return tuple(
            RowStep(self._rows.ids(row, before, after), choices[row].token_id if choices else None)
            for row in range(1, self._rows.distinct)
        )

    def _next_stop(self) -> int:
        """Return how many places are held after the next step."""
        chunk, known = self.config.prefill_chunk, len(self._rows)
        if not chunk or not self.config.layout.keeps_entries:
            return known
        # What longer rows have before row 0 begins goes with its first chunk.
        return min(known, max(self._held, self._rows.first_pad) + chunk)

    def _call(
        self, start: int, after: int, cache: KVCache, recorder: Recorder
    ) -> tuple[int, Row, list[Choice]]:
        """Feed the tokens, choose if they were the last ones; clock exactly that."""
        input_ids = self._rows.fed(start, after, self._device)
        attention = self._attention
        spent = attention.spent_ns if isinstance(attention, Compared) else 0
        self._synchronize()
        begin = self._clock()
        computed = self._model(input_ids, cache, recorder, attention)
        distinct = self._rows.distinct
        logits = host_array(computed if computed.size(0) == distinct else computed[:distinct])
        last = after == len(self._rows)
        pairs = zip(self._samplers, logits, strict=True)
        choices = [sampler.choose(row) for sampler, row in pairs] if last else []
        self._synchronize()
        elapsed = self._clock() - begin
        if isinstance(attention, Compared):
            elapsed -= attention.spent_ns - spent
        return elapsed, logits[0], choices

    def _predict(self, before: int, after: int) -> CacheBytes:
        config = self.config
        return config.layout.predict(
            self._parts,
            batch=config.batch,
            before=before,
            after=after,
            max_seq_len=config.max_seq_len,
            pads=self._rows.pads,
        )

    def _candidates(self, logits: Row) -> tuple[Candidate, ...]:
        ids, probabilities = zip(*self._samplers[0].candidates(logits), strict=True)
        return tuple(map(Candidate, ids, map(self._tokenizer.piece, ids), probabilities))

    def _advance(self, after: int, choices: list[Choice]) -> None:
        self.num_steps += 1
        self._held = after
        if not choices:
            return
        self._rows.append([choice.token_id for choice in choices])
        self._phase = Phase.DECODE
        self._remaining -= 1
        if choices[0].token_id in self.config.end_token_ids:
            self.reason = EndReason.END_TOKEN
        elif not self._remaining:
            self.reason = EndReason.LENGTH


def _probability(choice: Choice | None, candidates: tuple[Candidate, ...]) -> float | None:
    if choice is None:
        return None
    # A greedy choice is drawn from nothing; it is the likeliest candidate.
    return candidates[0].probability if choice.probability is None else choice.probability
