"""Numbers as people read them."""


def bytes_text(num_bytes: int) -> str:
    """Write bytes in the largest binary unit that leaves at least 1: 41.0 KiB, 2 GiB."""
    for exponent, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if num_bytes >= 2**exponent:
            value = f"{num_bytes / 2**exponent:,.1f}"
            return f"{value.removesuffix('.0')} {unit}"
    return f"{num_bytes:,} B"


def ms_text(nanoseconds: float) -> str:
    """Write ns as milliseconds with about three digits: 0.214 ms, 21.4 ms, 2,140 ms."""
    ms = nanoseconds / 1e6
    digits = 3 if ms < 1 else 2 if ms < 10 else 1 if ms < 100 else 0
    return f"{ms:,.{digits}f} ms"


def count_text(count: int, noun: str) -> str:
    """Write a count with its noun: 1 slot, 64 slots."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
