"""How well colours can be told apart, by WCAG 2: text needs 4.5 to 1 against its ground, signs need 3 to 1."""

from __future__ import annotations

from collections.abc import Iterator

from ladder_desktop.theme import Theme

TEXT, SIGN = 4.5, 3.0
GROUNDS = ("window", "surface", "sunken")
ON_GROUNDS = ("text", "muted", "faint", "accent", "good", "warn", "bad")
PAIRS = (
    ("text", "selection"),
    ("muted", "selection"),
    ("accent", "selection"),
    ("accent_text", "accent"),
    ("window", "text"),
)
GROUND_OF_BLOCKS = "kv_free"  # a free block is the ground that the others lie on, with an edge around it


def ratio(one: str, other: str) -> float:
    """Return the contrast of two `#rrggbb` colours, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def faults(theme: Theme) -> Iterator[str]:
    """Yield one phrase for each pair of colours that is too close, such as `faint on window is 3.9, needs 4.5`."""
    pairs = [(text, ground) for text in ON_GROUNDS for ground in GROUNDS]
    for text, ground in (*pairs, *PAIRS):
        yield from _fault(theme, text, ground, TEXT)
    for ground in ("window", "surface"):
        for name in (*theme.mechanism, "accent", "edge"):
            if name != GROUND_OF_BLOCKS:
                yield from _fault(theme, name, ground, SIGN)
    for place, colour in enumerate(theme.owners):
        reached = ratio(colour, theme.palette["surface"])
        if reached < SIGN:
            yield f"owner {place} on surface is {reached:.2f}, needs {SIGN}"


def _fault(theme: Theme, one: str, other: str, needed: float) -> Iterator[str]:
    reached = ratio(theme.hex(one), theme.hex(other))
    if reached < needed:
        yield f"{one} on {other} is {reached:.2f}, needs {needed}"


def _luminance(colour: str) -> float:
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
