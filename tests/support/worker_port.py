"""A worker that notes what it is asked."""

from kvviz.trace.messages import StartRun


class Port:
    def __init__(self):
        self.sent, self.allowed, self.cancelled = [], [], []

    def send(self, command):
        self.sent.append(command)

    def allow(self, run_id, steps):
        self.allowed.append((run_id, steps))

    def cancel(self, run_id):
        self.cancelled.append(run_id)

    @property
    def started(self):
        return [command.run_id for command in self.sent if isinstance(command, StartRun)]
