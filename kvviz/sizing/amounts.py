"""Sizes as people type them: 80GiB, 3.81 GB, 8.03B parameters."""

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from kvviz.sizing.errors import InputError

UNITS: Mapping[str, int] = MappingProxyType(
    {"": 1, "b": 1}
    | {f"{letter}ib": 2 ** (10 * n) for n, letter in enumerate("kmgtp", 1)}
    | {f"{letter}b": 10 ** (3 * n) for n, letter in enumerate("kmgtp", 1)}
)
THOUSANDS: Mapping[str, int] = MappingProxyType(
    {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}
)
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([a-z]*)")


def parse_bytes(text: str) -> int:
    """Return whole bytes; KiB ... PiB are 2^10 ..., kB ... PB 10^3 ...; InputError otherwise."""
    return _parse(text, UNITS, "a size such as 80GiB, 24 GB or 512MiB")


def parse_count(text: str) -> int:
    """Return a number such as 8.03B or 494M; raise InputError for anything else."""
    return _parse(text, THOUSANDS, "a number such as 8.03B, 494M or 671000000000")


def _parse(text: str, units: Mapping[str, int], expected: str) -> int:
    found = _AMOUNT.fullmatch(text.strip().lower().replace(",", "").replace("_", ""))
    if found is None or found[2] not in units:
        raise InputError(f"{text[:40]!a} is not {expected}.")
    return int(Fraction(found[1]) * units[found[2]])
