"""What `aot` compiles: every kernel in the configurations that are launched, and the chips it is compiled for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ladder_kernels import (
    copy_blocks,
    filter_probs,
    logit_filters,
    moe_gemm,
    moe_route,
    paged_attention,
    quantised_kv,
    rms_norm,
    rope,
    sample,
    silu_mul,
    split_kv,
    store_kv,
    verify_draft,
)
from ladder_kernels.lang import next_power_of_2


@dataclass(frozen=True)
class Target:
    """A chip: Triton's backend and architecture, and the most shared memory a program may take, in bytes."""

    name: str
    backend: str
    arch: int | str
    warp_size: int
    max_shared: int


TARGETS = (
    Target("sm_80", "cuda", 80, 32, 163 << 10),
    Target("sm_90", "cuda", 90, 32, 227 << 10),
    Target("sm_100", "cuda", 100, 32, 227 << 10),
    Target("gfx942", "hip", "gfx942", 64, 64 << 10),
)


@dataclass(frozen=True)
class Case:
    """One kernel as one launch would compile it.

    `types` are the types of the arguments that are not constants, in order, as Triton's own compile tool writes them:
    `*fp16:16` is a pointer that is a multiple of 16 bytes.
    """

    name: str
    kernel: Any
    types: str
    constants: dict[str, Any]
    num_warps: int = 4
    num_stages: int = 3
    tensor_cores: bool = False


def cases(target: Target) -> Iterator[Case]:
    """Every kernel in the configurations that are launched on `target`, for Llama-3.1-8B's shapes where there is a choice."""
    row = {"HIDDEN": 4096, "BLOCK": 4096, "ROWS": 1}
    norm = "*fp16:16 *fp16:16 *fp16:16 *fp16:16 *fp16:16 i32:16 i32:16 i32 fp32"
    yield Case(
        "store_kv",
        store_kv.store_kv_kernel,
        "*fp16:16 *fp16:16 *fp16:16 *fp16:16 *i64:16 i32:16 i32:16 i32:16 i32:16",
        {"BLOCK_SIZE": 16, "ROW": 1024, "BLOCK": 1024},
    )
    yield Case(
        "copy_blocks",
        copy_blocks.copy_blocks_kernel,
        "*fp16:16 *fp16:16 *i64:16 i64:16 i64:16",
        {"BLOCK_NUMEL": 16384, "CHUNK": copy_blocks.CHUNK},
    )
    yield Case("rms_norm", rms_norm.rms_norm_kernel, norm, {**row, "HAS_RESIDUAL": False})
    yield Case("rms_norm + residual", rms_norm.rms_norm_kernel, norm, {**row, "HAS_RESIDUAL": True})
    heads = {"HIDDEN": 128, "BLOCK": 128, "ROWS": 16, "HAS_RESIDUAL": False}
    yield Case("rms_norm of heads", rms_norm.rms_norm_kernel, norm, heads)
    yield Case(
        "rope",
        rope.rope_kernel,
        "*fp16:16 *fp16:16 *fp16:16 *fp16:16 *i64:16 *fp32:16 i32:16 i32:16",
        {
            "Q_HEADS": 32,
            "KV_HEADS": 8,
            "HALF": 64,
            "BLOCK_HALF": 64,
            "BLOCK_Q_HEADS": 32,
            "BLOCK_KV_HEADS": 8,
        },
    )
    silu = {"INTERMEDIATE": 14336, "BLOCK": 2048}
    yield Case("silu_mul", silu_mul.silu_mul_kernel, "*fp16:16 *fp16:16", silu)
    yield from _attention(target)
    yield from _sampling()
    yield from _experts()
    yield from _quantised(target)


def _attention(target: Target) -> Iterator[Case]:
    hip = target.backend == "hip"
    for dtype, head_dim, group in (("fp16", 128, 4), ("fp16", 80, 7), ("fp32", 64, 1)):
        decode = split_kv.decode_plan(head_dim, 4 if dtype == "fp32" else 2, group, splits=8)
        yield attention_case(f"decode {dtype} d{head_dim} g{group}", dtype, dtype, head_dim, group, decode)
    for dtype, head_dim, group in (("bf16", 128, 4), ("fp16", 80, 7), ("fp32", 64, 1)):
        prefill = split_kv.prefill_plan(head_dim, 4 if dtype == "fp32" else 2, group, hip)
        yield attention_case(f"prefill {dtype} d{head_dim} g{group}", dtype, dtype, head_dim, group, prefill)
    one = split_kv.prefill_plan(128, 2, 4, hip)
    yield attention_case("prefill of one sequence", "fp16", "fp16", 128, 4, one, num_seqs=1)
    window = split_kv.prefill_plan(128, 2, 4, hip)
    yield attention_case("prefill window", "fp16", "fp16", 128, 4, window, WINDOW=True)
    invariant = split_kv.batch_invariant_plan(4, 4096)
    yield attention_case("batch-invariant", "fp16", "fp16", 128, 4, invariant)
    yield Case(
        "merge_splits",
        split_kv.merge_splits_kernel,
        "*fp16:16 *fp32:16 *fp32:16 i32",
        {"HEAD_DIM": 128, "BLOCK_D": 128, "CHUNK": split_kv.CHUNK},
    )


