"""The loop that runs models on a thread of its own."""

import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter_ns

import torch

from kvviz.engine.devices import available_devices, device_free_bytes, device_named
from kvviz.engine.failure import describe
from kvviz.engine.generate import Generation
from kvviz.engine.head_kinds import HeadProbe
from kvviz.engine.load import load_model
from kvviz.engine.load_news import LoadNews
from kvviz.engine.mailbox import Mailbox
from kvviz.engine.memory import free_bytes as host_free_bytes
from kvviz.engine.model_slot import Load, ModelSlot
from kvviz.engine.recorder import Cancelled
from kvviz.engine.shared_pool import SharedPool
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.sizing.errors import InputError
from kvviz.trace.config import RunConfig
from kvviz.trace.messages import (
    Command,
    ContinueRun,
    DropPool,
    EndReason,
    Event,
    ModelLoaded,
    PoolKept,
    ReleaseRun,
    RunFinished,
    RunStarted,
    Shutdown,
    StartRun,
    StepFinished,
    WorkerReady,
)


@dataclass(eq=False, slots=True)
class Order:
    """A command about a run, the event that ends it early, and what it is at."""

    command: StartRun | ContinueRun | ReleaseRun | DropPool
    cancel: threading.Event = field(default_factory=threading.Event)
    while_doing: str = "while loading the model"

    @property
    def run_id(self) -> int | None:
        """The run it is about, None where it is about none."""
        return None if isinstance(self.command, DropPool) else self.command.run_id


