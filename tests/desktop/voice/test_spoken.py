"""How technical texts are read aloud."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.voice.spoken import sentences, spoken, spoken_code, spoken_tex


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("An H100 reads 3.35 TB/s.", "An H100 reads 3.35 terabytes per second."),
        ("The ridge is 295 FLOP/B.", "The ridge is 295 flops per byte."),
        ("989 TFLOP/s", "989 teraflops per second"),
        ("2 KiB, beside 1.07 GB", "2 kibibytes, beside 1.07 gigabytes"),
        ("after 1 ms, then 0.3 s", "after 1 millisecond, then 0.3 seconds"),
        ("20 req/s", "20 requests per second"),
        ("bandwidth in GB/s", "bandwidth in gigabytes per second"),
        ("a 70B model, 0.5B draft", "a 70 billion model, 0.5 billion draft"),
        ("8 B of KV", "8 bytes of KV"),
        ("20–38% of it", "20 to 38 percent of it"),
        ("TTFT ≤ 0.3 s", "TTFT at most 0.3 seconds"),
        ("set max_num_seqs", "set max number of sequences"),
        ("num_seqs", "number of sequences"),
        ("with --max-num-batched-tokens", "with flag max number of batched tokens"),
        ("prefill/decode split → KV", "prefill decode split to KV"),
        ("the mean TPOT of two SLOs", "the mean T P O T of two S L Os"),
        ("an MoE with RoPE", "an M O E with rope"),
        ("Qwen3.5 on PCIe", "Kwen 3.5 on P C I express"),
        ("DeepEP", "DeepEP"),
        ("draft length γ", "draft length gamma"),
        ("A plain sentence, with commas.", "A plain sentence, with commas."),
    ],
)
def test_running_text(written: str, said: str) -> None:
    assert spoken(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("num_computed_tokens", "number of computed tokens"),
        ("--kv-cache-dtype", "flag kv cache dtype"),
        ("i % B", "i modulo B"),
        ("block_table[i // B]", "block table at i divided, rounded down, by B"),
        (
            "E = (1 - α^(γ+1)) / (1 - α)",
            "E equals (1 minus alpha to the power of (gamma plus 1)) over (1 minus alpha)",
        ),
        ("a <= b", "a at most b"),
    ],
)
def test_formulas_and_names(written: str, said: str) -> None:
    assert spoken_code(written) == said


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"x_i", "x i"),
        (r"\alpha^2 \cdot n", "alpha to the power of 2 times n"),
        (r"\frac{1}{1-\alpha}", "1 over (1- alpha)"),
        (r"\sqrt{n} \le 3", "the square root of n at most 3"),
    ],
)
def test_formulas_in_tex(tex: str, said: str) -> None:
    assert spoken_tex(tex) == said


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        (
            "It takes 4.5 ms. vLLM 0.33 is 2.1 times as fast.",
            ["It takes 4.5 ms. vLLM 0.33 is 2.1 times as fast."],
        ),
        ("Use blocks, e.g. Sixteen tokens. Then stop.", ["Use blocks, e.g. Sixteen tokens.", "Then stop."]),
        ('He said "no." And left.', ['He said "no."', "And left."]),
        ("No stop at the end", ["No stop at the end"]),
        ("  ", []),
    ],
)
def test_where_sentences_end(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(st.text(max_size=200))
def test_whatever_stands_there_the_sentences_cover_it_in_order(text: str) -> None:
    spans = list(sentences(text))
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    left = "".join(
        text[a:b] for a, b in zip([0, *(e for _, e in spans)], [*(s for s, _ in spans), None], strict=True)
    )
    assert left.strip() == ""


@given(st.text(max_size=200))
def test_nothing_written_is_an_error(text: str) -> None:
    assert isinstance(spoken(text), str)
    assert isinstance(spoken_code(text), str)
    assert isinstance(spoken_tex(text), str)
