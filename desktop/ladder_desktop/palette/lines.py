"""What the palette offers for a text, in order. No Qt: actions come as lines already.

Every word of the text must be found in a line: best as the beginning of one of its words, then anywhere in it, then as
letters in their order (`exp` and `xprt` both find Export). A text that begins with `>` asks for actions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ladder_desktop.search import Hit

HITS = 20


@dataclass(frozen=True)
class Line:
    """One thing to choose. `choice` is an action id or a target; `why_not` says why it cannot be chosen now."""

    kind: str
    title: str
    choice: str
    detail: str = ""
    keys: str = ""
    why_not: str = ""

    @property
    def is_action(self) -> bool:
        """Whether it does something, rather than lead somewhere."""
        return self.kind == "action"


def offered(
    text: str,
    own: Sequence[Line],
    recent: Sequence[Line],
    find: Callable[[str, int], Iterable[Hit]],
) -> list[Line]:
    """Return the lines for what was typed: without a text the recent ones first, otherwise those that fit best.

    `own` are the pages and actions. What can be used comes before what cannot; hits of the search come last.
    """
    only_actions = text.startswith(">")
    words = text.lstrip(">").casefold().split()
    if only_actions:
        own, recent = [line for line in own if line.is_action], []
    if not words:
        known = {line.choice for line in recent}
        return [*recent, *(line for line in own if line.choice not in known)]
    ranked = [(bool(line.why_not), -score, line) for line in own if (score := _score(words, line)) > 0]
    fitting = [line for _, _, line in sorted(ranked, key=lambda one: one[:2])]
    hits = [] if only_actions else [line_of(hit) for hit in find(text, HITS)]
    return [*fitting, *hits]


def line_of(hit: Hit) -> Line:
    """Return a hit as a line: where it is, and the words around what was found."""
    return Line(hit.kind, hit.title, hit.target, f"{hit.where}: {hit.excerpt}" if hit.excerpt else hit.where)


def remembered(line: Line, recent: Sequence[str], most: int) -> list[str]:
    """Return the recent choices with this line as the newest; see `recalled`."""
    return [_packed(line), *(one for one in recent if recalled(one).choice != line.choice)][:most]


def recalled(stored: str) -> Line:
    """Return a recent choice as a line."""
    choice, _, rest = stored.partition("\t")
    title, _, detail = rest.partition("\t")
    return Line("recent", title or choice, choice, detail)


def _packed(line: Line) -> str:
    where = line.detail.partition(": ")[0] if line.kind != "page" else ""
    return "\t".join((line.choice, line.title, where))


def _score(words: Sequence[str], line: Line) -> float:
    """Return how well the words fit; 0 if one of them is not there."""
    title = line.title.casefold()
    total = 0.0
    for word in words:
        one = _fit(word, title) or 0.5 * _fit(word, line.choice.casefold())
        if one == 0:
            return 0
        total += one
    return total / len(words) - len(title) / 1000


def _fit(word: str, title: str) -> float:
    if any(part.startswith(word) for part in title.split()):
        return 4 if title.startswith(word) else 3
    if word in title:
        return 2
    letters = iter(title)
    return 1 if len(word) > 2 and all(letter in letters for letter in word) else 0
