"""How a model wants a conversation written: the Jinja template that comes with it, run in a sandbox."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ladder_engine.errors import ModelError
from ladder_engine.weights.gguf_file import GgufFile
from ladder_engine.weights.gguf_llama import gguf_in
from ladder_engine.weights.model_config import read_object


class Message(msgspec.Struct, frozen=True):
    """One turn: `role` is system, user or assistant."""

    role: str
    content: str


class ChatTemplate:
    """A template and the special tokens that it may write. `where` is the file, for sentences."""

    def __init__(self, where: Path, source: str, special_tokens: dict[str, str]) -> None:
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
        )
        environment.filters["tojson"] = lambda value, **options: json.dumps(
            value, ensure_ascii=False, **options
        )
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        self._where = where
        self._special_tokens = special_tokens
        try:
            self._template = environment.from_string(source)
        except jinja2.TemplateError as error:
            raise ModelError(f"{where}: its chat template cannot be read ({error}).") from None

    @staticmethod
    def load(folder: Path) -> ChatTemplate | None:
        """The template of a model folder or GGUF file, None where it has none. Raises ModelError."""
        gguf = gguf_in(folder)
        if gguf:
            return _of_gguf(GgufFile(gguf))
        path = folder / "tokenizer_config.json"
        config = read_object(path) if path.exists() else {}
        own = folder / "chat_template.jinja"
        source = own.read_text("utf-8") if own.exists() else config.get("chat_template")
        if isinstance(source, list):  # several by name
            source = next((one["template"] for one in source if one.get("name") == "default"), None)
        if not isinstance(source, str):
            return None
        tokens = {
            key: _content(config.get(key)) for key in ("bos_token", "eos_token", "pad_token", "unk_token")
        }
        return ChatTemplate(
            own if own.exists() else path, source, {key: text for key, text in tokens.items() if text}
        )

    def render(self, messages: Sequence[Message]) -> str:
        """The text whose continuation is the next answer. Raises ModelError when the template refuses or fails."""
        try:
            return self._template.render(
                messages=[msgspec.structs.asdict(message) for message in messages],
                add_generation_prompt=True,
                **self._special_tokens,
            )
        except (jinja2.TemplateError, TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{self._where}: its chat template failed ({error}).") from None


def _of_gguf(file: GgufFile) -> ChatTemplate | None:
    source, tokens = (
        file.metadata.get("tokenizer.chat_template"),
        file.metadata.get("tokenizer.ggml.tokens", []),
    )
    if not isinstance(source, str):
        return None
    special = {}
    for key in ("bos", "eos"):
        token_id = file.metadata.get(f"tokenizer.ggml.{key}_token_id", -1)
        if 0 <= token_id < len(tokens):
            special[f"{key}_token"] = tokens[token_id]
    return ChatTemplate(file.path, source, special)


def _content(token: Any) -> str | None:
    value = token.get("content") if isinstance(token, dict) else token
    return value if isinstance(value, str) else None


def _refuse(message: str) -> None:
    raise jinja2.TemplateError(message)
