"""What there is to say of one block: who owns it, where it stands, what it keeps, since when. No Qt."""

from __future__ import annotations

from ladder_engine.tracing.state import FREE, RunState, SequenceState


def block_words(state: RunState, block_id: int) -> str:
    """Say who owns a block, where it stands in the owner's block_table, and how full it is; or why it is kept."""
    owner = state.block_owner[block_id]
    rest = _age(state, block_id) + _hash(state, block_id)
    if owner == FREE and block_id in state.cached:
        maker = state.sequences[state.cached[block_id].seq_id].name
        return f"Block {block_id}: cached, nobody owns it; it keeps KV of {maker} for whoever has the same prefix{rest}"
    if owner == FREE:
        freed = dict(state.steps[-1].freed) if state.steps else {}
        giver = state.sequences.get(freed.get(block_id, FREE))
        return f"Block {block_id}: free" + (f", given up by {giver.name} in this step" if giver else rest)
    if block_id in state.shared:
        places = [state.sequences[seq_id].block_table.index(block_id) for seq_id in state.shared[block_id]]
        where = (
            f"block_table[{places[0]}] of each" if len(set(places)) == 1 else f"block_table{places} of them"
        )
        return f"Block {block_id}: shared, ref_count {len(places)}: {owner_names(state, block_id)}; {where}{rest}"
    sequence = state.sequences[owner]
    position = sequence.block_table.index(block_id)
    size = state.config.block_size if state.config else 0
    return (
        f"Block {block_id}: {sequence.name}, block_table[{position}] of {len(sequence.block_table)}, "
        f"{sequence.tokens_in_block(position, size)} of {size} tokens{rest}"
    )


def owner_names(state: RunState, block_id: int) -> str:
    """Name the owners of a block, the oldest first: "ada, ben and cleo"; "cached" or "free" if it has none."""
    names = [state.sequences[seq_id].name for seq_id in state.owners(block_id)]
    if not names:
        return "cached" if block_id in state.cached else "free"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def holder(state: RunState, block_id: int) -> tuple[SequenceState, int] | None:
    """Whose tokens stand in a block, and as which block of theirs: its owner's, or those of who left it in the cache."""
    kept, owner = state.cached.get(block_id), state.block_owner[block_id]
    if owner != FREE:
        sequence = state.sequences[owner]
        return sequence, sequence.block_table.index(block_id)
    return (state.sequences[kept.seq_id], kept.position) if kept else None


def block_text(state: RunState, block_id: int) -> str:
    """The text of the tokens whose KV stands in a block; "" where there is none, or the trace does not tell."""
    held = holder(state, block_id)
    if held is None or state.config is None:
        return ""
    sequence, position = held
    first = position * state.config.block_size
    full = block_id in state.cached
    count = state.config.block_size if full else sequence.tokens_in_block(position, state.config.block_size)
    return "".join(sequence.token_texts(first, first + count))


def visible(text: str) -> str:
    """A text in one line, with its spaces and line ends to be seen."""
    return text.replace(" ", "·").replace("\n", "⏎").replace("\t", "→")


def hash_chain(state: RunState, block_id: int) -> list[str]:
    """The names of a cached block and of those that its hash covers, from the first of the prefix on."""
    known = {kept.name: kept for kept in state.cached.values()}
    kept = state.cached.get(block_id)
    chain: list[str] = []
    while kept is not None and kept.name:
        chain.append(kept.name)
        if kept.parent and kept.parent not in known:
            chain.append(kept.parent)
        kept = known.get(kept.parent)
    return chain[::-1]


def _age(state: RunState, block_id: int) -> str:
    since = state.since[block_id] if state.since else 0
    steps = (state.steps[-1].number if state.steps else 0) - since
    return f", for {steps} step{'s' * (steps != 1)}" if since and steps > 0 else ""


def _hash(state: RunState, block_id: int) -> str:
    chain = hash_chain(state, block_id)
    if not chain:
        return ""
    before = f" upon {' ← '.join(reversed(chain[:-1][-3:]))}{' ← …' * (len(chain) > 4)}" if chain[1:] else ""
    return f"; hash {chain[-1]}{before}"
