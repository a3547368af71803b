"""Targets: the strings that name a place in the window, such as `study:hub/maps/ladder/paging` or `card:hub-bound`.

Pages emit them, the palette and the last place store them, and a second start hands them over. Here they are taken
apart; `Application.go` leads to them. No Qt.

    home  drill  cards  tickets  interview  stats  live  settings     a page
    study:<study>[/<tab>[/<element>]]                                 a lesson; the element may be <map>/<node>
    ticket:<ticket>    card:<card>                                    one ticket, one card
    drill:<query>                                                     cram: study:<id>, tag:<tag> or search:<text>
    live:<scenario>[?compare]                                         the lab with a scenario, or with its variants
    settings:<panel>                                                  one panel of the settings
"""

from __future__ import annotations

import msgspec

_PAGES_OF_KINDS = {"ticket": "tickets", "card": "drill"}


class Place(msgspec.Struct, frozen=True):
    """A target taken apart: the key of the page, and what to show on it.

    `kind` is what stood before the colon; `rest` what stood behind it, without the study of a lesson.
    """

    page: str
    kind: str
    rest: str = ""

    @property
    def arguments(self) -> tuple[str | bool | None, ...]:
        """What the page is told: a lesson its tab and element, the lab its scenario and whether to compare."""
        if self.kind == "study":
            tab, _, element = self.rest.partition("/")
            return tab, element or None
        return (self.rest,)


def parse(target: str) -> Place:
    """Take a target apart. It may name what there is not: whoever shows it says so."""
    kind, _, rest = target.partition(":")
    if kind == "study":
        study, _, place = rest.partition("/")
        return Place(f"study:{study}", kind, place)
    return Place(_PAGES_OF_KINDS.get(kind, kind), kind, rest)
