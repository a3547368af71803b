"""Two runs of one workload side by side: what differs, in a table, and which mechanism made the difference.

The sentence is derived, not written: from the settings that differ, the counters that show the mechanism at work,
and the measures that moved with them. Where it cannot be derived, it says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from ladder_engine.config import EngineConfig
from ladder_engine.lab.measures import MEASURES, Measure, Reading, number
from ladder_engine.lab.mechanisms import BY_FIELD, NOT_A_MECHANISM, Mechanism
from ladder_engine.tracing.state import RunState

EXACT_MATTERS, CLOCK_MATTERS = (
    0.03,
    0.15,
)  # relative changes below these are not worth a word; a clock is noisy


@dataclass(frozen=True)
class Side:
    """One of the two: the variant's name, its settings, and the state at its end (or as far as both are)."""

    name: str
    config: EngineConfig
    state: RunState


@dataclass(frozen=True)
class Difference:
    """One row of the table."""

    measure: Measure
    left: float | None
    right: float | None

    @property
    def change(self) -> float | None:
        """The right as a share of the left; None where there is nothing to divide."""
        return None if self.right is None or not self.left else self.right / self.left

    @property
    def matters(self) -> bool:
        """Whether the two differ by more than a clock's noise."""
        if self.left == self.right or self.left is None or self.right is None:
            return self.left != self.right
        least = EXACT_MATTERS if self.measure.exact else CLOCK_MATTERS
        return abs(self.right - self.left) > least * max(abs(self.left), abs(self.right))

    @property
    def gain(self) -> bool | None:
        """Whether the right is better, None where it is neither."""
        if not self.matters or self.measure.better is None or self.left is None or self.right is None:
            return None
        return (self.right < self.left) == (self.measure.better == "less")

    @property
    def change_words(self) -> str:
        """ "same", "× 0.42", or the difference where the left is nothing."""
        if self.left == self.right:
            return "same"
        if self.change is not None:
            return f"× {self.change:.2f}"
        return "" if self.left is None or self.right is None else f"+{number(self.right)}"

    @property
    def cells(self) -> tuple[str, str]:
        """Both values, without their unit."""
        left, right = ("–" if value is None else number(value) for value in (self.left, self.right))
        return left, right

    @property
    def words(self) -> str:
        """One clause of a sentence."""
        (left, right), measure = self.cells, self.measure
        unit = "" if measure.unit in (*measure.label.split(), "times") else f" {measure.unit}"
        return f"{measure.label} went from {left} to {right}{unit}"


def differences(left: Side, right: Side, of: str = "") -> list[Difference]:
    """Every measure of both runs, in the table's order; only of the requests called `of`, if it is given."""
    readings = Reading(left.state, of), Reading(right.state, of)
    rows = [
        Difference(measure, *(measure.of(reading) for reading in readings)) for measure in MEASURES.values()
    ]
    return [row for row in rows if row.left is not None or row.right is not None]


def changed_fields(left: EngineConfig, right: EngineConfig) -> list[str]:
    """The settings that differ. The number of blocks is none of them where the pool only was cut in other pieces."""
    same_room = left.num_blocks * left.block_size == right.num_blocks * right.block_size
    return [
        field
        for field in msgspec.structs.asdict(left)
        if getattr(left, field) != getattr(right, field)
        and field not in NOT_A_MECHANISM
        and not (field == "num_blocks" and same_room)
    ]


def explain(left: Side, right: Side) -> str:
    """One sentence: which mechanism made the difference, as far as settings and counters can tell."""
    fields = changed_fields(left.config, right.config)
    if not fields:
        return (
            "Both have the same settings, so what they count is the same, and their times differ by chance."
        )
    nouns = list(dict.fromkeys(_noun(field) for field in fields))
    if len(nouns) > 1:
        return (
            f"{' and '.join([', '.join(nouns[:-1]), nouns[-1]])} differ, so no single mechanism can be named; "
            "change one at a time."
        )
    rows = {row.measure.name: row for row in differences(left, right)}
    mechanism = BY_FIELD.get(fields[0])
    if mechanism is not None and mechanism.is_about_order:
        return _order(mechanism.noun, left, right)
    if mechanism is None:
        return _sentence(fields[0], [row for row in rows.values() if row.matters][:2])
    return _verdict(mechanism, rows)


def _noun(field: str) -> str:
    return BY_FIELD[field].noun if field in BY_FIELD else field


def _verdict(mechanism: Mechanism, rows: dict[str, Difference]) -> str:
    causes = [rows[name] for name in mechanism.causes if name in rows]
    acted = [row for row in causes if row.left != row.right]
    if causes and not acted:
        row = causes[0]
        return (
            f"{mechanism.noun} made no difference here: {row.measure.label} "
            f"stayed at {row.measure.words(row.left)}."
        )
    effects = [rows[name] for name in mechanism.effects if name in rows]
    moved = [row for row in effects if row.matters]
    exact = [row for row in moved if row.measure.exact] or moved
    said = acted[:1] + exact[:1]
    way = next((row.gain for row in (*exact[:1], *acted[:1]) if row.gain is not None), None)
    against = [row for row in moved if row not in said and way is not None and row.gain is (not way)]
    return _sentence(mechanism.noun, said, against)


def _order(noun: str, left: Side, right: Side) -> str:
    """Who came sooner and who came later, where nothing but the order changed."""
    moved: list[tuple[float, str]] = []
    for group in _groups(left.state):
        row = next(row for row in differences(left, right, group) if row.measure.name == "ttft_steps_p50")
        if row.matters and row.left and row.right:
            words = f"{group}: {row.measure.label}, went from {row.cells[0]} to {row.cells[1]}"
            moved.append((row.right / row.left, words))
    if not moved:
        return f"{noun} differs, and nobody's first token came much sooner or later."
    moved.sort()
    text = f"{noun} made the difference: {moved[0][1]}"
    return text + (f"; the price is paid by {moved[-1][1]}." if moved[-1][0] > 1 and moved[0][0] < 1 else ".")


def _groups(state: RunState) -> list[str]:
    """The names of the requests, copies of one under one name."""
    return list(dict.fromkeys(re.sub(r" \d+$", "", seq.name) for seq in state.sequences.values()))


def _sentence(noun: str, said: list[Difference], against: list[Difference] | None = None) -> str:
    if not said:
        return f"{noun} differs, and nothing that is measured changed with it."
    text = f"{noun} made the difference: {' and '.join(row.words for row in said)}"
    if against:
        text += f"; {'in return' if against[0].gain else 'the price is that'} {against[0].words}"
    return text + "."
