"""The figures at the playhead, each measured in this run, as the texts beside the panels' names. No Qt."""

from __future__ import annotations

from ladder_engine.tracing.state import RunState

from ladder_desktop.live.words import seconds


def pool_figures(state: RunState) -> str:
    """Say how much of the pool is in use: "107 of 128 owned, 83 %"; where blocks are cached, how many instead of the share."""
    total = len(state.block_owner)
    used = total - state.num_free_blocks
    if not total:
        return ""
    caches = state.config is not None and state.config.prefix_caching
    rest = f"{len(state.cached_block_ids)} cached" if caches else f"{100 * used // total} %"
    return f"{used} of {total} owned, {rest}"


def queue_figures(state: RunState) -> str:
    """Say how many run, wait, and have been preempted so far."""
    if state.config is None:
        return ""
    return f"{len(state.running)} running, {len(state.waiting)} waiting, {state.num_preemptions} preemptions"


def pace_figures(state: RunState) -> str:
    """Say how long the step took, and how many tokens a second were said lately."""
    if not state.steps:
        return ""
    step, rate = state.steps[-1], tokens_per_second(state)
    took = seconds(step.schedule_s + step.execute_s + step.commit_s)
    return f"{took} a step" + ("" if rate is None else f", {rate:.0f} tokens/s")


def tokens_per_second(state: RunState, window: float = 1.0) -> float | None:
    """Return the tokens said a second in the last `window` seconds of engine time; None before there are two steps."""
    end = state.steps[-1].time
    said, begin = 0, end
    for step in reversed(state.steps):
        begin = step.time
        if end - begin >= window:
            break
        said += step.num_sampled
    else:
        said -= state.steps[0].num_sampled  # where its step began is not known
    return said / (end - begin) if end > begin else None
