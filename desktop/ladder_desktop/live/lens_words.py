"""What the kernel lens says in words. No Qt."""

from __future__ import annotations

from collections import Counter
from math import prod

from ladder_engine.tracing.kernel_trace import (
    AttentionReads,
    AttentionRow,
    KernelCalls,
    KernelLaunch,
    ProgramReads,
)
from ladder_engine.tracing.state import RunState, Step

RAN = {
    "torch": "These are torch's twins of the kernels. They have no grid of their own: shown is the grid that each Triton "
    "kernel would launch on this device, and the bytes it would move. The times are the twins'.",
    "interpret": "Real launches of the Triton kernels, by Triton's interpreter: program after program on the CPU. Grids and "
    "bytes are those of the launches; the times say how long the interpreter took.",
    "triton": "Real launches of the compiled Triton kernels. Each is waited for while the lens is open, so the times are "
    "their own, and the step takes longer than without the lens.",
}
NO_STEP = "No step has run at the playhead yet."
UNWATCHED = (
    "The launches of this step were not recorded: the lens was closed when it ran. Step on, or run the scenario again "
    "with the lens open."
)


def why_empty(state: RunState) -> str:
    """Why there is nothing to show for the step at the playhead; "" if there is."""
    if not state.steps:
        return NO_STEP
    return "" if state.steps[-1].kernels is not None else UNWATCHED


def head_words(step: Step) -> str:
    """The sum of a step: how many calls, and their share of its time."""
    if step.kernels is None:
        return ""
    calls = sum(one.count for one in step.kernels.calls)
    seconds = sum(one.seconds for one in step.kernels.calls)
    return f"step {step.number}: {calls} calls, {short_time(seconds)} of {short_time(step.execute_s)} that it took to execute"


def launch_words(calls: KernelCalls, launch: KernelLaunch, first: bool) -> str:
    """One launch in a sentence or two."""
    whose = "The draft model: " if calls.role == "draft" else ""
    where = (
        f"grid {grid_words(launch.grid)}, {count_of(prod(launch.grid), 'program')}"
        if launch.grid
        else "its grid is torch's own affair"
    )
    moved = launch.moved_bytes
    if moved is None:
        how = f"at least {size_words(launch.floor_bytes)} must move; what did is not known from outside"
    elif moved == launch.floor_bytes:
        how = f"it moves {size_words(moved)}, no more than must"
    else:
        how = (
            f"its programs load and store {size_words(moved)}, {moved / launch.floor_bytes:.2f} times the floor of "
            f"{size_words(launch.floor_bytes)}"
        )
    took = (
        f"{count_of(calls.count, 'call')} took {short_time(calls.seconds)}"
        if first
        else f"its time is in that of {calls.operation}"
    )
    return f"{whose}{launch.kernel} on {calls.shape} {calls.dtype}: {where}; {how}; {took}"


def program_words(program: ProgramReads, row: AttentionRow, name: str, kv_heads: int, splits: int) -> str:
    """Which program it is, what it holds and what it reads."""
    cut = f", split {program.split} of {splits}," if splits > 1 else ""
    first = row.context_len - row.query_len + program.first
    last = first + program.num_tokens - 1
    tokens = f"token {first}" if first == last else f"tokens {first} to {last}"
    heads = f" for each of {kv_heads} KV heads" if kv_heads > 1 else ""
    reads = (
        f"reads the positions {program.begin} to {program.end - 1}"
        if program.end > program.begin
        else "finds nothing to read"
    )
    return f"program {program.query_program}{cut}{heads} holds {tokens} of {name} and {reads}"


def slots_read(program: ProgramReads, place: int, block_size: int) -> int:
    """How many slots of the block at this place of the block_table a program reads."""
    begin, end = max(program.begin, place * block_size), min(program.end, (place + 1) * block_size)
    return max(0, end - begin)


def reads_words(reads: AttentionReads, row: int, name: str, block_size: int) -> str:
    """What the launch reads for one sequence, altogether: where it reads a block more than once, and why."""
    times = reads_of_blocks(reads, row, block_size)
    programs = sum(1 for program in reads.programs if program.row == row)
    blocks = len(reads.rows[row].block_ids)
    heads = reads.grid[1]
    most = max(times.values(), default=0)
    words = (
        f"{name}: {count_of(programs, 'program')} for each of {heads} KV heads, {count_of(blocks, 'block')}"
        if heads > 1
        else f"{name}: {count_of(programs, 'program')}, {count_of(blocks, 'block')}"
    )
    if most <= 1:
        return f"{words}; K and V of each block are read once"
    return (
        f"{words}; a program holds {count_of(reads.tokens_per_program, 'token')}, so K and V of early blocks are read up to "
        f"{most} times"
    )


def reads_of_blocks(reads: AttentionReads, row: int, block_size: int) -> Counter[int]:
    """How many programs of one KV head read each place of the sequence's block_table."""
    times: Counter[int] = Counter()
    for program in reads.programs:
        if program.row == row and program.end > program.begin:
            times.update(range(program.begin // block_size, (program.end - 1) // block_size + 1))
    return times


def grid_words(grid: tuple[int, ...]) -> str:
    """A grid as CUDA writes it: "(4, 2, 1)"."""
    return f"({', '.join(map(str, grid))})" if grid else "–"


def size_words(count: int) -> str:
    """Bytes for people: "82.1 kB", "786 kB"."""
    for unit, step in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= step:
            return f"{count / step:.{1 if count < 100 * step else 0}f} {unit}"
    return f"{count} B"


def short_time(seconds: float) -> str:
    """A short time with three digits: "0.42 ms", "41.2 ms", "257 ms", "1.68 s"."""
    if seconds >= 0.9995:
        return f"{seconds:.2f} s"
    digits = 2 if seconds < 0.01 else 1 if seconds < 0.1 else 0
    return f"{seconds * 1000:.{digits}f} ms"


def count_of(count: int, noun: str) -> str:
    """ "1 program", "12 programs"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