def attention_case(
    name: str, dtype: str, kv_dtype: str, head_dim: int, group: int, plan: split_kv.Plan, **constants: Any
) -> Case:
    """paged_attention under `plan`. An integer argument that is 1 becomes a constant, as it does in a real launch."""
    part, lse, half, kv = (
        ("*fp32:16" if plan.num_splits > 1 else f"*{dtype}:16"),
        "*fp32:16",
        f"*{dtype}:16",
        f"*{kv_dtype}:16",
    )
    types = {
        "pointers": f"{part} {lse} {half} {kv} {kv} *fp32:16 *fp32:16 *i32:16 *i32:16 *i32:16",
        "scale_log2e": "fp32",
        "num_seqs": "i32",
        "num_splits": "i32",
        "split_size and window": "i32 i32",
        "strides": "i32:16 i32 i32:16 i32:16 i32:16 i32:16",
    }
    if plan.num_splits == 1:
        constants["num_splits"] = 1
    return Case(
        f"paged_attention {name}",
        paged_attention.paged_attention_kernel,
        " ".join(text for argument, text in types.items() if argument not in constants),
        {
            "NUM_KV_HEADS": 8,
            "GROUP": group,
            "HEAD_DIM": head_dim,
            "BLOCK_D": max(16, next_power_of_2(head_dim)),
            "BLOCK_SIZE": 16,
            "BLOCK_M": plan.block_m,
            "TILE_N": plan.tile_n,
            "SPLIT": plan.num_splits > 1,
            "WINDOW": False,
            "QUANTISED": False,
            "UPCAST": False,
            **constants,
        },
        plan.num_warps,
        plan.num_stages,
        tensor_cores=dtype != "fp32",
    )


def _sampling() -> Iterator[Case]:
    vocab = {"VOCAB": 128256, "BLOCK": logit_filters.TILE}
    rows = "*i64:16 *fp32:16 *fp32:16 *i32:16 *fp32:16 *fp32:16 *i64:16 *i64:16 i32:16"
    yield Case("sample", sample.sample_kernel, rows, {"STREAM": 0, **vocab}, num_warps=8)
    rows = "*fp32:16 *fp32:16 *fp32:16 *i32:16 *fp32:16 *fp32:16 i32:16"
    yield Case("filter_probs", filter_probs.filter_probs_kernel, rows, vocab, num_warps=8)
    verify = "*i64:16 *i32:16 *fp32:16 *fp32:16 *i64:16 *i32:16 *i64:16 *i64:16"
    for has_draft in (True, False):
        constants = {"MAX_DRAFTS": 4, "VOCAB": 128256, "BLOCK": verify_draft.TILE, "HAS_DRAFT": has_draft}
        name = "verify_draft" if has_draft else "verify_draft of named tokens"
        yield Case(name, verify_draft.verify_draft_kernel, verify, constants)


def _experts() -> Iterator[Case]:
    route = {"TOP_K": 8, "EXPERTS": 128, "BLOCK_E": 128, "ROWS": 8, "RENORMALISE": True}
    yield Case("moe_route", moe_route.moe_route_kernel, "*fp32:16 *i32:16 *fp16:16 i32", route)
    yield Case("moe_count", moe_route.moe_count_kernel, "*i32:16 *i32:16 i32", {"BLOCK": 1024})
    align = {"EXPERTS": 128, "BLOCK_E": 128, "BLOCK_M": 16, "BLOCK": 1024}
    yield Case("moe_align", moe_route.moe_align_kernel, "*i32:16 *i32:16 *i32:16 *i32:16 i32", align)
    for dtype, block_m in (("fp16", 16), ("bf16", 64), ("fp32", 16)):
        block_n, block_k = moe_gemm.gemm_tile(4 if dtype == "fp32" else 2)
        yield Case(
            f"moe_gemm {dtype} m{block_m}",
            moe_gemm.moe_gemm_kernel,
            f"*{dtype}:16 *{dtype}:16 *{dtype}:16 *i32:16 *i32:16 i32:16",
            {
                "PAIRS_PER_ROW": 8,
                "OUT": 1536,
                "IN": 2048,
                "BLOCK_M": block_m,
                "BLOCK_N": block_n,
                "BLOCK_K": block_k,
                "UPCAST": False,
            },
            tensor_cores=dtype != "fp32",
        )
    combine = {"TOP_K": 8, "HIDDEN": 2048, "BLOCK": 1024}
    yield Case("moe_combine", moe_gemm.moe_combine_kernel, "*fp16:16 *fp16:16 *fp32:16", combine)


def _quantised(target: Target) -> Iterator[Case]:
    block = {"BLOCK_SIZE": 16, "KV_HEADS": 8, "HEAD_DIM": 128, "BLOCK_D": 128, "BLOCK_R": 16}
    for dtype, largest in (("i8", 127.0), ("fp8e4nv", 448.0)):
        if dtype == "fp8e4nv" and target.arch not in (
            90,
            100,
        ):  # e4m3 needs the converters of sm_89 and later
            continue
        yield Case(
            f"store_kv_quantised {dtype}",
            quantised_kv.store_kv_quantised_kernel,
            f"*fp16:16 *fp16:16 *{dtype}:16 *{dtype}:16 *fp32:16 *fp32:16 *i64:16 i32 i32:16 i32:16",
            {**block, "LARGEST": largest, "INTEGER": dtype == "i8"},
        )
        decode = split_kv.decode_plan(128, 2, 4, splits=8, quantised=True)
        yield attention_case(f"decode {dtype} cache", "fp16", dtype, 128, 4, decode, QUANTISED=True)
