"""Sampling and draft verification: the order of the filters, the random stream, and the distribution that comes out."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_kernels.logit_filters import filtered_weights
from ladder_kernels.philox import philox_torch, uniform_torch
from ladder_kernels.sample import sample_torch
from ladder_kernels.verify_draft import verify_draft_torch

DRAWS = 100_000
# chi-square quantiles at 1 - 1e-4, by degrees of freedom: a fixed seed either passes for ever or never
CHI_SQUARE = {2: 18.42, 3: 21.11, 4: 23.51, 5: 25.74, 6: 27.86, 7: 29.88}


def chi_square(tokens, probs):
    """Pearson's statistic of draws against `probs`, and whether a token of probability 0 was drawn."""
    counts = torch.bincount(tokens, minlength=len(probs)).double()
    assert counts[probs == 0].sum() == 0
    expected = probs[probs > 0].double() * len(tokens)
    statistic = ((counts[probs > 0] - expected) ** 2 / expected).sum().item()
    return statistic, CHI_SQUARE[len(expected) - 1]


def draw(logits, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, seeds=None, positions=None):
    rows = len(logits)
    return sample_torch(
        logits,
        torch.full((rows,), temperature),
        torch.full((rows,), top_k, dtype=torch.int32),
        torch.full((rows,), top_p),
        torch.full((rows,), min_p),
        torch.arange(rows) if seeds is None else seeds,
        torch.zeros(rows, dtype=torch.int64) if positions is None else positions,
    )


def kept(probs, **filters):
    """Which tokens survive the filters, for one row of probabilities."""
    options = {"top_k": 0, "top_p": 1.0, "min_p": 0.0, "temperature": 1.0, **filters}
    weights = filtered_weights(
        torch.tensor([probs]).log(),
        torch.tensor([options["temperature"]]),
        torch.tensor([options["top_k"]], dtype=torch.int32),
        torch.tensor([options["top_p"]]),
        torch.tensor([options["min_p"]]),
    )
    return weights[0].nonzero().flatten().tolist()


