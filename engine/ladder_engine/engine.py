"""The engine: sequences in, tokens out, a trace of everything in between."""

from __future__ import annotations

from collections.abc import Mapping

from ladder_engine.config import EngineConfig
from ladder_engine.executor import Executor
from ladder_engine.reconfigure import reconfigured
from ladder_engine.sampling import SamplingParams
from ladder_engine.scheduler import Scheduler
from ladder_engine.sequence import Sequence
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.tracing.events import KernelsRan, StepTimed
from ladder_engine.tracing.kernel_log import KernelLog
from ladder_engine.tracing.recorder import Recorder


class Engine:
    """One scheduler, one executor, and the recorder that both are watched through."""

    def __init__(
        self,
        config: EngineConfig,
        executor: Executor,
        tokenizer: Tokenizer,
        eos_token_ids: tuple[int, ...],
        recorder: Recorder,
        kernels: KernelLog | None = None,
    ) -> None:
        self.scheduler = Scheduler(config, recorder)
        self.recorder = recorder
        self.kernels = kernels or KernelLog()
        self._executor = executor
        self._tokenizer = tokenizer
        self._eos_token_ids = eos_token_ids

    @property
    def has_work(self) -> bool:
        """Whether anybody runs or waits."""
        return bool(self.scheduler.running or self.scheduler.waiting)

    def add(
        self,
        name: str,
        prompt: str,
        max_tokens: int,
        sampling: SamplingParams,
        cache_salt: str = "",
        priority: int = 0,
        client: str = "",
        max_prefill_chunk: int | None = None,
    ) -> Sequence:
        """A request arrives. It is refused at once, with a Refused event that says why, if it can never fit.

        Requests with different salts never share cached KV. A lower `priority` is served sooner. Where admission is
        fair, it is fair between clients. `max_prefill_chunk` is the request's own limit in place of the engine's. Who asks for several answers finds the others in the `forks` of this one.
        """
        token_ids, lengths = self._tokenizer.cut(prompt)
        seq = Sequence.start(
            seq_id=self.scheduler.new_id(),
            name=name,
            prompt=token_ids,
            max_tokens=max_tokens,
            sampling=sampling,
            eos_token_ids=self._eos_token_ids,
            stream=self._tokenizer.stream(),
            cache_salt=cache_salt,
            priority=priority,
            client=client,
            max_prefill_chunk=max_prefill_chunk,
        )
        self.scheduler.add(seq, prompt, lengths)
        return seq

    def abort(self, seq_id: int) -> None:
        """Stop a request now and free what it holds. A request that is over, or never was, is left alone."""
        for seq in (*self.scheduler.running, *self.scheduler.waiting):
            if seq.seq_id == seq_id:
                self.scheduler.abort(seq)

    def configure(self, changes: Mapping[str, object]) -> None:
        """Change settings between two steps. Raises EngineError, and nothing changes, when they cannot be."""
        scheduler = self.scheduler
        widest = max((len(seq.unit) + seq.num_owed for seq in scheduler.waiting), default=0)
        scheduler.configure(reconfigured(scheduler.config, changes, scheduler.num_places, widest))

    def step(self) -> list[Sequence]:
        """Advance the sequences of one batch; returns those that are done. Call it only when `has_work`."""
        self.recorder.begin_step()
        started = self.recorder.tick()
        batch = self.scheduler.schedule()
        scheduled = self.recorder.tick()
        outputs = self._executor.execute(batch)
        executed = self.recorder.tick()
        done = self.scheduler.commit(batch, outputs)
        if self.kernels.watching:
            calls, attention = self.kernels.take()
            self.recorder.add(KernelsRan, calls=calls, attention=attention)
        self.recorder.add(
            StepTimed,
            schedule_s=scheduled - started,
            execute_s=executed - scheduled,
            commit_s=self.recorder.tick() - executed,
            num_running=len(self.scheduler.running),
            num_waiting=len(self.scheduler.waiting),
            num_free_blocks=self.scheduler.pool.num_free,
            num_cached_blocks=self.scheduler.pool.num_cached,
        )
        self.recorder.end_step()
        return done
