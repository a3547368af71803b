"""Puts the measured shape of a run to the hub study's bottleneck classifier, and reads what it says. No Qt.

The program is the pack's own: its rules, their order and their arithmetic stand there and nowhere else. Behind it come the
constants of this machine and a few lines that print what it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ladder_engine.lab.shape import Figure
from ladder_engine.tracing.events import RunStarted

MARK = "--- measured here ---"
TARGETS = {"ttft_target_ms": "TTFT", "tpot_target_ms": "TPOT", "itl_target_ms": "ITL p99"}
NO_MACHINE = (
    "This recording does not say how many bytes a step reads, nor how fast its machine moved them; run the scenario again "
    "to classify it."
)
NOBODY = "Nobody has been answered yet, so there is no shape to classify; let the run go on."
_ASK = f"""

WEIGHTS, KV_PER_TOKEN, BANDWIDTH = {{weights}}, {{kv_per_token}}, {{bandwidth}}
measured = reading(**{{reading}})
print({MARK!r})
for name in HEALTHY:
    print("healthy", HEALTHY[name], name)
for target, gap in gaps(measured).items():
    print("gap", gap, target)
found = scores(measured)
for bound in RULES:
    print("rule", found[bound], bound)
    for target, ms in explained(measured)[bound].items():
        print("part", ms, target)
print("enough", ENOUGH, "")
print("floor", floor_ms(measured), "")
print("verdict", 0, first_match(measured, RULES))
print("runner", 0, runner_up(**{{reading}}))
"""


@dataclass(frozen=True)
class Rule:
    """A rule of the classifier: the share of a gap that it explains, and the milliseconds it counts by target."""

    bound: str
    share: float
    parts: Mapping[str, float]


@dataclass(frozen=True)
class Verdict:
    """What the program said. `unmeasured` names the readings that stayed as the program has them."""

    bound: str
    runner_up: str
    gaps: Mapping[str, float]
    rules: tuple[Rule, ...]
    enough: float
    floor_ms: float
    healthy: Mapping[str, float]

    @property
    def fires(self) -> Rule | None:
        """The rule that fires, None where the targets are met or no rule explains enough."""
        return next((rule for rule in self.rules if rule.bound == self.bound), None)


def why_not(config: RunStarted | None, figures: list[Figure]) -> str:
    """Why a run cannot be classified; "" if it can."""
    if config is not None and not (config.weight_bytes and config.bytes_per_second):
        return NO_MACHINE
    measured = {figure.name: figure.value for figure in figures}
    return NOBODY if config is None or measured.get("prefill_ms") is None else ""


def program(code: str, config: RunStarted, figures: list[Figure], targets: Mapping[str, float]) -> str:
    """The pack's program, with this run's readings put to it."""
    known = {figure.name: figure.value for figure in figures if figure.value is not None}
    return code + _ASK.format(
        weights=config.weight_bytes,
        kv_per_token=config.kv_bytes_per_token,
        bandwidth=config.bytes_per_second,
        reading=repr({**known, **targets}),
    )


def read_verdict(output: str) -> Verdict | None:
    """What the program printed about the run; None if it did not come so far."""
    _, found, said = output.partition(MARK)
    lines = [line.split(" ", 2) for line in said.strip().splitlines()]
    if not found or [line[0] for line in lines[-2:]] != ["verdict", "runner"]:
        return None
    facts: dict[str, dict[str, float]] = {"healthy": {}, "gap": {}, "enough": {}, "floor": {}}
    rules: list[tuple[str, float, dict[str, float]]] = []
    for kind, value, name in lines[:-2]:
        if kind == "rule":
            rules.append((name, float(value), {}))
        elif kind == "part":
            rules[-1][2][name] = float(value)
        else:
            facts[kind][name] = float(value)
    return Verdict(
        bound=lines[-2][2],
        runner_up=lines[-1][2],
        gaps=facts["gap"],
        rules=tuple(Rule(*rule) for rule in rules),
        enough=facts["enough"][""],
        floor_ms=facts["floor"][""],
        healthy=facts["healthy"],
    )
