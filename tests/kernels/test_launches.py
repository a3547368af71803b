"""What is said of launches: by the interpreter's count of every load and store, and to an observer while it watches."""

from __future__ import annotations

import pytest
import torch
from ladder_kernels.dispatch import choose
from ladder_kernels.inputs import paged_batch
from ladder_kernels.observing import observed

CPU = torch.device("cpu")


def test_grids_and_bytes_are_those_that_the_interpreter_counts(run_python):
    pytest.importorskip("triton", reason="the interpreter is Triton's")
    done = run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/kernels/interpreted_launches.py")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


class Watcher:
    def __init__(self):
        self.watching = False
        self.seen = []

    def observe(self, call, seconds):
        self.seen.append((call, seconds))


def test_an_observer_hears_of_calls_only_while_it_watches():
    watcher = Watcher()
    twins = observed(choose(CPU, "torch"), watcher)
    gate_up = torch.randn(3, 10)
    silent = twins.silu_mul(gate_up)
    assert watcher.seen == []
    watcher.watching = True
    torch.testing.assert_close(twins.silu_mul(gate_up), silent, rtol=0, atol=0)
    call, seconds = watcher.seen.pop()
    assert (call.operation, call.shape, call.dtype) == ("silu_mul", "[3, 2 x 5]", "float32")
    assert seconds > 0
    assert (twins.name, twins.batch_invariant) == ("torch", False)


@pytest.mark.parametrize("batch_invariant", [False, True])
def test_blocks_that_a_program_is_said_to_read_are_those_that_change_its_tokens(batch_invariant):
    """The twin knows nothing of programs: a block that is spoilt changes the tokens of those programs that read it."""
    watcher = Watcher()
    watcher.watching = True
    twins = observed(choose(CPU, "torch", batch_invariant), watcher)
    batch = paged_batch([37, 1, 1], [60, 90, 16], 4, 2, 16, torch.float32, CPU, block_size=8)
    right = twins.paged_attention(*batch.arguments())
    cut = watcher.seen.pop()[0].attention
    watcher.watching = False
    readers = {}  # of each block: the tokens whose programs are said to read it
    for program in cut.programs:
        start = batch.cu_seqlens_q[program.sequence].item() + program.first
        for position in range(program.begin, program.end):
            tokens = readers.setdefault(cut.block_ids[program.sequence][position // 8], set())
            tokens.update(range(start, start + program.num_tokens))
    rows = cut.plan.block_m // 2
    for block in range(len(batch.key_cache)):
        spoilt = batch.value_cache.clone()
        spoilt[block] += 1
        arguments = list(batch.arguments())
        arguments[2] = spoilt
        changed = (twins.paged_attention(*arguments) != right).flatten(1).any(1).nonzero().flatten().tolist()
        said = readers.get(block, set())
        assert set(changed) <= said
        for token in said:  # the last token of a program sees all that the program reads
            assert any(other in changed for other in range(token, token + rows))
