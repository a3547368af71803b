"""paged_attention on a CPU: where the KV stands is worked out once a step; each layer gathers it and calls torch's attention.

    step    Sequences with as many new tokens and a like context form a group; a long chunk is cut into groups of its own.
            slots [S * N]          where each position of a group's sequences stands in the cache
            bias [S, 1, G Q, N]    0 where a query sees a position, -inf where it does not
    layer   K, V = cache[slots];  out = softmax(q K^T + bias) V     of a group at once, by torch's fused kernel

    query   [ a | b b b | c | d ]   ──order──>   [ a c | d | b b b ]   groups lie together: 1 token, 1 token, 3 tokens
                                                   └ longest context first, while the padding is cheaper than a call

The G heads that share a KV head are further queries of it, [S, Hkv, G Q, D]; those of a long chunk are a batch of G that
shares its keys, so that the bias need not be repeated.
Shapes and dtypes are those of paged_attention.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from ladder_kernels.step_memo import StepMemo

MAX_PADDING = 256  # positions that a group may gather for nothing: as dear as one group more
LONG = 16  # with more new tokens than this, a sequence has enough work to be a group of its own
MAX_QUERIES = 128  # of a group of its own: the first of them do not see what the last ones see
MAX_ROWS = 1 << 13  # heads that a group gathers, unless one sequence has more: they should fit the cache


@dataclass(frozen=True, slots=True)
class _Group:
    """S sequences, `num_queries` tokens of each, from place `begin` of the order on."""

    begin: int
    num_sequences: int
    num_queries: int
    slots: Tensor
    bias: Tensor


@dataclass(frozen=True, slots=True)
class _Layout:
    """All groups of a step; `order` [T] are the tokens as they lie in the groups, `back` [T] where each one lies."""

    groups: list[_Group]
    order: Tensor
    back: Tensor
    keys: Tensor  # [slots of the largest group, Hkv, D]: room for what a layer gathers
    values: Tensor


class GatheredAttention:
    """paged_attention for torch on a CPU."""

    def __init__(self) -> None:
        self._layouts: StepMemo[_Layout] = StepMemo()

    def __call__(
        self,
        query: Tensor,
        key_cache: Tensor,
        value_cache: Tensor,
        block_tables: Tensor,
        cu_seqlens_q: Tensor,
        context_lens: Tensor,
        scale: float,
        sliding_window: int | None = None,
    ) -> Tensor:
        """Return out [T, Hq, D]. The tables and lengths of a call must not be changed in place afterwards."""
        step = block_tables, cu_seqlens_q, context_lens
        layout = self._layouts.get(
            step,
            (query.shape, query.dtype, key_cache.shape, sliding_window),
            lambda: _lay_out(query, key_cache, *step, sliding_window),
        )
        wide = torch.promote_types(query.dtype, torch.float32)
        ordered = query.index_select(0, layout.order).to(wide)
        out = torch.empty_like(ordered)
        for group in layout.groups:
            mine = slice(group.begin, group.begin + group.num_sequences * group.num_queries)
            keys = _gather(key_cache, group, layout.keys).to(wide)
            values = _gather(value_cache, group, layout.values).to(wide)
            _attend(group, ordered[mine], keys, values, scale, out[mine])
        return out.index_select(0, layout.back).to(query.dtype)


def _gather(cache: Tensor, group: _Group, room: Tensor) -> Tensor:
    """The keys or values of a group, [S, Hkv, N, D]."""
    rows = torch.index_select(cache.flatten(0, 1), 0, group.slots, out=room[: len(group.slots)])
    return rows.view(group.num_sequences, -1, *rows.shape[1:]).transpose(1, 2)


def _attend(group: _Group, query: Tensor, keys: Tensor, values: Tensor, scale: float, out: Tensor) -> None:
    """Write the attention of a group's queries [S * Q, Hq, D] to `out`, of the same shape."""
    shape = group.num_sequences, group.num_queries, keys.shape[1], -1, keys.shape[-1]
    rows, outs = query.view(shape), out.view(shape)  # [S, Q, Hkv, G, D]
    if group.num_queries > LONG:
        rows, outs = rows[0].permute(2, 1, 0, 3), outs[0].permute(2, 1, 0, 3)
        keys, values = (x.expand(len(rows), -1, -1, -1) for x in (keys, values))
        outs.copy_(scaled_dot_product_attention(rows, keys, values, group.bias, scale=scale))
        return
    rows, outs = rows.permute(0, 2, 3, 1, 4), outs.permute(0, 2, 3, 1, 4)
    mixed = scaled_dot_product_attention(rows.flatten(2, 3), keys, values, group.bias, scale=scale)
    outs.copy_(mixed.view(outs.shape))


