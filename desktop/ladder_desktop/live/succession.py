"""How one live page goes on where another was: another theme or size of text, or a card that was kept, makes pages anew, and
a run lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder_desktop.live.live_run import Watched

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


def watched(page: LivePage) -> Watched:
    """Take off the page all that the next one needs."""
    reader, page.keeping.reader = page.keeping.reader, None
    scenario = page.head.scenario
    return Watched(
        run=page.live,
        comparing=page.comparing,
        selection=page.selection,
        scenarios=page.head.scenarios,
        picked=(scenario.id if scenario else "", page.head.variant),
        said=page.head.said,
        reader=reader,
        touched=page.touching.counts,
        choice=page.choosing.choice,
        guess=page.forecast.guess,
        outcome=page.forecast.outcome,
        sights=page.watch.sights,
        two_sights=page.compare_panels.sights,
    )


def go_on(page: LivePage, kept: Watched) -> None:
    """Bring a page, which was made with the run that was kept, to where the one before it was."""
    for scenario in kept.scenarios[len(page.head.scenarios) :]:
        page.head.add(scenario)
    page.head.choose(kept.picked[0])
    page.head.choose_variant(kept.picked[1])
    page.choosing.choose(kept.choice)
    page.keeping.reader, page.touching.counts, page.forecast.guess = kept.reader, kept.touched, kept.guess
    page.watch.take_over(kept.sights)
    if kept.outcome is not None:
        page.forecast.show(kept.outcome)
    if kept.comparing:
        page.face(comparing=True)
        page.compare_panels.show_comparer(page.comparer)
        page.compare_panels.take_over(kept.two_sights)
    page.transport.refresh()
    page.select(kept.selection)
    page.head.say(*kept.said)
    page.refresh()
