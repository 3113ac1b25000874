"""Who follows a load."""


class LoadWatch:
    """Told how far a load has come; this one lets it happen unseen."""

    def progress(self, done: int, total: int) -> None:
        """Take note of bytes done, of ``total``; what it raises ends the load."""

    def warn(self, sentence: str) -> None:
        """Take note of what is odd about the weights."""


UNSEEN = LoadWatch()
