"""Numbers as people type them: `131072`, `131,072`, `1.3e5`, and `128 KiB` where bytes are asked for. No Qt."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

LONGEST = 60  # characters of a typed answer

_TYPED = re.compile(
    r"(?P<mantissa>[+-]?[\d.,_' ]*\d\.?)"
    r"(?:[eE](?P<exponent>[+-]?\d{1,3})(?!\w)|\s*[x×*·]\s*10\s*(?:\^|\*\*)\s*(?P<power>[+-]?\d{1,3}))?"
    r"\s*(?P<unit>.*)"
)
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?P<mark>[,_' ])\d{3}(?:(?P=mark)\d{3})*(?:\.\d+)?")
_COMMA = re.compile(r"[+-]?\d+,\d+")  # 1,5: how half of the world writes 1.5
_PER = re.compile(r"\s*/\s*|\s+(?:per|a)\s+")


def _bytes() -> dict[str, float]:
    sizes = dict.fromkeys(("B", "b", "byte", "bytes", "Byte", "Bytes"), 1.0)
    for power, big in enumerate("KMGTP", start=1):
        small = big.lower()
        # Not `Gb`, `Mb`: those are bits to whoever writes them with care.
        sizes |= dict.fromkeys((f"{big}B", f"{small}B", f"{small}b"), 1000.0**power)
        sizes |= dict.fromkeys((f"{big}iB", f"{small}iB", f"{small}ib", f"{big}IB"), 1024.0**power)
    return sizes


_FAMILIES: tuple[Mapping[str, float], ...] = (
    _bytes(),
    dict.fromkeys(("s", "sec", "second", "seconds"), 1.0)
    | {"ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0},
    {"x": 1.0, "×": 1.0, "times": 1.0},
)


def parse_number(typed: str, unit: str) -> float | None:
    """Return what was typed as a number of `unit`.

    Without a unit it is taken to be in `unit`; units of bytes and of time are converted. None for what is not a
    number, or has a unit that does not fit.
    """
    text = " ".join(typed.replace("−", "-").split())
    match = _TYPED.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return None
    mantissa = _mantissa(match["mantissa"].strip())
    factor = _factor(match["unit"], " ".join(unit.split()))
    if mantissa is None or factor is None:
        return None
    exponent = int(match["exponent"] or match["power"] or 0)
    value = float(f"{mantissa}e{exponent}") * factor
    return value if math.isfinite(value) else None


def written(value: float) -> str:
    """Return a number as one reads it best: whole with its thousands apart, else to four digits."""
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-3:
        return f"{value:.4g}"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def _mantissa(text: str) -> str | None:
    if _PLAIN.fullmatch(text):
        return text
    if _GROUPED.fullmatch(text):
        return re.sub(r"[,_' ]", "", text)
    return text.replace(",", ".") if _COMMA.fullmatch(text) else None


def _factor(typed: str, asked: str) -> float | None:
    """Return what one typed unit is in units asked for; what follows a `/` may be left out, but not differ."""
    if not typed:
        return 1.0
    head, *tail = _PER.split(typed, maxsplit=1)
    asked_head, *asked_tail = _PER.split(asked, maxsplit=1)
    if tail and not (asked_tail and _same(tail[0], asked_tail[0])):
        return None
    for family in _FAMILIES:
        if asked_head in family:
            return family[head] / family[asked_head] if head in family else None
    return 1.0 if _same(head, asked_head) else None


def _same(one: str, other: str) -> bool:
    """Whether two units are one but for case and for the s of the plural."""
    one, other = one.casefold(), other.casefold()
    return one == other or (len(one) > 2 and f"{one}s" == other) or (len(other) > 2 and f"{other}s" == one)
