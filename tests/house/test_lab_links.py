"""The lab and the lessons lead to each other: every link names what there is, and a ticket's link is answered."""

from __future__ import annotations

from functools import cache

from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Pack
from ladder_engine.lab.scenario import bundled_scenarios

SCENARIOS = {scenario.id: scenario for scenario in bundled_scenarios()}


@cache
def pack() -> Pack:
    return load_pack(bundled_pack())


def test_every_lab_link_names_a_bundled_scenario() -> None:
    linked = {
        one.id: one.lab
        for study in pack().studies
        for one in (*study.cards, *study.tickets)
        if one.lab is not None
    }
    assert linked
    assert {name: lab for name, lab in linked.items() if lab not in SCENARIOS} == {}


def test_every_ticket_that_a_scenario_shows_leads_to_it_and_the_other_way_round() -> None:
    from_tickets = {
        (ticket.id, ticket.lab) for study in pack().studies for ticket in study.tickets if ticket.lab
    }
    from_scenarios = {(ticket, scenario.id) for scenario in SCENARIOS.values() for ticket in scenario.tickets}
    assert from_scenarios == from_tickets


def test_every_scenario_that_is_explained_leads_to_a_section_that_there_is() -> None:
    places = {f"study:{study.id}/gist/{section.id}" for study in pack().studies for section in study.sections}
    cards = {f"card:{card.id}" for study in pack().studies for card in study.cards}
    explained = {
        scenario.id: scenario.explained_by for scenario in SCENARIOS.values() if scenario.explained_by
    }
    assert len(explained) >= 16
    assert {name: target for name, target in explained.items() if target not in places | cards} == {}