def test_philox_is_the_reference_written_in_plain_integers():
    def reference(key, counter):
        k, c = list(key), list(counter)
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [b >> 32 ^ c[1] ^ k[0], b & 0xFFFFFFFF, a >> 32 ^ c[3] ^ k[1], a & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        return c

    # the answers that the generator's authors published (Random123, kat_vectors, philox4x32-10)
    full = 0xFFFFFFFF
    assert reference((0, 0), (0,) * 4) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert reference((full, full), (full,) * 4) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    pi = reference((0xA4093822, 0x299F31D0), (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344))
    assert pi == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    generator = torch.Generator().manual_seed(3)
    seeds = torch.randint(-(2**63), 2**63 - 1, (50,), generator=generator)
    positions = torch.randint(0, 2**63 - 1, (50,), generator=generator)
    for stream in (0, 1, 2):
        words = torch.stack(philox_torch(seeds, positions, stream), -1).tolist()
        for seed, position, word in zip(seeds.tolist(), positions.tolist(), words, strict=True):
            key = (seed & full, seed >> 32 & full)
            assert reference(key, (position & full, position >> 32 & full, stream, 0)) == word


def test_uniforms_are_uniform_and_never_one():
    u = uniform_torch(torch.tensor(11), torch.arange(DRAWS))
    assert u.min() >= 0
    assert u.max() < 1
    counts = torch.histc(u, 8, 0, 1)
    assert ((counts - DRAWS / 8) ** 2 / (DRAWS / 8)).sum() < CHI_SQUARE[7]
    shifted = torch.corrcoef(torch.stack((u[:-1], u[1:])))[0, 1]
    assert abs(shifted) < 0.02


def test_top_k_keeps_k_and_ties_go_to_the_lower_id():
    assert kept([0.1, 0.3, 0.2, 0.4], top_k=2) == [1, 3]
    assert kept([0.2, 0.4, 0.2, 0.2], top_k=3) == [0, 1, 2]
    assert kept([0.2, 0.4, 0.2, 0.2], top_k=9) == [0, 1, 2, 3]


def test_top_p_keeps_the_smallest_set_that_reaches_p():
    assert kept([0.125, 0.5, 0.25, 0.125], top_p=0.74) == [1, 2]
    assert kept([0.125, 0.5, 0.25, 0.125], top_p=0.76) == [0, 1, 2]
    assert kept([0.125, 0.5, 0.25, 0.125], top_p=0.0) == [1]
    assert kept([0.25, 0.25, 0.25, 0.25], top_p=0.6) == [0, 1, 2]


def test_top_p_counts_the_mass_that_top_k_left():
    # of the two that top-k keeps, 0.4 has 4/7 of the mass: enough for p = 0.55, though it is not of the whole
    assert kept([0.1, 0.3, 0.2, 0.4], top_k=2, top_p=0.55) == [3]
    assert kept([0.1, 0.3, 0.2, 0.4], top_p=0.55) == [1, 3]


def test_min_p_is_relative_to_the_largest_after_temperature():
    assert kept([0.1, 0.3, 0.2, 0.4], min_p=0.6) == [1, 3]
    assert kept([0.1, 0.3, 0.2, 0.4], min_p=0.6, temperature=0.5) == [3]
    assert kept([0.1, 0.3, 0.2, 0.4], min_p=5.0) == [3]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-8, 8), min_size=1, max_size=12),
    st.integers(0, 14),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.3, 1.0, 2.5]),
)
def test_the_filters_are_what_their_words_say(logits, top_k, top_p, min_p, temperature):
    """The same rules written one token at a time."""
    w = [torch.tensor((x - max(logits)) / temperature).double().exp().item() for x in logits]
    ranked = sorted(range(len(w)), key=lambda i: (-logits[i], i))[: top_k or None]
    mass, before, inside = sum(w[i] for i in ranked), 0.0, []
    for i in ranked:
        if inside and top_p < 1 and before >= torch.tensor(top_p).float().item() * mass:
            break
        inside.append(i)
        before += w[i]
    expected = sorted(i for i in inside if w[i] >= torch.tensor(min_p).float().item())
    out = filtered_weights(
        torch.tensor([logits]).float(),
        torch.tensor([temperature]),
        torch.tensor([top_k], dtype=torch.int32),
        torch.tensor([top_p]),
        torch.tensor([min_p]),
    )[0]
    close = any(abs(w[i] - min_p) < 1e-6 for i in inside) or any(
        abs(sum(w[j] for j in ranked[:n]) - top_p * mass) < 1e-6 * mass for n in range(1, len(ranked) + 1)
    )
    assert close or out.nonzero().flatten().tolist() == expected


def test_greedy_takes_the_first_of_equals_and_ignores_the_rest():
    logits = torch.tensor([[1.0, 5.0, 5.0], [2.0, 2.0, 2.0]])
    assert draw(logits, temperature=0.0, top_k=1, top_p=0.1).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("filters", "probs"),
    [
        ({}, [0.05, 0.4, 0.15, 0.3, 0.1]),
        ({"temperature": 0.5}, [0.0025, 0.16, 0.0225, 0.09, 0.01]),
        ({"top_k": 3}, [0, 0.4, 0.15, 0.3, 0]),
        ({"top_p": 0.8}, [0, 0.4, 0.15, 0.3, 0]),
        ({"min_p": 0.3, "top_k": 4}, [0, 0.4, 0.15, 0.3, 0]),
    ],
)
def test_draws_follow_the_filtered_distribution(filters, probs):
    logits = torch.tensor([[0.05, 0.4, 0.15, 0.3, 0.1]]).log().expand(DRAWS, -1)
    tokens = draw(logits, **filters, positions=torch.arange(DRAWS))
    expected = torch.tensor(probs).double()
    statistic, limit = chi_square(tokens, expected / expected.sum())
    assert statistic < limit


