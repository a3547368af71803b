"""A scenario: an engine's limits and the requests it meets, as a YAML file that anyone can write.

```yaml
id: short-chats
title: Short chats
story: What happens, in a few sentences.
look_at: [what to watch, one line each]
model: ladder-3m              # a bundled or added model, or a folder or GGUF file next to this one (./my-llama)
engine: {num_blocks: 128, max_num_seqs: 8, max_num_batched_tokens: 64, max_model_len: 512}
                              # more switches: prefix_caching, admission, num_speculative_tokens, ... (config.py)
requests:
  - name: ada
    prompt: "Q: What is a KV cache?\\nA:"
    arrive_at_step: 1         # it arrives just before this step, or as soon as the engine has nothing else to do
    max_tokens: 48
    sampling: {temperature: 0.8, top_p: 0.9, seed: 7, stop: ["\\nQ:"]}     # and more (sampling.py)
    cache_salt: tenant-7      # who has another salt shares no KV; also: priority, client
  - name: chat                # chat 1 to chat 20, each two steps after the one before
    prompt: "Request {n}: ..."                                           # {n} is the number of the copy
    copies: 20
    every: 2
    max_tokens: 32
```
And, all optional, what makes an experiment of it:
```yaml
shows: prefix-caching         # the mechanism it is about (mechanisms.py)
variants:                     # the same requests under other settings; the first is the run nobody asked otherwise for
  - {name: without, engine: {prefix_caching: false}}
  - {name: with, engine: {prefix_caching: true}}
prediction: {question: ..., measure: cached_share, variant: with, kind: number}          # prediction.py
explained_by: study:paging/gist/prefix       # the place of the lessons that explains it
tickets: [hub-ticket-shared-system-prompt]   # the tickets that it shows
stays_open: true              # in the window the engine waits for prompts of one's own until it is stopped
```
Nothing here imports torch: the window reads scenarios too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from ladder_engine.config import EngineConfig, Positive
from ladder_engine.errors import ScenarioError
from ladder_engine.lab.mechanisms import MECHANISMS, mechanism
from ladder_engine.lab.plain_yaml import read_yaml
from ladder_engine.lab.prediction import Prediction
from ladder_engine.models import find_model
from ladder_engine.sampling import SamplingParams

__all__ = [
    "Request",
    "Scenario",
    "ScenarioError",
    "Variant",
    "bundled_scenarios",
    "check_fits",
    "engine_of",
    "find_scenario",
    "load_scenario",
    "with_variant",
]

MAX_REQUESTS = 1000

Line = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Prompt = Annotated[str, msgspec.Meta(min_length=1, max_length=200_000)]
Label = Annotated[str, msgspec.Meta(max_length=200)]


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One request of a scenario. Those with different salts never share cached KV; a lower priority is served sooner."""

    name: Line
    prompt: Prompt
    max_tokens: Positive
    arrive_at_step: Positive = 1
    cache_salt: Label = ""
    priority: Annotated[int, msgspec.Meta(ge=-100, le=100)] = 0
    client: Label = ""
    max_prefill_chunk: Positive | None = None
    sampling: SamplingParams = SamplingParams()
    copies: Annotated[int, msgspec.Meta(ge=1, le=MAX_REQUESTS)] = 1
    every: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0

    def each(self) -> Iterator[Request]:
        """The request, or its copies with their numbers."""
        if self.copies == 1:
            yield self
            return
        for number in range(1, self.copies + 1):
            yield replace(
                self,
                name=f"{self.name} {number}",
                prompt=self.prompt.replace("{n}", str(number)),
                arrive_at_step=self.arrive_at_step + (number - 1) * self.every,
                copies=1,
            )


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same requests under other settings: `engine` holds those that differ from the scenario's own."""

    name: Line
    engine: dict[str, Any] = {}


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file says, with the copies of its requests written out.

    `path` is the file itself, `variant` the name of the variant whose settings `engine` holds, "" where there are none.
    """

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: Line
    story: Annotated[str, msgspec.Meta(min_length=1)]
    look_at: tuple[Line, ...]
    engine: EngineConfig
    requests: Annotated[tuple[Request, ...], msgspec.Meta(min_length=1, max_length=MAX_REQUESTS)]
    model: Line = "ladder-3m"
    shows: str = ""
    variants: Annotated[tuple[Variant, ...], msgspec.Meta(max_length=8)] = ()
    prediction: Prediction | None = None
    explained_by: Annotated[str, msgspec.Meta(pattern=r"^$|^(study|card|ticket):[a-z0-9/-]+$")] = ""
    tickets: tuple[Line, ...] = ()
    stays_open: bool = False
    path: Path = Path()
    variant: str = ""

    def __post_init__(self) -> None:
        names = [variant.name for variant in self.variants]
        if len(set(names)) < len(names) or len(names) == 1:
            raise ValueError("variants need two names at least, and no name twice")
        if self.shows and not mechanism(self.shows):
            known = ", ".join(one.name for one in MECHANISMS)
            raise ValueError(f"shows names no mechanism; the mechanisms are {known}")
        asked = self.prediction.variants(self.variant_names[0]) if self.prediction else ()
        if missing := [name for name in asked if name not in self.variant_names]:
            raise ValueError(
                f"the prediction is about the variant {missing[0]!r}, and there is none of this name"
            )

    @property
    def variant_names(self) -> tuple[str, ...]:
        """The names of the variants, the one that runs by default first; ("",) where there are none."""
        return tuple(variant.name for variant in self.variants) or ("",)

    def model_folder(self, model: str, models_dir: Path | None = None) -> Path:
        """The folder that `model` names in this file: a bundled model, one added to `models_dir`, or a path beside it.

        Raises ModelError when there is no model of this name.
        """
        return self.path.parent / model if model.startswith("./") else find_model(model, models_dir)


def with_variant(scenario: Scenario, name: str = "") -> Scenario:
    """The scenario under the settings of one of its variants, the first when none is named.

    Raises ScenarioError that names the variants there are.
    """
    name = name or scenario.variant_names[0]
    if name not in scenario.variant_names:
        known = ", ".join(filter(None, scenario.variant_names)) or "none"
        raise ScenarioError(f"{scenario.path}: has no variant {name!r}; its variants are: {known}.")
    return replace(scenario, engine=engine_of(scenario, name), variant=name)


def engine_of(scenario: Scenario, name: str) -> EngineConfig:
    """The settings of one variant. Raises ScenarioError when they cannot be."""
    changes = next((variant.engine for variant in scenario.variants if variant.name == name), {})
    try:
        return msgspec.convert({**msgspec.to_builtins(scenario.engine), **changes}, EngineConfig)
    except msgspec.ValidationError as error:
        raise ScenarioError(
            f"{scenario.path}: variant {name!r}, engine: {_plain(str(error))}; correct it and run again."
        ) from None


def bundled_scenarios() -> tuple[Scenario, ...]:
    """The scenarios that come with the project, in the order in which they are meant to be watched."""
    return tuple(load_scenario(path) for path in sorted(_folder().glob("*.yaml")))


def find_scenario(name: str) -> Path:
    """The file of a bundled scenario's id, or the file that `name` is. Raises ScenarioError with the ids there are."""
    if Path(name).suffix in (".yaml", ".yml"):
        return Path(name)
    known = {scenario.id: scenario.path for scenario in bundled_scenarios()}
    if name not in known:
        raise ScenarioError(
            f"There is no scenario {name!r}; name a .yaml file or one of: {', '.join(known)}."
        )
    return known[name]


