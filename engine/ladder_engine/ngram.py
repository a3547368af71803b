"""Drafts without a model: prompt lookup. What followed the last few tokens before will perhaps follow them again.

A draft that only names tokens needs no probabilities of its own. The model computes the draft in one step and a token is
sampled at every position of it, with the random number that belongs to that position anyway. While the sampled token is
the drafted one, the next sample stands as well; the first that differs is the right token, and what follows is dropped.
So a draft is accepted with the probability that the model gives it, as in rejection sampling against a draft that is
certain (Leviathan et al. 2023), and more than that: the answer is, token for token, the one without speculation.
"""

from __future__ import annotations

from array import array

LONGEST, SHORTEST = 4, 2


def propose(token_ids: list[int], most: int) -> list[int]:
    """Up to `most` tokens that followed the latest earlier place where the longest possible tail stood before."""
    text = array("q", token_ids)
    for size in range(LONGEST, SHORTEST - 1, -1):
        after = _last_place(text[:-1].tobytes(), text[-size:].tobytes(), text.itemsize) + size
        if after >= size:
            return token_ids[after : after + most]
    return []


def _last_place(text: bytes, tail: bytes, width: int) -> int:
    """Where `tail` last begins in `text`, in tokens of `width` bytes; -1 if nowhere."""
    at = text.rfind(tail)
    while at % width and at > 0:  # a match that begins in the middle of a token is none
        at = text.rfind(tail, 0, at + len(tail) - 1)
    return at // width
