from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ladder_engine.block_hash import ExtraKeys, extend_hashes

TOKENS = st.lists(st.integers(0, 3), max_size=24)
WORD = st.text("ab", max_size=2)
EXTRA = st.lists(st.tuples(WORD, WORD), max_size=2).map(tuple)


def hashes(tokens: list[int], size: int, extra: ExtraKeys = ()) -> list[bytes]:
    found: list[bytes] = []
    extend_hashes(found, tokens, size, extra)
    return found


@given(TOKENS, st.integers(1, 5), st.lists(st.integers(0, 24)))
def test_the_names_do_not_depend_on_the_pieces_in_which_the_tokens_came(
    tokens: list[int], size: int, cuts: list[int]
) -> None:
    """inference-sim #196: chunks hashed from their own start gave other names."""
    grown: list[bytes] = []
    for cut in [*sorted(cuts), len(tokens)]:
        extend_hashes(grown, tokens[:cut], size)
    assert grown == hashes(tokens, size)
    assert len(grown) == len(tokens) // size


@given(st.lists(st.tuples(TOKENS, EXTRA), max_size=8), st.integers(1, 4))
def test_two_blocks_have_the_same_name_just_when_everything_up_to_their_end_is_equal(
    texts: list[tuple[list[int], ExtraKeys]], size: int
) -> None:
    """vllm #12621, #44701: a name that several prefixes, or several tenants, can have gives away their KV."""
    named: dict[bytes, tuple[tuple[int, ...], ExtraKeys]] = {}
    by_prefix: dict[tuple[tuple[int, ...], ExtraKeys], bytes] = {}
    for tokens, extra in texts:
        for index, name in enumerate(hashes(tokens, size, extra)):
            prefix = (tuple(tokens[: (index + 1) * size]), extra)
            assert named.setdefault(name, prefix) == prefix
            assert by_prefix.setdefault(prefix, name) == name


def test_a_salt_is_not_the_name_of_an_adapter() -> None:
    """vllm #44701: both were put into one list without saying which is which."""
    tokens = [1, 2, 3, 4]
    names = [
        hashes(tokens, 4, extra)[0]
        for extra in ((("lora", "x"),), (("cache_salt", "x"),), (("lora", "x"), ("cache_salt", "")), ())
    ]
    assert len(set(names)) == 4
