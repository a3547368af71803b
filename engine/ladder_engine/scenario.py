"""A scenario: an engine's limits and the requests it meets, as a YAML file that anyone can write.

```yaml
id: short-chats
title: Short chats
story: What happens, in a few sentences.
look_at: [what to watch, one line each]
model: ladder-3m              # a bundled model, or a folder next to this file (./my-llama)
engine: {num_blocks: 128, max_num_seqs: 8, max_num_batched_tokens: 64, max_model_len: 512}
                              # more switches: prefix_caching, admission, num_speculative_tokens, ... (config.py)
requests:
  - name: ada
    prompt: "Q: What is a KV cache?\\nA:"
    arrive_at_step: 1         # it arrives just before this step, or as soon as the engine has nothing else to do
    max_tokens: 48
    sampling: {temperature: 0.8, top_p: 0.9, seed: 7, stop: ["\\nQ:"]}     # and more (sampling.py)
    cache_salt: tenant-7      # who has another salt shares no KV; also: priority, client
```
Nothing here imports torch: the window reads scenarios too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml

from ladder_engine.config import EngineConfig, Positive
from ladder_engine.errors import ScenarioError
from ladder_engine.models import bundled_model
from ladder_engine.sampling import SamplingParams

__all__ = [
    "Request",
    "Scenario",
    "ScenarioError",
    "bundled_scenarios",
    "check_fits",
    "find_scenario",
    "load_scenario",
]

MAX_FILE_BYTES = 1 << 20

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
    sampling: SamplingParams = SamplingParams()


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file says. `path` is the file itself."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: Line
    story: Annotated[str, msgspec.Meta(min_length=1)]
    look_at: tuple[Line, ...]
    engine: EngineConfig
    requests: Annotated[tuple[Request, ...], msgspec.Meta(min_length=1, max_length=1000)]
    model: Line = "ladder-3m"
    path: Path = Path()

    @property
    def model_folder(self) -> Path:
        """The folder that `model` names. Raises ModelError when there is no such bundled model."""
        if self.model.startswith("./"):
            return self.path.parent / self.model
        return bundled_model(self.model)


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
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ScenarioError(
                f"{path}: is larger than {MAX_FILE_BYTES >> 20} MiB; a scenario is a small text file."
            )
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_PlainLoader)
        if isinstance(data, dict) and "path" in data:
            raise msgspec.ValidationError("Object contains unknown field `path`")
        scenario = msgspec.convert(data, Scenario)
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read ({error.strerror}); name a scenario file.") from None
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: is not text in UTF-8; save it as UTF-8.") from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"{path}: {_where(error)}; correct it and run again.") from None
    except (msgspec.ValidationError, RecursionError) as error:
        raise ScenarioError(f"{path}: {_plain(str(error))}; correct it and run again.") from None
    scenario = msgspec.structs.replace(scenario, path=path)
    _check_names(scenario)
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
    return Path(__file__).parent / "scenarios"


def _check_names(scenario: Scenario) -> None:
    seen: set[str] = set()
    for request in scenario.requests:
        if request.name in seen:
            raise ScenarioError(f"{scenario.path}: two requests have the name {request.name!r}; rename one.")
        seen.add(request.name)


class _PlainLoader(yaml.SafeLoader):
    """Safe YAML without aliases (a small file could stand for a huge one) and without keys given twice."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if keys.count(key.value) > 1:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} is given twice", problem_mark=key.start_mark
                )
        return super().construct_mapping(node, deep)


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"line {mark.line + 1}: {problem}" if mark else " ".join(problem.split())


def _plain(message: str) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.engine.num_blocks`", with the place first."""
    what, at, place = message.partition(" - at `$")
    what = what.replace("`", "")
    return f"{place.strip('`').lstrip('.')}: {what}" if at else what
