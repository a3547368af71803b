"""The shapes of study material: what a pack is made of.

Every struct is immutable and refuses unknown fields, so that a typing mistake in a pack is a fault and not a
silently ignored line. Ids never change once published: a person's progress hangs on them.

A pack is a folder (or a zip of one):

    pack.yaml                     Pack: id, title, version, language, licence, the order of its studies
    facts.yaml                    a list of Fact
    studies/<folder>/
        study.yaml                Study: id, title, number, summary, references
        gist.md                   sections, each under a heading `## Title {#section-id}`
        maps.yaml                 a list of Map
        cards.yaml                a list of Card
        tickets.yaml              a list of Ticket
        snippets.yaml             a list of Snippet; the only file that may be absent

Text fields hold Markdown. A figure in a text carries the id of its fact in square brackets: `295 FLOP/B [F1.09]`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

CardKind = Literal["qa", "numeric", "cloze", "lever"]
MapKind = Literal["architecture", "flow"]
StepName = Literal["shape", "bound", "lever", "study"]
STEP_NAMES: tuple[StepName, ...] = ("shape", "bound", "lever", "study")


Scalar: TypeAlias = bool | int | float | str


def near(value: float, expected: float, tolerance: float) -> bool:
    """Tell whether a number is within a relative tolerance of the expected one; rounding is always forgiven."""
    try:
        return abs(value - expected) <= max(tolerance, 1e-12) * abs(expected)
    except OverflowError:  # a whole number beyond every float
        return False


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The base of everything a pack holds."""


class Fact(Record, frozen=True):
    """One sourced statement. `formula` is given where the figure was derived and not read.

    `formula` is a Python expression of numbers, `min` and `max` that gives `value` in `unit`, within one percent.
    It is evaluated by tests only, never by the product.
    """

    id: str
    statement: str
    source: str
    as_of: str
    formula: str | None = None
    value: float | None = None
    unit: str | None = None


class Reference(Record, frozen=True):
    """Where to go deeper, and why it is worth the time."""

    id: str
    title: str
    url: str
    reason: str


class Section(Record, frozen=True):
    """One part of the Gist. `body` is Markdown without its heading."""

    id: str
    title: str
    body: str


class Option(Record, frozen=True):
    """One choice of a card or of a ticket's step. `why` says why it is right, or why it tempts and fails."""

    text: str
    why: str
    correct: bool = False


class Expected(Record, frozen=True):
    """The result of a numeric card, in `unit`. `tolerance` is relative: 0.02 accepts two percent either way."""

    value: float
    unit: str
    tolerance: float

    def accepts(self, value: float) -> bool:
        """Tell whether a result, in the same unit, is close enough."""
        return near(value, self.value, self.tolerance)


class Card(Record, frozen=True):
    """A question an interviewer asks, an answer that can be spoken, and the points it is graded against.

    What the fields hold, by kind:

    - `qa`: a question and the answer to speak.
    - `numeric`: the result is `expected`, and `answer` is the worked solution.
    - `cloze`: `question` holds the parts to recall as `{{hidden text}}`, one or more; `answer` explains.
    - `lever`: one of `options` (three to five) is correct, and `answer` is the reasoning.

    `lab` names a scenario of the engine that shows the claim. This room knows no engine: it is a name and no more.
    """

    id: str
    question: str
    answer: str
    key_points: tuple[str, ...]
    follow_up: str
    difficulty: Literal[1, 2, 3]
    tags: tuple[str, ...]
    facts: tuple[str, ...] = ()
    kind: CardKind = "qa"
    expected: Expected | None = None
    options: tuple[Option, ...] = ()
    lab: str | None = None


class Step(Record, frozen=True):
    """One of the four steps of a diagnosis. Exactly one option is correct."""

    name: StepName
    prompt: str
    options: tuple[Option, ...]


class Metric(Record, frozen=True):
    """One reading on the ticket's dashboard, as the person on call sees it: `p99 TTFT`, `2.4 s`."""

    name: str
    value: str


class Ticket(Record, frozen=True):
    """A pitfall ticket: a scenario with numbers, answered in four steps, and the evidence that decides.

    `lab` names a scenario of the engine that shows it, as on a card.
    """

    id: str
    title: str
    scenario: str
    metrics: tuple[Metric, ...]
    steps: tuple[Step, Step, Step, Step]
    evidence: str
    tags: tuple[str, ...]
    facts: tuple[str, ...] = ()
    lab: str | None = None


class Node(Record, frozen=True):
    """A box on a map. `mechanism` names its colour in the theme.

    It is placed by lane (row) and order (column). A map gives both to all its nodes, or leaves its places to the
    loader (placing.py): the nodes of a loaded pack always have them.
    """

    id: str
    label: str
    why: str
    lane: int | None = None
    order: int | None = None
    mechanism: str | None = None


class Edge(Record, frozen=True):
    """An arrow on a map, and what passes along it."""

    source: str
    target: str
    label: str
    protocol: str
    direction: str
    effect: str
    consequence: str


class Map(Record, frozen=True):
    """An architecture map, or a flow whose nodes are steps in order."""

    id: str
    title: str
    kind: MapKind
    summary: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


class Vector(Record, frozen=True):
    """A check of a snippet: the value that a call of its functions gives.

    `call` is a Python expression. `tolerance` is relative and holds for numbers, also inside a list; all else has
    to be equal.
    """

    call: str
    expected: Scalar | list[Scalar]
    tolerance: float = 0.0

    def accepts(self, value: object) -> bool:
        """Tell whether a result is the expected one."""
        if isinstance(self.expected, list):
            if not isinstance(value, list | tuple) or len(value) != len(self.expected):
                return False
            return all(map(self._agree, value, self.expected))
        return self._agree(value, self.expected)

    def _agree(self, value: object, expected: Scalar) -> bool:
        if isinstance(expected, bool | str) or isinstance(value, bool):
            return type(value) is type(expected) and value == expected
        return isinstance(value, int | float) and near(value, expected, self.tolerance)


class Snippet(Record, frozen=True):
    """A small program to read, run and change in the sealed interpreter.

    `code` is Python that imports nothing but `math`; what it prints is its lesson. `explanation` is Markdown: what
    it shows, how to read it, and why its rules stand in their order. `vectors` are known to hold: tests run them.
    """

    id: str
    title: str
    explanation: str
    code: str
    vectors: tuple[Vector, ...]


class Study(Record, frozen=True):
    """One study: its Gist, its Maps, its cards, its tickets and its snippets."""

    id: str
    title: str
    number: int
    summary: str
    sections: tuple[Section, ...]
    maps: tuple[Map, ...]
    cards: tuple[Card, ...]
    tickets: tuple[Ticket, ...]
    references: tuple[Reference, ...]
    snippets: tuple[Snippet, ...] = ()


class Pack(Record, frozen=True):
    """A whole pack, checked: every id is unique and every reference resolves."""

    id: str
    title: str
    version: str
    language: str
    licence: str
    studies: tuple[Study, ...]
    facts: tuple[Fact, ...]

    def fact(self, fact_id: str) -> Fact:
        """Return the fact with this id; KeyError if the pack has none."""
        for fact in self.facts:
            if fact.id == fact_id:
                return fact
        raise KeyError(fact_id)
