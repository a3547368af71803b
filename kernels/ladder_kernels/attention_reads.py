"""Which positions of the KV cache each program of a paged_attention launch reads: the kernel's own cuts, in plain numbers.

    query block b of sequence s      sees up to its last token; with a window, not far back
    split k of the KV length         positions k * split_len .. (k + 1) * split_len - 1

    positions of s   0 ──────────────┬──────────────┬────────┐ context_len
                     │   split 0     │   split 1    │        │
    (b, 0) reads     ├───────────────┤                          through the block table: position // block_size
    (b, 1) reads                     ├───── .. the last token of b

A program reads the same positions of K and of V, for one KV head; the others beside it read the other heads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ladder_kernels.lang import cdiv
from ladder_kernels.split_kv import Plan


@dataclass(frozen=True, slots=True)
class ProgramReads:
    """Program (`query_program`, any KV head, `split`) of the grid reads the positions `begin` .. `end` - 1 of `sequence`.

    It holds the tokens `first` .. `first + num_tokens` - 1 of the sequence's new ones. Nothing is read where end <= begin.
    """

    sequence: int
    query_program: int
    split: int
    first: int
    num_tokens: int
    begin: int
    end: int

    @property
    def num_positions(self) -> int:
        """How many positions are read."""
        return max(0, self.end - self.begin)


def attention_grid(
    plan: Plan, num_tokens: int, num_seqs: int, q_heads: int, kv_heads: int
) -> tuple[int, ...]:
    """The grid of the launch; some of its query programs find no query block and return at once."""
    return (num_tokens // (plan.block_m // (q_heads // kv_heads)) + num_seqs, kv_heads, plan.num_splits)


def program_reads(
    plan: Plan, group: int, query_starts: Sequence[int], context_lens: Sequence[int], window: int | None
) -> Iterator[ProgramReads]:
    """What the programs read that have something to do: `query_starts` is cu_seqlens_q, `group` Hq // Hkv."""
    block_q = plan.block_m // group
    programs = query_starts[-1] // block_q + len(context_lens)
    for seq, context in enumerate(context_lens):
        start = query_starts[seq]
        q_len = query_starts[seq + 1] - start
        split_len = plan.split_size or cdiv(cdiv(context, plan.num_splits), plan.tile_n) * plan.tile_n
        for first in range(0, q_len, block_q):
            query_block = start // block_q + seq + first // block_q
            tokens = min(block_q, q_len - first)
            position = context - q_len + first
            for split in range(plan.num_splits):
                begin = split * split_len
                if window is not None:
                    begin = max(begin, max(position - window + 1, 0) // plan.tile_n * plan.tile_n)
                end = min(position + tokens, (split + 1) * split_len)
                yield ProgramReads(seq, programs - 1 - query_block, split, first, tokens, begin, end)
