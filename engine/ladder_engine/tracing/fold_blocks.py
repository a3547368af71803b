"""The blocks of a trace: who owns which, who shares, copies, caches and gives up what. Half of fold.py."""

from __future__ import annotations

from msgspec.structs import replace

from ladder_engine.tracing import events as trace
from ladder_engine.tracing.events import RunStarted
from ladder_engine.tracing.state import FREE, Cached, RunState, SequenceState, Status, Step

COUNTERS = ("num_cached_tokens", "num_regained_tokens", "num_recomputed_tokens", "preemptions")
"""What a fork counts anew."""


class TraceError(Exception):
    """The trace contradicts itself; the message is one sentence that names the step."""


class BlockFolder:
    """Applies the events of blocks to a state of its own.

    What comes by the hundred in one step, its works and who said something, is gathered here: `settle` puts it into the
    state.
    """

    def __init__(self, state: RunState) -> None:
        self.state = state
        self._works = {work.seq_id: work for work in state.open_step.work}
        self._said = list(state.open_step.said)
        self._num_tokens = state.open_step.num_tokens

    def settle(self) -> None:
        """Bring the open step up to the last event."""
        self._note(work=tuple(self._works.values()), said=tuple(self._said))

    def _open(self, number: int) -> None:
        """A step begins."""
        self.state.open_step = Step(number=number)
        self._works, self._said, self._num_tokens = {}, [], 0

    def _allocated(self, event: trace.BlocksAllocated) -> None:
        sequence = self._sequence(event.seq_id, "waiting", "preempted", "running")
        for block_id in event.block_ids:
            self._take(sequence, block_id)
        self._put(sequence, block_table=sequence.block_table + event.block_ids)
        pairs = tuple((block_id, event.seq_id) for block_id in event.block_ids)
        self._note(allocated=self.state.open_step.allocated + pairs)

    def _copied(self, event: trace.BlocksCopied) -> None:
        sequence = self._sequence(event.seq_id, "running")
        table = list(sequence.block_table)
        for source, copy in event.pairs:
            owners = self.state.owners(source) if source in table else ()
            self._require(
                len(owners) > 1, f"{sequence.name} copies block {source}, which it shares with nobody"
            )
            self._take(sequence, copy)
            self._own(source, tuple(owner for owner in owners if owner != event.seq_id))
            table[table.index(source)] = copy
        self._put(sequence, block_table=tuple(table))
        self._note(copied=self.state.open_step.copied + event.pairs)

    def _forked(self, event: trace.Forked) -> None:
        state, parent = self.state, self._sequence(event.parent_id, "running")
        work = self._works.get(event.parent_id)
        computed = work.end if work else parent.num_computed_tokens
        held = parent.block_table[: -(-computed // self._config.block_size)]
        self._require(
            event.block_ids == held and event.num_tokens == parent.num_tokens,
            f"{event.name} does not share what {parent.name} has",
        )
        known, root = state.sequences.get(event.seq_id), self._root(event.parent_id)
        if known is None:
            family = [i for i, seq_id in enumerate(state.running) if self._root(seq_id) == root]
            state.running.insert(family[-1] + 1, event.seq_id)
        else:
            beam = self._sequence(event.seq_id, "running")
            self._require(not beam.block_table, f"{beam.name} forks from another while it owns blocks")
        for block_id in held:
            self._own(block_id, (*state.owners(block_id), event.seq_id))
        own = known or replace(parent, parent_id=root, **dict.fromkeys(COUNTERS, 0))
        state.sequences[event.seq_id] = replace(
            own,
            seq_id=event.seq_id,
            name=event.name,
            num_tokens=parent.num_tokens,
            text=parent.text,
            lengths=parent.lengths,
            block_table=held,
            num_computed_tokens=computed,
            peak_computed_tokens=computed,
        )
        pairs = tuple((block_id, event.seq_id) for block_id in held)
        self._note(shared=state.open_step.shared + pairs)

    def _shared(self, event: trace.BlocksShared) -> None:
        state, sequence = self.state, self._sequence(event.seq_id, "running")
        self._require(
            not sequence.block_table, f"{sequence.name} shares a prefix after it has taken other blocks"
        )
        for block_id in event.block_ids:
            self._require(
                block_id in state.cached, f"{sequence.name} shares block {block_id}, which is not cached"
            )
            self._own(block_id, (*state.owners(block_id), event.seq_id))
        found = len(event.block_ids) * self._config.block_size
        self._require(
            found < sequence.num_tokens,
            f"{sequence.name} finds all its tokens cached, and has none to compute",
        )
        again = sequence.preemptions > 0
        self._put(
            sequence,
            block_table=event.block_ids,
            num_computed_tokens=found,
            num_cached_tokens=sequence.num_cached_tokens + (0 if again else found),
            num_regained_tokens=sequence.num_regained_tokens + (found if again else 0),
        )
        pairs = tuple((block_id, event.seq_id) for block_id in event.block_ids)
        self._note(shared=state.open_step.shared + pairs)

    def _cached(self, event: trace.BlocksCached) -> None:
        sequence = self._sequence(event.seq_id, "running")
        untold = ("",) * len(event.block_ids)
        chain = zip(event.block_ids, event.names or untold, event.parents or untold, strict=True)
        for block_id, name, parent in chain:
            self._require(
                block_id in sequence.block_table and block_id not in self.state.cached,
                f"block {block_id} of {sequence.name} cannot be cached",
            )
            position = sequence.block_table.index(block_id)
            self.state.cached[block_id] = Cached(event.seq_id, position, name, parent)

    def _evicted(self, event: trace.BlocksEvicted) -> None:
        for block_id in event.block_ids:
            unowned = block_id in self.state.cached and not self.state.owners(block_id)
            self._require(unowned, f"block {block_id} is evicted, and it is not cached without owner")
            del self.state.cached[block_id]
        self._note(evicted=self.state.open_step.evicted + event.block_ids)

    def _swapped_out(self, event: trace.SwappedOut) -> None:
        sequence, kept = self._sequence(event.seq_id, "running"), self.state.host_owner
        self._require(
            len(event.block_ids) == len(event.host_block_ids)
            and sequence.block_table[: len(event.block_ids)] == event.block_ids,
            f"{sequence.name} is swapped out of blocks that it does not own",
        )
        for host_block in event.host_block_ids:
            self._require(
                0 <= host_block < self._config.engine.num_host_blocks and host_block not in kept,
                f"host block {host_block} is not free",
            )
            kept[host_block] = event.seq_id
        self._note(swapped_out=self.state.open_step.swapped_out + event.block_ids)

    def _swapped_in(self, event: trace.SwappedIn) -> None:
        sequence, kept = self._sequence(event.seq_id, "running"), self.state.host_owner
        mine = sorted(host_block for host_block, owner in kept.items() if owner == event.seq_id)
        self._require(
            sorted(event.host_block_ids) == mine
            and len(mine) == len(event.block_ids)
            and not sequence.block_table,
            f"{sequence.name} is swapped in from host blocks that are not its own",
        )
        for block_id in event.block_ids:
            self._take(sequence, block_id)
        self._drop_host(event.seq_id)
        self._put(sequence, block_table=event.block_ids)
        self._note(swapped_in=self.state.open_step.swapped_in + event.block_ids)

    def _drop_host(self, seq_id: int) -> None:
        for host_block in [block for block, owner in self.state.host_owner.items() if owner == seq_id]:
            del self.state.host_owner[host_block]

    def _freed(self, event: trace.BlocksFreed) -> None:
        sequence = self._sequence(event.seq_id)
        for block_id in event.block_ids:
            owns = 0 <= block_id < len(self.state.block_owner) and event.seq_id in self.state.owners(block_id)
            self._require(owns, f"{sequence.name} frees block {block_id}, which it does not own")
            self._own(block_id, tuple(o for o in self.state.owners(block_id) if o != event.seq_id))
        given_up = set(event.block_ids)
        kept = tuple(block_id for block_id in sequence.block_table if block_id not in given_up)
        self._put(sequence, block_table=kept)
        self._note(
            freed=self.state.open_step.freed + tuple((block_id, event.seq_id) for block_id in event.block_ids)
        )

    def _kv_tokens(self) -> int:
        """Tokens whose KV stands in owned blocks, each once. The owners of a block that is not full have filled it alike."""
        size = self._config.block_size
        running = [self.state.sequences[seq_id] for seq_id in self.state.running]
        ends = [(sequence.block_table, *divmod(sequence.num_computed_tokens, size)) for sequence in running]
        filled = {table[full]: rest for table, full, rest in ends if rest}
        again = sum(
            (len(owners) - 1) * filled.get(block, size) for block, owners in self.state.shared.items()
        )
        return sum(sequence.num_computed_tokens for sequence in running) - again

    @property
    def _config(self) -> RunStarted:
        assert self.state.config is not None  # _check_order lets nothing else come first
        return self.state.config

    def _sequence(self, seq_id: int, *statuses: Status) -> SequenceState:
        """Return the sequence; TraceError if it is unknown or has none of the statuses (any will do when none is given)."""
        sequence = self.state.sequences.get(seq_id)
        if sequence is None:
            raise self._error(f"sequence {seq_id} never arrived")
        if statuses and sequence.status not in statuses:
            raise self._error(f"{sequence.name} is {sequence.status}, but should be {' or '.join(statuses)}")
        return sequence

    def _take(self, sequence: SequenceState, block_id: int) -> None:
        """Give the sequence a block that nobody has."""
        owner, name = self.state.block_owner, sequence.name
        self._require(0 <= block_id < len(owner), f"block {block_id} does not exist")
        if owner[block_id] != FREE:
            raise self._error(f"block {block_id} goes to {name} while {self._name(block_id)} owns it")
        if block_id in self.state.cached:
            raise self._error(f"block {block_id} goes to {name} while it is cached")
        owner[block_id] = sequence.seq_id
        self.state.since[block_id] = self.state.open_step.number

    def _root(self, seq_id: int) -> int:
        """The request's own sequence."""
        parent_id = self.state.sequences[seq_id].parent_id
        return seq_id if parent_id is None else parent_id

    def _own(self, block_id: int, owners: tuple[int, ...]) -> None:
        if not owners or self.state.block_owner[block_id] == FREE:
            self.state.since[block_id] = self.state.open_step.number
        self.state.block_owner[block_id] = owners[0] if owners else FREE
        self.state.shared.pop(block_id, None)
        if len(owners) > 1:
            self.state.shared[block_id] = owners

    def _name(self, block_id: int) -> str:
        owner = self.state.block_owner[block_id]
        return "nobody" if owner == FREE else self.state.sequences[owner].name

    def _put(self, sequence: SequenceState, **changes: object) -> None:
        self.state.sequences[sequence.seq_id] = replace(sequence, **changes)

    def _note(self, **changes: object) -> None:
        self.state.open_step = replace(self.state.open_step, **changes)

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise self._error(otherwise)

    def _error(self, what: str) -> TraceError:
        return TraceError(f"The trace does not add up in step {self.state.open_step.number}: {what}.")
