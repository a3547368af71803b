"""Every bundled scenario, run: what its story, its prediction and its comparison claim is what happens.

Who advances when does not depend on what the model says while `ignore_eos` gives each answer its length, so those without
drafts run over an executor that says anything at all, in milliseconds. Those with drafts run on the bundled model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from ladder_engine.batch import Batch
from ladder_engine.engine import Engine
from ladder_engine.lab.comparison import Side, explain
from ladder_engine.lab.measures import MEASURES
from ladder_engine.lab.runner import _drive, run_scenario
from ladder_engine.lab.scenario import Scenario, bundled_scenarios, check_fits, with_variant
from ladder_engine.models import find_model
from ladder_engine.sequence import Output
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import SCHEMA, AnyEvent, RunStarted
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.recorder import Recorder

SCENARIOS = {scenario.id: scenario for scenario in bundled_scenarios()}
WITH_DRAFTS = ("quoting", "creative", "draft-model", "stranger", "full-batch", "draft-length")
CLOSED = [name for name, scenario in SCENARIOS.items() if not scenario.stays_open]


class AnyTokens:
    """Says tokens of no meaning."""

    def execute(self, batch: Batch) -> list[list[Output]]:
        return [
            [Output(300 + (work.seq.seq_id * 7 + work.seq.num_tokens) % 500)]
            for work in batch.works
            if work.samples
        ]


@cache
def run(scenario_id: str, variant: str) -> Side:
    scenario = with_variant(SCENARIOS[scenario_id], variant)
    events: list[AnyEvent] = []
    if scenario_id in WITH_DRAFTS:
        run_scenario(scenario.path, events.extend, "torch", variant=variant)
        return Side(variant, scenario.engine, fold(events))
    config, tokenizer = scenario.engine, tokens()
    check_fits(scenario, lambda text: len(tokenizer.encode(text)))
    recorder = Recorder(events.extend)
    recorder.add(RunStarted, schema=SCHEMA, scenario=scenario.id, model="m", kernels="k", device="d",
                 num_blocks=config.num_blocks, block_size=config.block_size, max_num_seqs=config.max_num_seqs,
                 max_num_batched_tokens=config.max_num_batched_tokens, max_model_len=config.max_model_len,
                 kv_bytes_per_token=1, engine=config, prefix_caching=config.prefix_caching, variant=variant)  # fmt: skip
    engine = Engine(config, AnyTokens(), tokenizer, (), recorder)
    _drive(engine, scenario, lambda engine: engine.has_work)
    return Side(variant, config, fold(events))


@cache
def tokens() -> Tokenizer:
    return Tokenizer.load(find_model("ladder-3m"))


def both(scenario_id: str) -> tuple[Side, Side]:
    left, right = SCENARIOS[scenario_id].variant_names[:2]
    return run(scenario_id, left), run(scenario_id, right)


def of(side: Side, name: str, who: str = "") -> float:
    value = MEASURES[name].read(side.state, who)
    assert value is not None
    return value


def test_there_is_one_for_each_mechanism_and_each_has_a_story_that_can_be_checked() -> None:
    assert len(SCENARIOS) >= 16
    for scenario in SCENARIOS.values():
        assert scenario.look_at
        assert scenario.stays_open or scenario.shows
        assert scenario.id == scenario.path.stem[3:]
        assert scenario.id in ("short-chats", "your-own") or scenario.prediction


@pytest.mark.parametrize("name", CLOSED)
def test_every_variant_runs_to_its_end_in_a_length_one_can_watch(name: str) -> None:
    for variant in SCENARIOS[name].variant_names:
        side = run(name, variant)
        assert 20 <= len(side.state.steps) <= 240
        for seq in side.state.sequences.values():
            assert seq.status == "finished" or (name == "queue-bound" and seq.status == "refused")


@pytest.mark.parametrize("name", [name for name in CLOSED if SCENARIOS[name].prediction])
def test_every_prediction_can_be_scored_and_its_right_answer_scores_right(name: str) -> None:
    scenario: Scenario = SCENARIOS[name]
    asked = scenario.prediction
    assert asked is not None
    needed = asked.variants(scenario.variant_names[0])
    value = asked.measured(
        {variant: run(name, variant).state for variant in needed}, scenario.variant_names[0]
    )
    assert MEASURES[asked.measure].exact, "a clock is no fair judge of a guess"
    if asked.kind == "number":
        assert asked.score(value, value).right
    else:
        right = [asked.score(place, value).right for place in range(len(asked.options))]
        assert right.count(True) == 1


CLAIMS: dict[str, tuple[str, Callable[[Side, Side], bool]]] = {
    "long-prompt": ("The token budget made", lambda small, large: of(small, "ttft_steps_max", "the long report") > 8
                    and of(large, "ttft_steps_max", "the long report") == 1
                    and of(large, "step_tokens_max") > 10 * of(small, "step_tokens_max")),
    "more-than-fits": ("The size of the block pool made", lambda less, more: of(less, "preemptions") > of(more, "preemptions")
                       and of(less, "recomputed_tokens") > 200),
    "shared-prompt": ("Prefix caching made", lambda on, off: 40 < of(on, "cached_share") < 60
                      and of(on, "computed_tokens") + of(on, "cached_tokens") <= of(off, "computed_tokens")),
    "closed-door": ("Continuous batching made", lambda static, cont: of(cont, "steps") < 0.6 * of(static, "steps")
                    and of(cont, "computed_tokens") == of(static, "computed_tokens")),
    "slabs": ("Paging made", lambda slabs, pages: of(slabs, "batch_max") == 3 and of(pages, "batch_max") == 12
              and of(slabs, "kv_peak") == 100 and of(slabs, "kv_filled") < 25 < of(pages, "kv_filled")),
    "the-clock": ("Prefix caching made no difference", lambda off, on: of(on, "cached_tokens") == 0
                  and of(on, "steps") == of(off, "steps") and any(s.num_cached_blocks for s in on.state.steps)),
    "coarse-blocks": ("The block size made", lambda fine, coarse: of(coarse, "cached_tokens") == 0
                      and of(fine, "cached_tokens") > 500 and of(coarse, "evicted_blocks") == 0),
    "tiny-budget": ("The token budget made", lambda large, small: of(large, "ttft_steps_max", "the report") == 1
                    and 10 < of(small, "ttft_steps_max", "the report") < 31 and of(small, "step_tokens_max") <= 16),
    "one-tenant": ("The order of admission made", lambda fcfs, fair: of(fcfs, "ttft_steps_max", "B") > 70
                   and of(fair, "ttft_steps_p50", "B") < 20 and of(fcfs, "steps") == of(fair, "steps")),
    "idle-cap": ("The cap on running requests made", lambda low, high: of(high, "steps") < 0.25 * of(low, "steps")
                 and of(low, "kv_peak") < 15 and of(low, "batch_max") == 4),
    "head-of-line": ("The order of admission made", lambda fcfs, prio: of(fcfs, "ttft_steps_max", "late") > 15
                     and of(prio, "ttft_steps_p50", "late") == 1),
    "thrash": ("The cap on running requests made", lambda many, few: of(many, "preemptions") > 5
               and of(few, "preemptions") == 0 and of(many, "gap_steps_max") > 20 and of(few, "gap_steps_max") == 1
               and of(many, "steps") < of(few, "steps")),
    "quoting": ("Speculation made", lambda none, drafts: of(drafts, "steps") < 0.5 * of(none, "steps")
                and of(drafts, "accepted_share") > 60 and texts(none) == texts(drafts)),
    "creative": ("Speculation made", lambda none, drafts: of(drafts, "steps") > 0.67 * of(none, "steps")
                 and of(drafts, "accepted_share") < 75 and texts(none) == texts(drafts)),
    "draft-model": ("Speculation made", lambda none, drafts: of(drafts, "steps") < 0.4 * of(none, "steps")
                    and of(drafts, "accepted_share") > 55 and texts(none) == texts(drafts)),
    "stranger": ("Speculation made", lambda none, drafts: of(drafts, "steps") > 0.7 * of(none, "steps")
                 and of(drafts, "accepted_share") < 15 and of(drafts, "computed_tokens") > 2 * of(none, "computed_tokens")
                 and texts(none) == texts(drafts)),
    "full-batch": ("Speculation made", lambda none, drafts: 0.6 < of(drafts, "steps") / of(none, "steps") < 0.8
                   and of(drafts, "budget_used") > 85 and of(none, "budget_used") < 65
                   and of(drafts, "accepted_share") > 55 and texts(none) == texts(drafts)),
    "draft-length": ("Speculation made", lambda one, five: of(five, "accepted_share") < of(one, "accepted_share") - 10
                     and of(five, "tokens_per_draft") > 1.5 * of(one, "tokens_per_draft")
                     and of(five, "steps") < 0.7 * of(one, "steps") and texts(one) == texts(five)),
    "swap": ("Swapping to host memory made", lambda drop, swap: of(drop, "recomputed_tokens") > 150
             and of(swap, "recomputed_tokens") == 0 and of(swap, "preemptions") > 3
             and of(swap, "gap_steps_max") > 20 and texts(drop) == texts(swap)),
    "prefill-first": ("The composition of steps made", lambda first, mixed: 2 <= of(first, "gap_steps_max") <= 10
                      and of(mixed, "gap_steps_max") == 1
                      and abs(of(first, "ttft_steps_max") - of(mixed, "ttft_steps_max")) < 4),
    "queue-bound": ("The limit on who may wait made", lambda none, bound: of(bound, "refused") == 10
                    and of(bound, "ttft_steps_max") < 0.4 * of(none, "ttft_steps_max")),
    "batch-before-chat": ("The order of admission made", lambda fcfs, prio:
                          of(prio, "ttft_steps_p50", "person") < 0.2 * of(fcfs, "ttft_steps_p50", "person")
                          and of(prio, "finished", "job") == 12),
}  # fmt: skip


def texts(side: Side) -> list[str]:
    return [seq.text for seq in side.state.sequences.values()]


def test_every_scenario_with_variants_has_a_claim_that_is_checked() -> None:
    assert CLAIMS.keys() == {name for name, scenario in SCENARIOS.items() if scenario.variants}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_the_story_claims_is_what_happens_and_the_comparison_names_the_mechanism(name: str) -> None:
    sentence, holds = CLAIMS[name]
    left, right = both(name)
    assert explain(left, right).startswith(sentence)
    assert holds(left, right)
