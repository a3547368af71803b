"""The chat: text that streams, an answer that is stopped, a conversation that outgrows its context."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner
from ladder_desktop.chat_command import Interrupts
from ladder_desktop.cli import main
from ladder_engine.errors import EngineError
from ladder_engine.sampling import SamplingParams
from ladder_engine.serving.chat import Chat
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.weights.model_store import ModelStore

from tests.engine.checkpoints import write_checkpoint

TEMPLATE = "{% for m in messages %}{{ m.role[0] }}:{{ m.content }}|{% endfor %}{% if add_generation_prompt %}a:{% endif %}"
GO_ON = SamplingParams(ignore_eos=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_checkpoint(tmp_path_factory.mktemp("chat"), max_position_embeddings=96)
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    return folder


@pytest.fixture
def chat(folder: Path) -> Chat:
    return Chat(folder, "torch", max_tokens=12)


def test_the_pieces_are_the_answer_and_the_next_turn_finds_them_in_the_cache(
    chat: Chat, folder: Path
) -> None:
    text = "".join(chat.answer("a batch holds every slot", GO_ON))
    first = chat.progress
    assert text == first.text == chat.messages[1].content
    assert (first.num_tokens, first.finish_reason, first.num_cached_tokens) == (12, "length", 0)
    assert first.num_blocks_used == -(-(first.num_prompt_tokens + 11) // 16)
    assert first.num_blocks == 6
    list(chat.answer("and then", GO_ON))
    assert chat.progress.num_cached_tokens >= 16
    tokens = Tokenizer.load(folder).encode(f"u:a batch holds every slot|a:{text}|u:and then|a:")
    assert chat.progress.num_prompt_tokens == len(tokens)


def test_a_stopped_answer_ends_at_once_and_keeps_what_was_said(chat: Chat) -> None:
    pieces: list[str] = []
    for piece in chat.answer("a batch", GO_ON, lambda: len(pieces) == 5):
        pieces.append(piece)
    assert chat.progress.finish_reason == "aborted"
    assert chat.progress.num_tokens == 5
    assert chat.messages[1].content == "".join(pieces)
    assert chat._engine.scheduler.pool.num_free == 6
    assert list(chat.answer("again", GO_ON))


def test_the_oldest_turns_leave_when_the_context_is_full(chat: Chat) -> None:
    for turn in range(5):
        list(chat.answer(f"question {turn} about the cache", GO_ON))
    assert chat.progress.num_dropped >= 2
    assert chat.messages[-2].content.startswith("question 4")
    assert chat.progress.num_prompt_tokens <= 96 - 12
    with pytest.raises(EngineError, match="too long"):
        list(chat.answer("word " * 200, GO_ON))
    assert list(chat.answer("short", GO_ON))


def test_a_model_without_a_template_gets_each_question_by_itself(tmp_path: Path) -> None:
    chat = Chat(write_checkpoint(tmp_path), "torch", max_tokens=4)
    list(chat.answer("one", GO_ON))
    list(chat.answer("two", GO_ON))
    assert chat.progress.num_prompt_tokens == len(Tokenizer.load(tmp_path).encode("Q: two\nA:"))


def test_the_command_answers_what_is_piped_in(folder: Path, tmp_path: Path) -> None:
    ModelStore(tmp_path / "models").add(folder, "mine")
    arguments = ["--data", str(tmp_path), "chat", "--model", "mine", "--max-tokens", "5"]
    result = CliRunner().invoke(main, arguments, input="a batch\n\nand a block\n")
    assert result.exit_code == 0, result.output
    line = r"^\[\d+ tokens, .* tokens/s.* of 6 KV blocks in use; prompt .*\]$"
    assert len(re.findall(line, result.output, re.MULTILINE)) == 2, result.output


def test_the_command_says_what_the_bundled_model_is(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--data", str(tmp_path), "chat"], input="")
    assert result.exit_code == 0
    assert "it cannot talk, reason or remember" in result.output
    unknown = CliRunner().invoke(main, ["--data", str(tmp_path), "chat", "--model", "gpt-5"], input="")
    assert unknown.exit_code == 2
    assert "There is no model 'gpt-5'" in unknown.stderr


def test_the_first_interrupt_asks_and_the_second_leaves() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        assert not interrupts.asked()
        signal.raise_signal(signal.SIGINT)
        assert interrupts.asked()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_line_that_is_too_long_ends_nothing(folder: Path, tmp_path: Path) -> None:
    ModelStore(tmp_path / "models").add(folder, "mine")
    arguments = ["--data", str(tmp_path), "chat", "--model", "mine", "--max-tokens", "5"]
    result = CliRunner().invoke(main, arguments, input="word " * 200 + "\na batch\n")
    assert result.exit_code == 0
    assert "That is too long" in result.stderr
    assert len(re.findall("KV blocks in use", result.stdout)) == 1
