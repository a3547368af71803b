"""A card or ticket that says `Watch it run` leads to a scenario that there is."""

from __future__ import annotations

from ladder_content.loader import bundled_pack, load_pack
from ladder_engine.scenario import bundled_scenarios


def test_every_lab_link_names_a_bundled_scenario() -> None:
    known = {scenario.id for scenario in bundled_scenarios()}
    linked = {
        one.id: one.lab
        for study in load_pack(bundled_pack()).studies
        for one in (*study.cards, *study.tickets)
        if one.lab is not None
    }
    assert linked
    assert {name: lab for name, lab in linked.items() if lab not in known} == {}
