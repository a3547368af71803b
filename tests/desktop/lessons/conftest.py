"""A small pack with everything a lesson can hold, and the themes it is shown in."""

from __future__ import annotations

import pytest
from ladder_content.model import Card, Edge, Fact, Map, Node, Pack, Reference, Section, Snippet, Study, Vector
from ladder_desktop.theme import Theme, load_theme

FACTS = (
    Fact(
        id="F1.09",
        statement="A matrix multiply over T rows is compute-bound only once T reaches peak / bandwidth: 295 on an H100.",
        source="Data sheet, https://example.org/h100",
        as_of="2026-11-30",
        formula="989e12 / 3.35e12",
        value=295.2,
        unit="FLOP/B",
    ),
    Fact(
        id="F1.14",
        statement="Prefill of 8,192 tokens takes 284 ms.",
        source="calculated",
        as_of="2026-11-30",
    ),
    Fact(id="F1.19", statement="Two all-reduces a layer a step.", source="Megatron-LM", as_of="2026-11-30"),
)

DIAGNOSIS = """\
A candidate who names a product before the bottleneck has answered a different question. Write the **shape** of the
traffic first, and let the shape name the bound.

> **Prefer.** Name the binding mechanism, then the product. Prefill, decode bandwidth, prefix reuse, speculation and
> collectives are different knobs.

### Signs

- Long cold prompts point at prefill capacity, chunking or a split.
- Many short generations point at KV packing; a multiply turns compute-bound at 295 rows [F1.09].
- Shared system prompts point at prefix reuse, see the [ladder](map:ladder/paging).
"""

LADDER = """\
| Mechanism | What it buys | Prefill, ms |
|---|---|---|
| KV cache | Attention reads the past instead of computing it again, so a step costs one token and not the whole prompt | 284 [F1.14] |
| Paging | Blocks of fixed size; no slot reserved for a length nobody reaches | 64 |
| Continuous batching | A finished sequence leaves at once, and a waiting one takes its place | 6 |

Little's law as a gate, before any tuning:

```python
def running(rate: float, ttft: float, tokens: int, tpot: float) -> float:
    # requests in flight = arrival rate x time in the system
    return rate * (ttft + tokens * tpot)
```

Set `max_num_seqs` below what the pool can hold. Two all-reduces a layer [F1.19, F1.14] are not free.
"""


def node(node_id: str, label: str, lane: int, order: int, mechanism: str | None = None) -> Node:
    return Node(
        id=node_id,
        label=label,
        why=f"{label} exists because something was scarce [F1.09].",
        lane=lane,
        order=order,
        mechanism=mechanism,
    )


def edge(source: str, target: str, label: str) -> Edge:
    return Edge(
        source=source,
        target=target,
        label=label,
        protocol="in process",
        direction=f"{source} to {target}",
        effect=f"{label} reaches its reader.",
        consequence="Without it the next step waits.",
    )


ARCHITECTURE = Map(
    id="ladder",
    title="The runtime ladder",
    kind="architecture",
    summary="Each rung exists because the one below it ran out of something.",
    nodes=(
        node("core", "Autoregressive core", 0, 0, "decode"),
        node("cache", "KV cache", 0, 1, "kv_owned"),
        node("paging", "PagedAttention: block tables and a pool of fixed-size blocks", 1, 0, "kv_owned"),
        node("batching", "Continuous batching", 1, 1, "scheduler"),
        node("prefix", "Prefix / radix cache", 1, 2, "kv_cached"),
        node("spec", "Speculative decode", 2, 0, "draft_accepted"),
        node("tp", "Serving tensor parallel", 2, 1, "collective"),
        node("split", "Prefill/decode split", 2, 2, "kv_transfer"),
    ),
    edges=(
        edge("core", "cache", "keys and values"),
        edge("cache", "paging", "slots by block"),
        edge("paging", "batching", "free blocks"),
        edge("batching", "paging", "blocks granted"),
        edge("batching", "prefix", "block hashes"),
        edge("paging", "spec", "draft slots"),
        edge("batching", "tp", "one batch, many ranks"),
        edge("prefix", "split", "blocks that move between engines"),
        edge("core", "split", "prompt pass apart from decode"),
        edge("tp", "core", "all-reduce each layer"),
    ),
)