def _lay_out(
    query: Tensor,
    key_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    window: int | None,
) -> _Layout:
    lengths = list(zip(cu_seqlens_q.diff().tolist(), context_lens.tolist(), strict=True))
    groups: list[_Group] = []
    order, begin = [torch.empty(0, dtype=torch.long, device=query.device)], 0
    for seqs, first, count in _alike(lengths, key_cache.shape[2]):
        members = torch.tensor(seqs, device=query.device)
        step = torch.arange(first, first + count, device=query.device)
        tokens = cu_seqlens_q[members].long()[:, None] + step
        before = context_lens[members].long() - lengths[seqs[0]][0]
        queries = before[:, None] + step  # where they stand in their sequences, [S, Q]
        seen = _seen(queries, window)
        slots = _slots(key_cache, block_tables[members], queries[:, -1], seen)
        bias = _bias(queries, seen, window, torch.promote_types(query.dtype, torch.float32))
        if count <= LONG:
            bias = bias.repeat(1, 1, query.shape[1] // key_cache.shape[2], 1)
        groups.append(_Group(begin, len(seqs), count, slots, bias))
        order.append(tokens.flatten())
        begin += tokens.numel()
    tokens = torch.cat(order)
    rows = max((len(group.slots) for group in groups), default=0)
    room = key_cache.new_empty(2, rows, *key_cache.shape[2:])
    return _Layout(groups, tokens, torch.argsort(tokens), room[0], room[1])


def _alike(lengths: list[tuple[int, int]], kv_heads: int) -> Iterator[tuple[list[int], int, int]]:
    """Groups: who is in it, and which of the new tokens of each, as the first and how many.

    `lengths` are the new tokens and the context of each sequence.
    """
    alike: dict[int, list[int]] = {}
    for seq, (q_len, _) in enumerate(lengths):
        if q_len > LONG:
            yield from (
                ([seq], first, min(MAX_QUERIES, q_len - first)) for first in range(0, q_len, MAX_QUERIES)
            )
        elif q_len:
            alike.setdefault(q_len, []).append(seq)
    for q_len, seqs in alike.items():
        group: list[int] = []
        padding = longest = 0
        for seq in sorted(seqs, key=lambda seq: -lengths[seq][1]):
            padding += longest - lengths[seq][1]
            if group and (padding > MAX_PADDING or (len(group) + 1) * longest * kv_heads > MAX_ROWS):
                yield group, 0, q_len
                group = []
            if not group:
                padding, longest = 0, lengths[seq][1]
            group.append(seq)
        yield group, 0, q_len


def _seen(queries: Tensor, window: int | None) -> Tensor:
    """The positions that any of these queries may see, [N]."""
    oldest = 0 if window is None else max(0, int(queries.min()) - window + 1)
    return torch.arange(oldest, int(queries.max()) + 1, device=queries.device)


def _slots(cache: Tensor, block_tables: Tensor, newest: Tensor, seen: Tensor) -> Tensor:
    """Where the positions stand, [S * N].

    One past a sequence's `newest` [S] stands for that: what was never written is never read.
    """
    places, block_size = torch.minimum(seen, newest[:, None]), cache.shape[1]
    blocks = block_tables.gather(1, places // block_size).long()
    return (blocks * block_size + places % block_size).flatten()


def _bias(queries: Tensor, seen: Tensor, window: int | None, dtype: torch.dtype) -> Tensor:
    """0 where a query sees a position, -inf where it does not, [S, 1, Q, N]."""
    visible = seen <= queries[:, :, None]
    if window is not None:
        visible &= seen > queries[:, :, None] - window
    bias = torch.zeros(visible.shape, dtype=dtype, device=queries.device)
    return bias.masked_fill_(~visible, -torch.inf)[:, None]
