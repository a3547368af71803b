"""paged_attention: causal attention over the paged KV cache, for any mix of prompt chunks and decodes.

    out[t] = softmax(scale * q[t] . K[0..p]) V[0..p]       p = context_lens[s] - q_len[s] + i for query i of sequence s

There is no prefill and no decode here: a sequence brings q_len >= 0 new tokens, whose keys already stand in the cache.

query                    [T, Hq, D]                         fp16, bf16 or fp32; sequences one after another
key_cache, value_cache   [num_blocks, block_size, Hkv, D]   Hq is a multiple of Hkv
block_tables             [S, max_blocks] int32              entries past a sequence's last block may be garbage
cu_seqlens_q             [S + 1] int32                      q_len[s] = cu_seqlens_q[s + 1] - cu_seqlens_q[s]
context_lens             [S] int32                          KV length of a sequence, this step's tokens included
sliding_window           None, or w: position p sees p - w + 1 .. p
"""

import torch
from torch import Tensor

_MAX_SCORES = 1 << 22  # how many scores the twin holds at once


def paged_attention_torch(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    cu_seqlens_q: Tensor,
    context_lens: Tensor,
    scale: float,
    sliding_window: int | None = None,
) -> Tensor:
    """Return out [T, Hq, D]; the plain-torch twin that defines right.

    Sequences are taken in groups of like q_len (powers of two), so that one long chunk does not pad the decodes
    beside it; a group is one padded gather and two matrix products, tile by tile of queries.
    """
    out = torch.empty_like(query)
    q_lens = cu_seqlens_q.diff().long()
    size_class = torch.where(q_lens > 0, q_lens.double().log2().ceil().long(), -1)
    for size in torch.unique(size_class).tolist():
        if size >= 0:
            group = (size_class == size).nonzero().squeeze(-1)
            _attend_group(
                out,
                query,
                key_cache,
                value_cache,
                block_tables[group].long(),
                cu_seqlens_q[group].long(),
                q_lens[group],
                context_lens[group].long(),
                scale,
                sliding_window,
            )
    return out


def _attend_group(
    out: Tensor,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    starts: Tensor,
    q_lens: Tensor,
    context_lens: Tensor,
    scale: float,
    window: int | None,
) -> None:
    wide = torch.promote_types(query.dtype, torch.float32)
    kv_positions = torch.arange(int(context_lens.max()), device=query.device)
    live = kv_positions < context_lens[:, None]
    if window is not None:
        live &= kv_positions > (context_lens - q_lens)[:, None] - window
    keys, values = (
        _gather(cache, block_tables, kv_positions, live, context_lens).to(wide)
        for cache in (key_cache, value_cache)
    )
    sequences, kv_len = keys.shape[0], keys.shape[2]
    longest = int(q_lens.max())
    tile = max(1, _MAX_SCORES // (sequences * query.shape[1] * kv_len))
    for first in range(0, longest, tile):
        step = torch.arange(first, min(first + tile, longest), device=query.device)
        real = step < q_lens[:, None]
        step = torch.minimum(step, q_lens[:, None] - 1)  # past its end a sequence repeats its last query
        tokens = starts[:, None] + step
        positions = (context_lens - q_lens)[:, None] + step
        visible = kv_positions <= positions[:, :, None]
        if window is not None:
            visible &= kv_positions > positions[:, :, None] - window
        tile_out = _attend(query[tokens].to(wide), keys, values, visible, scale)
        out[tokens[real]] = tile_out[real].to(out.dtype)


def _attend(query: Tensor, keys: Tensor, values: Tensor, visible: Tensor, scale: float) -> Tensor:
    """Dense attention of query [S, Q, Hq, D] on keys and values [S, Hkv, N, D] where visible [S, Q, N]."""
    sequences, tokens, heads, head_dim = query.shape
    kv_heads, kv_len = keys.shape[1:3]
    grouped = query.view(sequences, tokens, kv_heads, -1, head_dim).permute(
        0, 2, 3, 1, 4
    )  # [S, Hkv, G, Q, D]
    scores = (grouped.flatten(2, 3) @ keys.mT).view(sequences, kv_heads, -1, tokens, kv_len) * scale
    scores.masked_fill_(~visible[:, None, None], float("-inf"))
    out = scores.softmax(-1).flatten(2, 3) @ values
    return out.view(grouped.shape).permute(0, 3, 1, 2, 4).reshape(sequences, tokens, heads, head_dim)


def _gather(
    cache: Tensor, block_tables: Tensor, kv_positions: Tensor, live: Tensor, context_lens: Tensor
) -> Tensor:
    """The cache rows of each sequence, padded to [S, Hkv, N, D].

    A place that no query sees reads the sequence's newest token instead: what was never written is never read.
    """
    block_size, kv_heads, head_dim = cache.shape[1:]
    places = torch.where(live, kv_positions, context_lens[:, None] - 1)
    slots = block_tables.gather(1, places // block_size) * block_size + places % block_size
    rows = slots[:, None] * kv_heads + torch.arange(kv_heads, device=cache.device)[:, None]
    return cache.reshape(-1, head_dim).index_select(0, rows.flatten()).view(*rows.shape, head_dim)
