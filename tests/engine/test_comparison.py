"""What a comparison says, over engines without a model whose two runs are known to differ in one thing."""

from __future__ import annotations

from typing import Any

import msgspec
from ladder_engine.config import EngineConfig
from ladder_engine.lab.comparison import Side, changed_fields, differences, explain
from ladder_engine.lab.measures import MEASURES
from ladder_engine.lab.mechanisms import BY_FIELD, MECHANISMS, NOT_A_MECHANISM

from tests.engine.bench import Bench


def side(name: str, shared: int = 0, lengths: tuple[int, ...] = (6,) * 6, **settings: Any) -> Side:
    """Six requests of thirteen prompt tokens, of which the first `shared` are the same."""
    bench = Bench(**settings)
    for length in lengths:
        bench.add(13, length, shared=shared)
    bench.run()
    bench.check_fold()
    return Side(name, bench.config, bench.state)


def test_the_mechanism_is_named_with_the_counter_that_shows_it_and_what_followed() -> None:
    settings = {"max_num_batched_tokens": 16, "block_size": 4}
    left, right = (side(str(on), 12, prefix_caching=on, **settings) for on in (False, True))
    rows = {row.measure.name: row for row in differences(left, right)}
    found = rows["cached_tokens"]
    assert (found.left, found.change_words) == (0, f"+{found.right:.0f}")
    computed = rows["computed_tokens"]
    assert computed.left is not None
    assert computed.right is not None
    assert computed.left - computed.right == found.right
    assert computed.gain is True
    sentence = explain(left, right)
    assert sentence.startswith(
        f"Prefix caching made the difference: prompt tokens found in the prefix cache went from 0 to {found.right:.0f} "
        f"and tokens computed went from {computed.left:.0f} to {computed.right:.0f}"
    )
    assert sentence.endswith(".")


def test_a_mechanism_that_did_not_act_is_said_to_make_no_difference() -> None:
    left, right = (side(str(on), prefix_caching=on) for on in (False, True))
    assert explain(left, right) == (
        "Prefix caching made no difference here: prompt tokens found in the prefix cache stayed at 0 tokens."
    )


def test_two_changes_at_once_name_no_mechanism() -> None:
    left = side("a", 12)
    right = side("b", 12, prefix_caching=True, max_num_seqs=1)
    assert explain(left, right).startswith(
        "The cap on running requests and Prefix caching differ, so no single mechanism can be named"
    )


def test_equal_settings_are_said_to_be_equal() -> None:
    left, right = side("a"), side("b")
    assert changed_fields(left.config, right.config) == []
    assert "the same settings" in explain(left, right)
    assert not [row for row in differences(left, right) if row.measure.exact and row.matters]


def test_a_gain_and_its_price_are_both_said() -> None:
    left, right = side("four", max_num_seqs=4), side("one", max_num_seqs=1)
    rows = {row.measure.name: row for row in differences(left, right)}
    assert rows["steps"].gain is False
    assert rows["kv_peak"].gain is True
    sentence = explain(left, right)
    assert sentence.startswith(
        "The cap on running requests made the difference: requests in a step, most went from 4 to 1"
    )
    assert "longest wait before entering went from" in sentence


def test_static_batching_takes_more_steps_for_the_same_answers() -> None:
    lengths = (2, 14, 3, 3, 12, 2)
    left, right = (
        side(how, lengths=lengths, batching=how, max_num_seqs=2) for how in ("static", "continuous")
    )
    sentence = explain(left, right)
    assert sentence.startswith("Continuous batching made the difference: requests in a step, mean went from ")
    assert "steps until all is done went from" in sentence
    rows = {row.measure.name: row for row in differences(left, right)}
    assert rows["steps"].gain is True
    assert rows["answer_tokens"].change_words == "same"


def test_every_setting_belongs_to_a_mechanism_and_every_mechanism_measures_what_there_is() -> None:
    fields = {field.name for field in msgspec.structs.fields(EngineConfig)}
    assert fields == BY_FIELD.keys() | set(NOT_A_MECHANISM)
    assert {name for one in MECHANISMS for name in (*one.causes, *one.effects)} <= MEASURES.keys()
