"""Someone who follows a load and can stop it."""

from kvviz.engine.load_watch import LoadWatch


class Kept(LoadWatch):
    """Keeps what it is told; raises KeyboardInterrupt at the ``stop_after``-th progress."""

    def __init__(self, stop_after=None):
        self.told, self.warnings = [], []
        self._stop_after = stop_after

    def progress(self, done, total):
        self.told.append((done, total))
        if len(self.told) == self._stop_after:
            raise KeyboardInterrupt

    def warn(self, sentence):
        self.warnings.append(sentence)