_STEPS = (
    "Short chats feel slow",
    "Read as a tensor-parallel problem",
    "A tiny model sharded eight ways",
    "All-reduce outweighs compute",
    "TTFT gets worse",
    "Page the KV instead",
    "Pack decode-bound requests",
    "Higher throughput at the same TTFT",
)
FLOW = Map(
    id="wrong",
    title="The wrong bottleneck",
    kind="flow",
    summary="How a fragmentation problem becomes an all-reduce problem, and the way back.",
    nodes=tuple(
        node(f"s{i}", text, i // 4, i % 4, "collective" if i in (2, 3, 4) else None)
        for i, text in enumerate(_STEPS)
    ),
    edges=tuple(edge(f"s{i}", f"s{i + 1}", "then") for i in range(len(_STEPS) - 1)),
)


def card(number: int, question: str) -> Card:
    return Card(
        id=f"card-{number}",
        question=question,
        answer="A decode step reads every weight once for each token it makes [F1.09]; **bandwidth** sets the floor.",
        key_points=("Weights are read once a step", "Batching shares the read", "KV reads grow with context"),
        follow_up="Where does this stop being true?",
        difficulty=2,
        tags=("decode", "roofline"),
        facts=("F1.09",),
    )


KV_CODE = '''\
def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, dtype_bytes: int = 2) -> int:
    """Keys and values of one token in every layer."""
    return 2 * layers * kv_heads * head_dim * dtype_bytes


for name, shape in {"8B": (32, 8, 128), "70B": (80, 8, 128)}.items():
    size = kv_bytes_per_token(*shape)
    print(f"{name:>4}: {size:>8,} B a token, {size * 8192 / 2**30:.2f} GiB at 8k")  # fp16
'''

SNIPPETS = (
    Snippet(
        id="kv-bytes",
        title="Bytes of KV a token",
        explanation="Every token leaves a key and a value in each layer. Change `dtype_bytes` to 1 and see what fp8 "
        "buys; the ridge is at 295 FLOP/B [F1.09].",
        code=KV_CODE,
        vectors=(
            Vector(call="kv_bytes_per_token(32, 8, 128)", expected=131072),
            Vector(call="kv_bytes_per_token(80, 8, 128) / 1024", expected=320.0, tolerance=0.01),
            Vector(call="kv_bytes_per_token(32, 8, 128, 1)", expected=65536),
        ),
    ),
    Snippet(
        id="classifier",
        title="Which bound? The first rule that matches",
        explanation="The order of the rules is the lesson.",
        code="def bound(prompt: int) -> str:\n    return 'prefill' if prompt > 2048 else 'decode'\n\n\nprint(bound(8192))\n",
        vectors=(Vector(call="bound(10)", expected="decode"),),
    ),
)

STUDY = Study(
    id="hub",
    title="Diagnose before you name a product",
    number=1,
    summary="The ladder of mechanisms beneath every serving product, and how to find the rung that binds.",
    sections=(
        Section(id="diagnosing", title="What are you diagnosing?", body=DIAGNOSIS),
        Section(id="ladder", title="The ladder", body=LADDER),
        Section(
            id="elsewhere",
            title="Deliberately taught elsewhere",
            body="Training topology, quantisation. " * 40,
        ),
    ),
    maps=(ARCHITECTURE, FLOW),
    cards=(
        card(1, "Why is decode often bandwidth-bound while prefill is compute-bound?"),
        card(2, "How does paging relate to continuous batching?"),
        card(
            3, "Eight-way TP made a 7B chat service worse. Why, and what would you measure first to prove it?"
        ),
    ),
    tickets=(),
    references=(
        Reference(
            id="paged",
            title="PagedAttention",
            url="https://arxiv.org/abs/2309.06180",
            reason="Where it began.",
        ),
        Reference(
            id="bad", title="Not a web address", url="file:///etc/passwd", reason="Must not be a link."
        ),
    ),
    snippets=SNIPPETS,
)

PACK = Pack(
    id="sample",
    title="Sample",
    version="1",
    language="en",
    licence="CC0-1.0",
    studies=(STUDY,),
    facts=FACTS,
)


@pytest.fixture
def pack() -> Pack:
    return PACK


@pytest.fixture
def study() -> Study:
    return STUDY


@pytest.fixture
def theme() -> Theme:
    return load_theme("light")
