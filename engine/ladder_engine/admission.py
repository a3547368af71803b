"""Who of those who wait enters next.

- `fcfs`: first come, first served.
- `priority`: the order of arrival, where each level of priority counts as HEAD_START steps. So a request can be overtaken
  only by those who arrive within HEAD_START steps for each level between them, and nobody starves.
- `fair`: the client that has been served least, by a virtual token counter (Sheng et al., OSDI 2024): a token of a prompt
  counts 1, a token of an answer 2. A client that comes back after a pause starts at the least counter of those who wait,
  so a pause saves nothing up.

Whoever is next waits for room without being overtaken by a smaller one. A sequence that was preempted comes before those
who have not yet run; where there are priorities, these alone decide. When blocks run out the least urgent one that runs
is preempted: by priority, or else who entered last.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable

from ladder_engine.config import EngineConfig
from ladder_engine.sequence import Sequence

HEAD_START = 64
PROMPT_WEIGHT, ANSWER_WEIGHT = 1, 2


class Admission:
    """The policy of `config.admission`, and what the clients have been served."""

    def __init__(self, config: EngineConfig) -> None:
        self.served: defaultdict[str, int] = defaultdict(int)
        self._last = ""  # the client whose request entered last
        self.configure(config)

    def configure(self, config: EngineConfig) -> None:
        """Follow another policy from here on."""
        self._by_priority = config.admission == "priority"
        ranks: dict[str, Callable[[Sequence], tuple[int, int]]] = {
            "fcfs": lambda seq: (0, seq.seq_id),
            "priority": lambda seq: (seq.arrived_step + HEAD_START * seq.priority, seq.seq_id),
            "fair": lambda seq: (self.served[seq.client], seq.seq_id),
        }
        self._rank = ranks[config.admission]

    def arrives(self, seq: Sequence, waiting: deque[Sequence]) -> None:
        """Before `seq` joins those who wait."""
        clients = {other.client for other in waiting} or {self._last}
        if seq.client not in clients:
            least = min(self.served[client] for client in clients)
            self.served[seq.client] = max(self.served[seq.client], least)

    def next(self, waiting: deque[Sequence]) -> Sequence:
        """Who of those who wait, one at least, enters next. The preempted stand at the head of the queue."""
        comes_back = waiting[0].was_admitted and not self._by_priority
        return waiting[0] if comes_back else min(waiting, key=self._rank)

    def least_urgent(self, running: list[Sequence]) -> Sequence:
        """Who of those who run, in the order in which they entered, is preempted first."""
        return max(running, key=self._rank) if self._by_priority else running[-1]

    def enters(self, seq: Sequence) -> None:
        """`seq` is let in; its prompt is charged the first time."""
        self._last = seq.client
        if not seq.was_admitted:
            seq.was_admitted = True
            self.served[seq.client] += PROMPT_WEIGHT * seq.num_prompt_tokens

    def says(self, seq: Sequence) -> None:
        """One more token of an answer is charged."""
        self.served[seq.client] += ANSWER_WEIGHT