def test_one_stream_along_positions_follows_the_distribution_too():
    logits = torch.tensor([[0.2, 0.5, 0.3]]).log().expand(DRAWS, -1)
    tokens = draw(logits, seeds=torch.full((DRAWS,), 42), positions=torch.arange(DRAWS))
    statistic, limit = chi_square(tokens, torch.tensor([0.2, 0.5, 0.3]))
    assert statistic < limit


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(6)), st.integers(1, 6))
def test_a_token_depends_on_seed_and_position_not_on_slot_or_neighbours(order, batch):
    logits = torch.randn(6, 40, generator=torch.Generator().manual_seed(5))
    seeds, positions = torch.arange(6) * 17 - 40, torch.arange(6) * 3
    together = draw(logits, top_p=0.9, seeds=seeds, positions=positions)
    order = torch.tensor(order)[:batch]
    alone = draw(logits[order], top_p=0.9, seeds=seeds[order], positions=positions[order])
    assert torch.equal(alone, together[order])


def verify(target, draft, tokens, counts, draws=DRAWS):
    """Verify the same drafts `draws` times under different seeds."""
    return verify_draft_torch(
        target.expand(draws, *target.shape),
        None if draft is None else draft.expand(draws, *draft.shape),
        tokens,
        torch.full((draws,), counts, dtype=torch.int32),
        torch.arange(draws),
        torch.full((draws,), 9),
    )


TARGET = torch.tensor([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.1, 0.2], [0.25, 0.25, 0.3, 0.2]])


@pytest.mark.parametrize("draft", [[0.25, 0.25, 0.25, 0.25], [0.05, 0.05, 0.1, 0.8], [0.5, 0.2, 0.2, 0.1]])
def test_the_first_token_is_distributed_as_the_target_whatever_the_draft(draft):
    q = torch.tensor([draft, draft])
    generator = torch.Generator().manual_seed(8)
    drafted = torch.multinomial(q[0], 2 * DRAWS, replacement=True, generator=generator).view(DRAWS, 2)
    tokens, accepted = verify(TARGET, q, drafted, 2)
    statistic, limit = chi_square(tokens[:, 0], TARGET[0])
    assert statistic < limit
    overlap = torch.minimum(TARGET[0], q[0]).sum().item()
    assert abs((accepted >= 1).double().mean().item() - overlap) < 0.01


def test_later_tokens_and_the_bonus_follow_the_target_too():
    q = torch.tensor([[0.25, 0.25, 0.25, 0.25]] * 2)
    generator = torch.Generator().manual_seed(9)
    drafted = torch.randint(0, 4, (DRAWS, 2), generator=generator)
    tokens, accepted = verify(TARGET, q, drafted, 2)
    second = tokens[accepted >= 1, 1]
    bonus = tokens[accepted == 2, 2]
    for drawn, probs in ((second, TARGET[1]), (bonus, TARGET[2])):
        assert len(drawn) > 10_000
        statistic, limit = chi_square(drawn, probs)
        assert statistic < limit


def test_a_draft_that_only_names_tokens_keeps_the_target_distribution():
    drafted = torch.ones(DRAWS, 2, dtype=torch.int64)
    tokens, accepted = verify(TARGET, None, drafted, 2)
    statistic, limit = chi_square(tokens[:, 0], TARGET[0])
    assert statistic < limit
    assert abs((accepted >= 1).double().mean().item() - 0.2) < 0.01


def test_acceptance_stops_at_the_first_rejection():
    """[accept, reject, accept] counts 1, and what follows the replacement is -1."""
    target = torch.nn.functional.one_hot(torch.tensor([0, 1, 2, 3]), 4).float()
    tokens, accepted = verify(target, None, torch.tensor([[0, 3, 2]]).expand(4, -1), 3, draws=4)
    assert tokens.tolist() == [[0, 1, -1, -1]] * 4
    assert accepted.tolist() == [1] * 4


def test_no_drafts_is_plain_sampling_and_what_was_not_drafted_is_not_read():
    target = TARGET.clone()
    target[1:] = float("nan")
    draft = torch.full((2, 4), float("nan"))
    garbage = torch.full((DRAWS, 2), 10**9)
    tokens, accepted = verify(target, draft, garbage, 0)
    assert accepted.count_nonzero() == 0
    assert (tokens[:, 1:] == -1).all()
    statistic, limit = chi_square(tokens[:, 0], TARGET[0])
    assert statistic < limit
