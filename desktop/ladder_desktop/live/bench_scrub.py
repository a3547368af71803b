"""Measure how soon any step of a long recording is on screen: `python -m ladder_desktop.live.bench_scrub [steps | hour]`.

Makes up a run of that many steps (100,000 unless said otherwise) in which eight requests decode at once, takes it in as if
the engine had said it, then jumps to steps all over it, and paints each. Prints times, and the most memory the process had.
With `hour` there are as many steps as the bundled model makes in an hour, at the rate that it is measured at first.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from ladder_engine.config import EngineConfig
from ladder_engine.lab.scenario import find_scenario
from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing import events as trace
from PySide6.QtWidgets import QApplication

from ladder_desktop import theme as themes
from ladder_desktop.live.bench import report
from ladder_desktop.live.live_page import LivePage

AT_ONCE, ANSWER, BLOCK, JUMPS = 8, 64, 16, 200


def made_up_run(steps: int) -> Iterator[list[trace.AnyEvent]]:
    """The events of each step: eight requests, each a prompt of 16 tokens and an answer of 64, one after another."""
    config = EngineConfig(num_blocks=256, max_num_seqs=AT_ONCE, max_num_batched_tokens=256, max_model_len=256)
    yield [trace.RunStarted(
        step=0, time=0.0, schema=trace.SCHEMA, scenario="made-up", model="none", kernels="none", device="none",
        num_blocks=256, block_size=BLOCK, max_num_seqs=AT_ONCE, max_num_batched_tokens=256, max_model_len=256,
        kv_bytes_per_token=1, engine=config)]  # fmt: skip
    computed: dict[int, int] = {}
    names = 0
    free = list(range(256))
    tables: dict[int, list[int]] = {}
    for step in range(1, steps + 1):
        at: dict[str, Any] = {"step": step, "time": step * 0.01}
        events: list[trace.AnyEvent] = []
        while len(computed) < AT_ONCE and (names < AT_ONCE or step % 8 == names % 8):
            seq = names
            names += 1
            computed[seq], tables[seq] = 0, []
            events.append(trace.Arrived(**at, seq_id=seq, name=f"chat {seq}", prompt="What binds, and how do you know?",
                                        num_prompt_tokens=BLOCK, max_tokens=ANSWER))  # fmt: skip
            events.append(trace.Admitted(**at, seq_id=seq))
        for seq, done in computed.items():
            count = BLOCK if not done else 1
            if done + count > len(tables[seq]) * BLOCK:
                tables[seq].append(free.pop())
                events.append(trace.BlocksAllocated(**at, seq_id=seq, block_ids=(tables[seq][-1],)))
            kind: trace.WorkKind = "decode" if done else "prefill"
            events.append(trace.Scheduled(**at, seq_id=seq, start=done, num_tokens=count, kind=kind))
        for seq in list(computed):
            computed[seq] += 1 if computed[seq] else BLOCK
            events.append(trace.Sampled(**at, seq_id=seq, token_id=1, text=" word"))
            if computed[seq] == BLOCK + ANSWER - 1:
                events.append(trace.BlocksFreed(**at, seq_id=seq, block_ids=tuple(tables[seq])))
                events.append(trace.Finished(**at, seq_id=seq, reason="length"))
                free += tables.pop(seq)
                del computed[seq]
        events.append(trace.StepTimed(**at, schedule_s=0.001, execute_s=0.007, commit_s=0.001,
                                      num_running=len(computed), num_waiting=0, num_free_blocks=len(free)))  # fmt: skip
        yield events


def steps_an_hour() -> int:
    """How many steps the bundled model makes in an hour with eight short chats at once: measured here, in its process."""
    client = EngineClient()
    client.run(find_scenario("short-chats"))
    timed: list[trace.StepTimed] = []
    while client.starting or client.running:
        timed += [event for event in client.poll() if isinstance(event, trace.StepTimed)]
        time.sleep(0.01)
    timed += [event for event in client.poll() if isinstance(event, trace.StepTimed)]
    client.close()
    rate = len(timed) / sum(event.schedule_s + event.execute_s + event.commit_s for event in timed)
    print(f"The bundled model makes {rate:.0f} steps a second here, {3600 * rate:,.0f} an hour.")
    return int(3600 * rate)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    steps = steps_an_hour() if arguments == ["hour"] else int(arguments[0]) if arguments else 100_000
    app = QApplication.instance() or QApplication(sys.argv[:1])
    theme = themes.load_theme("light")
    assert isinstance(app, QApplication)
    themes.apply(app, theme)
    page = LivePage([], theme)
    page.resize(1280, 800)
    page.show()
    began = time.perf_counter()
    for events in made_up_run(steps):
        page.player.feed(events)
    took = time.perf_counter() - began
    recording = page.player.recording
    print(
        f"A recording of {recording.last:,} steps, {recording.num_events:,} events, {len(recording.edge.sequences):,} requests: "
        f"taken in within {took:.0f} s, {recording.bytes_on_disk / 2**20:.0f} MiB on disk, {_memory():.0f} MiB in memory"
    )
    times: list[float] = []
    work: list[float] = []
    chance = random.Random(1)
    for _ in range(JUMPS):
        position = chance.randint(0, recording.last)
        began, busy = time.perf_counter(), time.thread_time()
        page.seek(position)
        app.processEvents()
        work.append((time.thread_time() - busy) * 1000)
        times.append((time.perf_counter() - began) * 1000)
    print(f"{'milliseconds':38}{'jumps':>8}{'p50':>8}{'p99':>8}{'max':>8}")
    report("to any step of it, painted: work", work)
    report("to any step of it, painted: clock", times)
    page.shutdown()
    return 0


def _memory() -> float:
    """The most memory the process has had, in MiB; 0 where the platform does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1024 if sys.platform != "darwin" else most / 2**20


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
