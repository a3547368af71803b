"""The batch-invariant twins: the right numbers, and the same bits wherever a row stands and whoever stands beside it."""

from __future__ import annotations

import pytest
import torch
from ladder_kernels import batch_invariant
from ladder_kernels.dispatch import choose
from ladder_kernels.inputs import paged_batch, poisoned_memory, relative_error

CPU = torch.device("cpu")
TWINS, FIXED = choose(CPU), choose(CPU, batch_invariant=True)
WIDTHS = [(32, 64), (36, 52), (256, 1024), (704, 256), (576, 1536), (1000, 333), (1536, 77)]


def subsets(rows: int) -> list[list[int]]:
    """Each row alone at the front, all rows backwards, a few of them in the midst of a larger batch."""
    return [[0], [rows - 1], list(range(rows))[::-1], [5, 3, rows - 2, 9] * 9]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("inner", "out"), WIDTHS, ids=str)
def test_a_row_is_the_same_bits_wherever_it_stands(inner: int, out: int, threads: int) -> None:
    torch.set_num_threads(threads)
    generator = torch.Generator().manual_seed(inner)
    x = torch.randn(45, inner, generator=generator)
    residual, norm = torch.randn(45, inner, generator=generator), torch.randn(inner, generator=generator)
    weight, bias = torch.randn(out, inner, generator=generator), torch.randn(out, generator=generator)
    gate_up = torch.randn(45, 2 * out, generator=generator) * 4
    operations = {
        "linear": lambda rows: FIXED.linear(x[rows], weight, bias),
        "rms_norm": lambda rows: FIXED.rms_norm(x[rows], norm, 1e-5),
        "residual": lambda rows: FIXED.rms_norm(x[rows], norm, 1e-5, residual[rows])[0],
        "silu_mul": lambda rows: FIXED.silu_mul(gate_up[rows]),
    }
    for name, operation in operations.items():
        whole = operation(list(range(45)))
        for rows in subsets(45):
            assert torch.equal(operation(rows), whole[rows]), name
    assert (
        relative_error(operations["linear"](list(range(45))), x.double() @ weight.double().T + bias.double())
        < 1e-5
    )
    assert (
        relative_error(
            operations["rms_norm"](list(range(45))), TWINS.rms_norm(x.double(), norm.double(), 1e-5)
        )
        < 1e-5
    )
    assert relative_error(operations["silu_mul"](list(range(45))), TWINS.silu_mul(gate_up.double())) < 1e-5
    torch.set_num_threads(1)


def test_a_mixture_of_experts_is_the_same_bits_for_every_token() -> None:
    generator = torch.Generator().manual_seed(4)
    x, logits = torch.randn(40, 48, generator=generator), torch.randn(40, 5, generator=generator)
    gate_up, down = torch.randn(5, 72, 48, generator=generator), torch.randn(5, 48, 36, generator=generator)

    def layer(rows: list[int]) -> torch.Tensor:
        return FIXED.moe(x[rows], logits[rows], gate_up, down, 3, True)

    whole = layer(list(range(40)))
    reference = TWINS.moe(x.double(), logits, gate_up.double(), down.double(), 3, True)
    assert relative_error(whole, reference) < 1e-5
    for rows in subsets(40):
        assert torch.equal(layer(rows), whole[rows])


@pytest.mark.parametrize(("window", "threads"), [(None, 2), (19, 1)])
def test_attention_is_the_same_bits_alone_in_a_batch_and_in_chunks(window: int | None, threads: int) -> None:
    torch.set_num_threads(threads)
    lens, contexts = [1, 70, 1, 40, 3], [200, 130, 1, 40, 67]
    batch = paged_batch(
        lens, contexts, 6, 2, 40, torch.float32, CPU, **({"sliding_window": window} if window else {})
    )
    with poisoned_memory():
        whole = FIXED.paged_attention(*batch.arguments())
    assert relative_error(whole, TWINS.paged_attention(*batch.arguments(torch.float64))) < 1e-5
    starts = batch.cu_seqlens_q.tolist()
    for seq, (q_len, context) in enumerate(zip(lens, contexts, strict=True)):
        for first in range(0, q_len, 7):
            size = min(7, q_len - first)
            rows = slice(starts[seq] + first, starts[seq] + first + size)
            out = FIXED.paged_attention(
                batch.query[rows], batch.key_cache, batch.value_cache, batch.block_tables[seq : seq + 1],
                torch.tensor([0, size], dtype=torch.int32),
                torch.tensor([context - q_len + first + size], dtype=torch.int32), batch.scale, window,
            )  # fmt: skip
            assert torch.equal(out, whole[rows])
    torch.set_num_threads(1)


def test_nothing_to_do_is_done() -> None:
    assert FIXED.linear(torch.empty(0, 8), torch.ones(4, 8)).shape == (0, 4)
    assert batch_invariant.rms_norm_in_blocks(torch.empty(0, 8), torch.ones(8), 1e-5).shape == (0, 8)  # type: ignore[union-attr]
