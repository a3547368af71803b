"""The names of full blocks: equal names mean equal tokens from the start of the text on.

    root    = H("root", every extra key with its domain)
    hash[i] = H("block", hash[i - 1], the tokens at positions i * block_size .. (i + 1) * block_size - 1)

A block's KV depends on all tokens before it, so a name covers the whole prefix through its parent. H is SHA-256: nobody
can make two prefixes share a name, by chance or on purpose, so a match needs no second look at the tokens. Extra keys
keep apart what must never share KV although its tokens are equal; each carries its domain and its length, so a salt
can never pass for something else.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import sha256

ExtraKeys = tuple[tuple[str, str], ...]
"""(domain, value) pairs, for example ("cache_salt", "tenant-7")."""


def extend_hashes(
    hashes: list[bytes], token_ids: list[int], block_size: int, extra_keys: ExtraKeys = ()
) -> None:
    """Append the names of those full blocks of `token_ids` that have none yet."""
    for index in range(len(hashes), len(token_ids) // block_size):
        parent = hashes[-1] if index else _root(extra_keys)
        tokens = array("q", token_ids[index * block_size : (index + 1) * block_size]).tobytes()
        hashes.append(_digest((b"block", parent, tokens)))


def _root(extra_keys: ExtraKeys) -> bytes:
    return _digest((b"root", *(part.encode() for pair in extra_keys for part in pair)))


def _digest(parts: Iterable[bytes]) -> bytes:
    digest = sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()
