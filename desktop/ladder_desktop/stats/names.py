"""What the packs call the ids that statistics speak of. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from ladder_content.model import Pack

from ladder_desktop.exporting.card_text import question


@dataclass(frozen=True, slots=True)
class Names:
    """Titles of studies by id, and for each item its text, its tags and the target that shows it."""

    studies: dict[str, str]
    texts: dict[str, str]
    tags: dict[str, tuple[str, ...]]
    targets: dict[str, str]

    def study(self, study_id: str) -> str:
        """Return a study's title, or its id once its pack is gone."""
        return self.studies.get(study_id, study_id)

    def text(self, item_id: str) -> str:
        """Return what an item asks, in one line, or its id once its pack is gone."""
        return self.texts.get(item_id, item_id)


def names_of(pack: Pack) -> Names:
    """Read the names of a pack."""
    names = Names({}, {}, {}, {})
    for study in pack.studies:
        names.studies[study.id] = study.title
        for card in study.cards:
            item_id = f"{pack.id}/{card.id}"
            names.texts[item_id] = _line(question(card, "…"))
            names.tags[item_id] = card.tags
            names.targets[item_id] = f"card:{card.id}"
        for ticket in study.tickets:
            item_id = f"{pack.id}/{ticket.id}"
            names.texts[item_id] = _line(ticket.title)
            names.tags[item_id] = ticket.tags
            names.targets[item_id] = f"ticket:{ticket.id}"
    return names


def _line(markdown: str) -> str:
    return " ".join(markdown.replace("**", "").replace("`", "").split())
