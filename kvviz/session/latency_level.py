"""The level at which the latency of decode steps stays."""

import numpy as np

from kvviz.session.growing import Numbers

ROW = 5  # decode steps in a row whose median counts: two slow ones among them do not


def decode_level_ns(decode_ns: Numbers) -> int:
    """Return the highest that decode steps stayed at: the largest median of five in a row.

    A chart's range follows it: a single slow step does not move it, and once five steps are known
    it only grows.  0 where there are no steps.
    """
    if len(decode_ns) < ROW:
        return int(np.median(decode_ns)) if len(decode_ns) else 0
    count = len(decode_ns) - ROW + 1
    a, b, c, d, e = (decode_ns[first : first + count] for first in range(ROW))
    # The median of five without a sort: neither the lowest nor the highest of four can be it.
    low = np.maximum(np.minimum(a, b), np.minimum(c, d))
    high = np.minimum(np.maximum(a, b), np.maximum(c, d))
    median = np.maximum(np.minimum(low, high), np.minimum(np.maximum(low, high), e))
    return int(median.max())


class DecodeLevel:
    """``decode_level_ns`` of a column that grows; only what is new is looked at."""

    def __init__(self) -> None:
        self.ns = 0
        self._known = 0

    def follow(self, decode_ns: Numbers) -> None:
        """Take the whole column, which begins as it did the last time."""
        if len(decode_ns) == self._known:
            return
        newest = decode_level_ns(decode_ns[max(0, self._known - ROW + 1) :])
        self.ns = newest if self._known < ROW else max(self.ns, newest)
        self._known = len(decode_ns)
