"""A runner on a thread of the test's, its events, and a gate that holds a model in mid step."""

import threading
from contextlib import contextmanager

from kvviz.engine.load import load_model
from kvviz.engine.mailbox import Mailbox
from kvviz.engine.runner import Runner
from kvviz.trace.messages import (
    Shutdown,
    StepFinished,
)

WAIT_S = 20  # how long a test waits for what must happen; reached only where it fails


class Inbox:
    """A mailbox read by the test, which waits for an event instead of sleeping."""

    def __init__(self, limit=4096):
        self._arrived = threading.Event()
        self.mailbox = Mailbox(lambda _: self._arrived.set(), limit)
        self.events = []

    def take(self):
        self._arrived.clear()
        self.events += self.mailbox.drain()
        return self.events

    def until(self, kind, run_id=None):
        """Wait for an event of a kind (of a run) and return it."""
        while True:
            for event in self.take():
                if isinstance(event, kind) and run_id in (None, getattr(event, "run_id", None)):
                    return event
            assert self._arrived.wait(WAIT_S), f"no {kind} among {self.events}"

    def of(self, run_id):
        return [event for event in self.take() if getattr(event, "run_id", None) == run_id]

    def steps(self, run_id):
        return [
            (event.step, event.arrays)
            for event in self.of(run_id)
            if isinstance(event, StepFinished)
        ]


class Gate:
    """Loads models that wait, at one layer of one forward, until the test opens them."""

    def __init__(self, forward=0, layer=0):
        self.reached, self.open = threading.Event(), threading.Event()
        self.layers_seen = []
        self._forwards = -1
        self._forward, self._layer = forward, layer

    def load(self, spec, dtype, device, watch):
        model = load_model(spec, dtype, device, watch)
        plain = model.forward

        def forward(input_ids, past_kv, watch, *kernel):
            self._forwards += 1
            this = self._forwards

            def gated(layer, *tensors):
                self.layers_seen.append(layer)
                if (this, layer) == (self._forward, self._layer):
                    self.reached.set()
                    assert self.open.wait(WAIT_S)
                watch(layer, *tensors)

            return plain(input_ids, past_kv, gated, *kernel)

        model.forward = forward
        return model


@contextmanager
def running(inbox, **parts):
    """A runner on its thread, shut down and joined at the end."""
    runner = Runner(inbox.mailbox, **parts)
    thread = threading.Thread(target=runner.loop)
    thread.start()
    try:
        yield runner
    finally:
        runner.send(Shutdown())
        inbox.mailbox.close()
        thread.join(WAIT_S)
        assert not thread.is_alive()


def handled(*commands, **parts):
    """A runner that did the commands in this thread, without a limit; and what it posted."""
    inbox = Inbox()
    runner = Runner(inbox.mailbox, **parts)
    for command in commands:
        runner.allow(command.run_id, None)
        runner.handle(command)
    inbox.take()
    return runner, inbox


def kinds(events):
    return [type(event) for event in events]


def raising(error):
    def load(spec, dtype, device, watch):
        raise error

    return load


def failing_at(forward, error):
    """Load models whose n-th forward raises."""

    def load(spec, dtype, device, watch):
        model = load_model(spec, dtype, device, watch)
        plain, calls = model.forward, []

        def forward_once(*args):
            calls.append(None)
            if len(calls) == forward + 1:
                raise error
            return plain(*args)

        model.forward = forward_once
        return model

    return load
