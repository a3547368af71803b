"""paged_attention on a CPU: where the KV stands is worked out once a step, and each layer only gathers and multiplies.

    step    Sequences with as many new tokens and a like context form a group. Their KV is to stand side by side:
            rows [S, Hkv, N]    where the heads of each position stand in the cache
            bias [S, Q, N]      0 where a query sees a position, -inf where it does not
    layer   K, V = cache[rows];  scores = q K^T + bias;  out = softmax(scores) V    for all heads of a group at once

    query   [ a | b b b | c | d ]   ──order──>   [ a c | d | b b b ]   groups lie together: 1 token, 1 token, 3 tokens
                                                   └ contexts of up to 64    └ up to 128 ...

The layers of a step pass the same tensors, and by that a step is known. Shapes and dtypes are those of paged_attention.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

LIKE_CONTEXT = 64  # a gathered sequence is padded by fewer positions than this
LIKE_LENGTH = 16  # with more new tokens than this, a sequence has enough work to be a group of its own
MAX_ROWS = (
    1 << 13
)  # how many heads a group gathers, unless a single sequence has more: they should fit the cache
MAX_SCORES = 1 << 22  # how many scores are held at once


@dataclass(frozen=True, slots=True)
class _Tile:
    """Q queries of each sequence of a group, and the first `num_positions` of the gathered ones, which are all they see."""

    first: int
    num_queries: int
    num_positions: int
    bias: Tensor  # [S, 1, 1, Q, num_positions]


@dataclass(frozen=True, slots=True)
class _Group:
    """S sequences that bring `num_queries` tokens each, from place `begin` of the order on."""

    begin: int
    num_sequences: int
    num_queries: int
    rows: Tensor  # [S * Hkv * N], counted in heads from the cache's beginning
    tiles: list[_Tile]


@dataclass(frozen=True, slots=True)
class _Layout:
    """All groups of a step; `order` [T] are the tokens as they lie in the groups, `back` [T] where each one lies."""

    groups: list[_Group]
    order: Tensor
    back: Tensor
    keys: Tensor  # [rows of the largest group, D]: room for what a layer gathers
    values: Tensor


class GatheredAttention:
    """paged_attention for torch on a CPU. It remembers the layout of the last step, by the identity of its tensors."""

    def __init__(self) -> None:
        self._step: tuple[Tensor, ...] = ()
        self._layouts: dict[object, _Layout] = {}

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
        if not self._step or any(new is not old for new, old in zip(step, self._step, strict=True)):
            self._step, self._layouts = step, {}
        like = query.shape, query.dtype, key_cache.shape, sliding_window
        layout = self._layouts.get(like)
        if layout is None:
            layout = self._layouts[like] = _lay_out(query, key_cache, *step, sliding_window)
        wide = torch.promote_types(query.dtype, torch.float32)
        ordered = query.index_select(0, layout.order).to(wide).mul_(scale)
        out = torch.empty_like(ordered)
        for group in layout.groups:
            keys = _gather(key_cache, group.rows, layout.keys).to(wide)
            values = _gather(value_cache, group.rows, layout.values).to(wide)
            _attend(group, ordered, keys, values, out)
        return out.index_select(0, layout.back).to(query.dtype)


def _gather(cache: Tensor, rows: Tensor, room: Tensor) -> Tensor:
    heads = cache.reshape(-1, cache.shape[-1])
    return torch.index_select(heads, 0, rows, out=room[: rows.shape[0]])


def _attend(group: _Group, query: Tensor, keys: Tensor, values: Tensor, out: Tensor) -> None:
    """Dense attention of one group on its gathered keys and values [S * Hkv * N, D]."""
    size, num_queries, head_dim = group.num_sequences, group.num_queries, query.shape[-1]
    num_positions = group.tiles[-1].num_positions
    keys, values = keys.view(-1, num_positions, head_dim), values.view(-1, num_positions, head_dim)
    heads = keys.shape[0]
    shape = size, num_queries, heads // size, -1, head_dim
    mine = slice(group.begin, group.begin + size * num_queries)
    # [S, Hkv, G, Q, D]: the heads that share a KV head are further queries of it
    queries = query[mine].view(shape).permute(0, 2, 3, 1, 4)
    outs = out[mine].view(shape).permute(0, 2, 3, 1, 4)
    for tile in group.tiles:
        part = slice(tile.first, tile.first + tile.num_queries)
        rows = queries[:, :, :, part]
        scores = torch.bmm(rows.reshape(heads, -1, head_dim), keys[:, : tile.num_positions].mT)
        scores.view(*rows.shape[:4], -1).add_(tile.bias)
        mixed = torch.bmm(scores.softmax(-1), values[:, : tile.num_positions])
        outs[:, :, :, part] = mixed.view(rows.shape)


def _lay_out(
    query: Tensor,
    key_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    window: int | None,
) -> _Layout:
    lengths = zip(cu_seqlens_q.diff().tolist(), context_lens.tolist(), strict=True)
    groups: list[_Group] = []
    order, begin = [torch.empty(0, dtype=torch.long, device=query.device)], 0
    for q_len, seqs in _alike(list(lengths), key_cache.shape[2]):
        members = torch.tensor(seqs, device=query.device)
        lens = context_lens[members].long()
        rows, places = _rows(key_cache, block_tables[members], lens, q_len, window)
        tiles = list(_tiles(query, places, lens, q_len, window))
        groups.append(_Group(begin, len(seqs), q_len, rows, tiles))
        order.append(
            (cu_seqlens_q[members].long()[:, None] + torch.arange(q_len, device=query.device)).flatten()
        )
        begin += len(seqs) * q_len
    tokens = torch.cat(order)
    room = key_cache.new_empty(2, max((len(group.rows) for group in groups), default=0), query.shape[-1])
    return _Layout(groups, tokens, torch.argsort(tokens), room[0], room[1])


def _alike(lengths: list[tuple[int, int]], kv_heads: int) -> Iterator[tuple[int, list[int]]]:
    """Sequences of as many new tokens and a like context, by (q_len, context length) of each: q_len, and who they are."""
    kinds: dict[tuple[int, int], list[int]] = {}
    for seq, (q_len, context) in enumerate(lengths):
        if q_len:
            like = -seq - 1 if q_len > LIKE_LENGTH else -(-context // LIKE_CONTEXT)
            kinds.setdefault((q_len, like), []).append(seq)
    for (q_len, _), seqs in kinds.items():
        longest = max(lengths[seq][1] for seq in seqs)
        most = max(1, MAX_ROWS // (longest * kv_heads))
        for first in range(0, len(seqs), most):
            yield q_len, seqs[first : first + most]


def _rows(
    cache: Tensor, block_tables: Tensor, context_lens: Tensor, q_len: int, window: int | None
) -> tuple[Tensor, Tensor]:
    """Where the heads stand, [S * Hkv * N], and which positions those are, [N].

    A position past a sequence's end stands for its newest token: what was never written is never read.
    """
    block_size, kv_heads = cache.shape[1:3]
    oldest = 0 if window is None else max(0, int(context_lens.min()) - q_len - window + 1)
    positions = torch.arange(oldest, int(context_lens.max()), device=cache.device)
    places = torch.minimum(positions, context_lens[:, None] - 1)
    slots = block_tables.gather(1, places // block_size).long() * block_size + places % block_size
    rows = slots[:, None] * kv_heads + torch.arange(kv_heads, device=cache.device)[:, None]
    return rows.flatten(), positions


def _tiles(
    query: Tensor, positions: Tensor, context_lens: Tensor, q_len: int, window: int | None
) -> Iterator[_Tile]:
    wide = torch.promote_types(query.dtype, torch.float32)
    size = max(1, MAX_SCORES // (len(context_lens) * query.shape[1] * len(positions)))
    for first in range(0, q_len, size):
        count = min(size, q_len - first)
        step = torch.arange(first, first + count, device=query.device)
        queries = (context_lens[:, None] - q_len + step)[:, :, None]
        seen = positions[: int(queries.max()) - int(positions[0]) + 1]
        visible = seen <= queries
        if window is not None:
            visible &= seen > queries - window
        bias = torch.zeros(visible.shape, dtype=wide, device=query.device).masked_fill_(~visible, -torch.inf)
        yield _Tile(first, count, len(seen), bias[:, None, None])
