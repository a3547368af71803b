"""What the draft is worth: how many of its tokens the bundled model accepts on the questions of the cards.

    python -m ladder_engine.training.acceptance corpus.txt MODELS_DIR

`make models` runs it last. Every card of the corpus is asked, greedily, apart for those whose text the draft was trained
on and those it has never seen, and what was counted is added to the draft's training.json.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from ladder_engine.lab.runner import run_scenario
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.summary import summarize
from ladder_engine.training.train import RECIPES, split_documents

DRAFT = RECIPES[-1]
NUM_SPECULATIVE_TOKENS = 4
MAX_TOKENS = 32


def questions(corpus: str, *, seen: bool) -> list[str]:
    """Return the prompts of the cards that the draft has read, or of those it has not."""
    stride = round(1 / DRAFT.share)
    return [
        document.partition("\nA:")[0] + "\nA:"
        for index, document in enumerate(split_documents(corpus))
        if document.startswith("Q:") and (index % stride == 0) == seen
    ]


def measure(prompts: Sequence[str]) -> dict[str, Any]:
    """Ask the bundled model with its draft, and count as vLLM counts."""
    scenario = {
        "id": "acceptance",
        "title": "Acceptance",
        "story": "Every card is asked once.",
        "look_at": [],
        "engine": {
            "num_blocks": 512,
            "max_num_seqs": 8,
            "max_num_batched_tokens": 256,
            "max_model_len": 512,
            "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
            "draft_model": DRAFT.name,
        },
        "requests": [
            {"name": f"card {number}", "prompt": prompt, "max_tokens": MAX_TOKENS}
            for number, prompt in enumerate(prompts)
        ],
    }
    events: list[AnyEvent] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "acceptance.yaml"
        path.write_text(yaml.safe_dump(scenario), "utf-8")
        run_scenario(path, events.extend, "torch")
    summary = summarize(events)
    return {
        "cards": len(prompts),
        "num_drafts": summary.num_drafts,
        "num_draft_tokens": summary.num_draft_tokens,
        "num_accepted_tokens": summary.num_accepted_tokens,
        "accepted_per_pos": list(summary.accepted_per_pos),
        "acceptance_rate": round(summary.num_accepted_tokens / summary.num_draft_tokens, 3),
        "tokens_per_draft": round(1 + summary.num_accepted_tokens / summary.num_drafts, 2),
    }


def main(corpus_path: str, models_dir: str) -> None:
    """Measure both halves and add them to the draft's record."""
    corpus = Path(corpus_path).read_text("utf-8")
    record_path = Path(models_dir) / DRAFT.name / "training.json"
    record = json.loads(record_path.read_text("utf-8"))
    record["acceptance"] = {
        "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
        "max_tokens": MAX_TOKENS,
        "cards it has read": measure(questions(corpus, seen=True)),
        "cards it has not read": measure(questions(corpus, seen=False)),
    }
    record_path.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    print(json.dumps(record["acceptance"], indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