def load_scenario(path: Path) -> Scenario:
    """Read a scenario file. Raises ScenarioError: one sentence that names the file, the place and what is wrong."""
    data = read_yaml(path)
    try:
        if isinstance(data, dict) and (own := data.keys() & {"path", "variant"}):
            raise msgspec.ValidationError(f"Object contains unknown field `{min(own)}`")
        scenario = msgspec.convert(data, Scenario)
        requests = tuple(one for request in scenario.requests for one in request.each())
        scenario = replace(scenario, path=path, requests=requests)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ScenarioError(f"{path}: {_plain(str(error))}; correct it and run again.") from None
    _check(scenario)
    return scenario


def check_fits(scenario: Scenario, count_tokens: Callable[[str], int]) -> None:
    """Raise ScenarioError if a request could never run: what it needs, what there is, what to change."""
    for request in scenario.requests:
        never = scenario.engine.why_never(
            count_tokens(request.prompt), request.max_tokens, request.sampling.n, request.sampling.beam_width
        )
        if never:
            raise ScenarioError(
                f"{scenario.path}: request {request.name!r} can never run: it {never}; "
                "shorten its prompt, lower its max_tokens, or raise num_blocks and max_model_len."
            )


def _folder() -> Path:
    return Path(__file__).parents[1] / "scenarios"


def _check(scenario: Scenario) -> None:
    if len(scenario.requests) > MAX_REQUESTS:
        raise ScenarioError(
            f"{scenario.path}: has {len(scenario.requests)} requests with all copies; {MAX_REQUESTS} are the most."
        )
    seen: set[str] = set()
    for request in scenario.requests:
        if request.name in seen:
            raise ScenarioError(f"{scenario.path}: two requests have the name {request.name!r}; rename one.")
        seen.add(request.name)
    for name in scenario.variant_names:
        engine_of(scenario, name)


def _plain(message: str) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.engine.num_blocks`", with the place first."""
    what, at, place = message.partition(" - at `$")
    what = what.replace("`", "")
    return f"{place.strip('`').lstrip('.')}: {what}" if at else what