class Runner:
    """Takes commands from any thread, computes on one, posts what happened.

    A run computes as many steps as it has credit for; pause, step and pace are that credit.
    No exception leaves it: a run that raises ends with RunFailed.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        load: Load = load_model,
        free_bytes: Callable[[], int] = host_free_bytes,
    ) -> None:
        self._mailbox = mailbox
        self._free_bytes = free_bytes
        self._slot = ModelSlot(load)
        self._probe = HeadProbe()
        self._kept: tuple[int, Generation] | None = None
        self._shared = SharedPool()
        # Guards the orders and the credit; notified when either changes.
        self._change = threading.Condition()
        self._orders: deque[Order] = deque()
        self._closing = False
        self._credit: dict[int, int | None] = {}

    # From any thread

    def send(self, command: Command) -> None:
        """Queue a command; a StartRun or a Shutdown cancels every run before it."""
        with self._change:
            if isinstance(command, StartRun | Shutdown):
                for order in self._orders:
                    order.cancel.set()
            if isinstance(command, Shutdown):
                self._closing = True
            elif not self._closing:
                self._orders.append(Order(command))
            self._change.notify_all()
        self._mailbox.wake()

    def allow(self, run_id: int, steps: int | None) -> None:
        """Say how many steps in all a run may have computed; None: as many as it wants."""
        with self._change:
            self._credit[run_id] = steps
            self._change.notify_all()

    def cancel(self, run_id: int) -> None:
        """End a run between two layers, or before it began."""
        with self._change:
            for order in self._orders:
                if order.run_id == run_id:
                    order.cancel.set()
            self._change.notify_all()
        self._mailbox.wake()

    # On the runner's thread

    def loop(self) -> None:
        """Say that it is ready, then do what is sent until a Shutdown."""
        torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
        with torch.inference_mode():
            self._mailbox.post(
                WorkerReady(available_devices(), torch.__version__, torch.get_num_threads())
            )
            while (order := self._next_order()) is not None:
                self._do(order)

    def handle(self, command: StartRun | ContinueRun | ReleaseRun | DropPool) -> None:
        """Do one command in the caller's thread, to its end."""
        order = Order(command)
        with self._change:
            self._orders.append(order)
        self._do(order)

    def _next_order(self) -> Order | None:
        with self._change:
            self._change.wait_for(lambda: self._orders or self._closing)
            return self._orders[0] if self._orders else None

    def _do(self, order: Order) -> None:
        """Do an order, which stays in the queue until then so that it can be cancelled."""
        command, run_id = order.command, order.run_id or 0
        try:
            match command:
                case StartRun():
                    self._start(run_id, command.config, order)
                case ContinueRun():
                    self._continue(command, order)
                case ReleaseRun():
                    if self._kept is not None and self._kept[0] == run_id:
                        self._drop_kept()
                case DropPool():
                    self._drop_pool(order)
        except Cancelled:
            self._post(RunFinished(run_id, EndReason.CANCELLED, False), order)
        except BaseException as error:  # noqa: BLE001 - it ends the run, never the thread
            self._drop_if_broken()
            self._post(describe(run_id, error, order.while_doing), order)
        finally:
            with self._change:
                self._orders.remove(order)

    def _start(self, run_id: int, config: RunConfig, order: Order) -> None:
        check = _raiser(order.cancel)
        check()
        self._check_memory(config)
        # First, while nothing is dropped yet: it may be refused.
        tokenizer = tokenizer_for(config.tokenizer, config.tokenizer_path)
        if not self._stays(config):
            self._drop_kept()
        begin, held = perf_counter_ns(), self._slot.holds(config)
        news = LoadNews(run_id, check, lambda event: self._post(event, order))
        model = self._slot.get(config, news)
        elapsed_ns = perf_counter_ns() - begin
        self._post(ModelLoaded(run_id, model.weight_bytes, elapsed_ns, news.warnings), order)
        if not held:
            self._probe.loaded(config)
        self._post(self._probe.before(run_id, config, model, check), order)
        store = self._shared.store_for(config, device_named(config.device))
        if store is not None:
            self._post(PoolKept(store.nbytes), order)
        generation = Generation(config, model, tokenizer, store=store)
        if self._kept is None:
            self._kept = run_id, generation
        self._drive(run_id, generation, order)
        self._post(self._probe.after(run_id, config, model, self._give_way(order)), order)

    def _continue(self, command: ContinueRun, order: Order) -> None:
        if order.cancel.is_set():
            raise Cancelled
        if self._kept is None or self._kept[0] != command.run_id:
            raise InputError("This run's cache is no longer kept: start the run again.")
        generation = self._kept[1]
        generation.extend(command.max_new_tokens, command.text_ids)
        self._drive(command.run_id, generation, order)

    def _drive(self, run_id: int, generation: Generation, order: Order) -> None:
        self._post(RunStarted(run_id), order)
        steps = generation.run(order.cancel)
        while generation.reason is None:
            order.while_doing = f"at step {generation.num_steps}"
            self._await_credit(run_id, generation.num_steps, order.cancel)
            item = next(steps, None)
            if item is not None:
                self._post(StepFinished(run_id, *item), order)
        self._drop_if_broken()
        kept = self._kept == (run_id, generation)
        self._post(RunFinished(run_id, generation.reason, kept), order)

    def _await_credit(self, run_id: int, computed: int, cancel: threading.Event) -> None:
        def may_go_on() -> bool:
            steps = self._credit.get(run_id, 0)
            return steps is None or computed < steps or cancel.is_set()

        with self._change:
            self._change.wait_for(may_go_on)

    def _check_memory(self, config: RunConfig) -> None:
        """Refuse before anything is dropped, counting what the start would drop as free."""
        cost, free = config.cost, device_free_bytes(device_named(config.device), self._free_bytes)
        if self._slot.holds(config):
            cost = replace(cost, weights=0)
        else:
            free += self._slot.weight_bytes
        if config.shares_pool:
            free += self._shared.num_bytes  # it is used again, or another takes its place
        kept = None if self._stays(config) else self._kept
        if kept is not None and not kept[1].config.shares_pool:
            free += kept[1].bytes_reserved
        cost.check(free)

    def _stays(self, config: RunConfig) -> bool:
        """Whether the kept run outlives a start: a run without a cache leaves one that has one."""
        if self._kept is None or config.layout.keeps_entries:
            return False
        return self._slot.holds(config) and self._kept[1].config.layout.keeps_entries

    def _drop_kept(self) -> None:
        """End the kept run: what it held is given back at once."""
        if self._kept is not None:
            self._kept[1].release()
            self._kept = None

    def _drop_pool(self, order: Order) -> None:
        """Give the shared pool back, and the kept run that lives in it."""
        if self._kept is not None and self._kept[1].config.shares_pool:
            self._drop_kept()
        self._post(PoolKept(0, self._shared.drop()), order)

    def _drop_if_broken(self) -> None:
        """Let go of a kept run that was cancelled or raised in mid-step."""
        if self._kept is not None and not self._kept[1].can_continue:
            self._kept = None

    def _give_way(self, order: Order) -> Callable[[], None]:
        """Return a check that raises Cancelled as soon as anything else is asked for."""

        def check() -> None:
            if order.cancel.is_set() or self._closing or len(self._orders) > 1:
                raise Cancelled

        return check

    def _post(self, event: Event | None, order: Order) -> None:
        if event is not None:
            self._mailbox.post(event, give_up=order.cancel)


def _raiser(cancel: threading.Event) -> Callable[[], None]:
    def check() -> None:
        if cancel.is_set():
            raise Cancelled

    return check
