"""Numbers as people read them."""

NO_FIGURE = "\N{EN DASH}"  # where there is no number
BYTE_UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))
DECIMAL = {
    "TiB": (10**12, "TB"),
    "GiB": (10**9, "GB"),
    "MiB": (10**6, "MB"),
    "KiB": (10**3, "kB"),
    "B": (1, "B"),
}


def byte_unit(num_bytes: float) -> tuple[int, str]:
    """Return (size, name) of the largest binary unit that leaves at least 1."""
    return next((unit for unit in BYTE_UNITS if num_bytes >= unit[0]), BYTE_UNITS[-1])


def bytes_pair(num_bytes: int) -> tuple[str, str]:
    """Return bytes as (number, unit) in that unit: three figures, single bytes whole."""
    size, name = byte_unit(num_bytes)
    return three_figures(num_bytes, size), name


def bytes_text(num_bytes: int) -> str:
    """Write bytes as people read them: 864 B, 41.0 KiB, 128 KiB, 2.00 GiB."""
    return " ".join(bytes_pair(num_bytes))


def both_units(num_bytes: int) -> tuple[str, str]:
    """Return bytes in binary and in decimal units: 8.00 GiB, 8.59 GB."""
    number, unit = bytes_pair(num_bytes)
    size, decimal = DECIMAL[unit]
    return f"{number} {unit}", f"{three_figures(num_bytes, size)} {decimal}"


def three_figures(number: int, size: int) -> str:
    """Write number / size with three figures, rounded half up; whole where that is 0 or size 1."""
    if size == 1 or not number:
        return f"{number:,}"
    for digits in (2, 1):
        scaled = (2 * number * 10**digits + size) // (2 * size)
        if scaled < 1000:
            whole, rest = divmod(scaled, 10**digits)
            return f"{whole:,}.{rest:0{digits}d}"
    return f"{(2 * number + size) // (2 * size):,}"


def ms_text(nanoseconds: float) -> str:
    """Write ns as milliseconds with about three digits: 0.214 ms, 21.4 ms, 2,140 ms."""
    ms = nanoseconds / 1e6
    digits = 3 if ms < 1 else 2 if ms < 10 else 1 if ms < 100 else 0
    return f"{ms:,.{digits}f} ms"


def count_text(count: int, noun: str) -> str:
    """Write a count with its noun: 1 slot, 64 slots."""
    return f"{count:,} {noun_text(count, noun)}"


def noun_text(count: int, noun: str) -> str:
    """Write the noun alone, as the count has it: slot, slots."""
    return noun if count == 1 else f"{noun}s"
