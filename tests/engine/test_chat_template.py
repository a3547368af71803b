"""Chat templates: those of model folders, against transformers' rendering, and in a sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ladder_engine.errors import ModelError
from ladder_engine.weights.chat_template import ChatTemplate, Message

LLAMA2 = (
    "{{ bos_token }}{% for message in messages %}\n{% if message['role'] == 'user' %}\n"
    "[INST] {{ message['content'].strip() }} [/INST]\n{% elif message.role == 'system' %}\n"
    "{% continue %}\n{% else %}\n{{ ' ' + message['content'] + eos_token }}\n{% endif %}{% endfor %}\n"
    "{{ {'ü': 1} | tojson }}{% if add_generation_prompt %}>{% endif %}"
)
TALK = [
    Message("system", "Be brief."),
    Message("user", " Why? "),
    Message("assistant", "Because."),
    Message("user", "Ü"),
]


def folder_with(tmp_path: Path, **config: object) -> Path:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    return tmp_path


def rendered(folder: Path, talk: list[Message] = TALK) -> str:
    template = ChatTemplate.load(folder)
    assert template is not None
    return template.render(talk)


@pytest.mark.parametrize("bos", ["<s>", {"content": "<s>", "lstrip": False}])
def test_a_template_is_rendered_as_transformers_renders_it(tmp_path: Path, bos: object) -> None:
    from transformers.utils.chat_template_utils import render_jinja_template

    (expected,), _ = render_jinja_template(
        [[{"role": message.role, "content": message.content} for message in TALK]],
        chat_template=LLAMA2, add_generation_prompt=True, bos_token="<s>", eos_token="</s>",
    )  # fmt: skip
    assert rendered(folder_with(tmp_path, chat_template=LLAMA2, bos_token=bos, eos_token="</s>")) == expected


def test_where_templates_stand(tmp_path: Path) -> None:
    assert ChatTemplate.load(tmp_path) is None
    assert ChatTemplate.load(folder_with(tmp_path, eos_token="</s>")) is None
    named = [{"name": "tool", "template": "no"}, {"name": "default", "template": "yes"}]
    assert rendered(folder_with(tmp_path, chat_template=named)) == "yes"
    (tmp_path / "chat_template.jinja").write_text("file")
    assert rendered(tmp_path) == "file"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{% if %}", "cannot be read"),
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{{ messages[0]['content'] + 1 }}", "failed"),
        ("{{ messages.append(1) }}", "failed"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "failed"),
        ("{{ strftime_now.__globals__['os'] }}", "failed"),
        ("{% for i in range(10 ** 9) %}{% endfor %}", "failed"),
        ("{% include '/etc/passwd' %}", "failed"),
    ],
)
def test_what_a_template_may_not_do_is_one_sentence(tmp_path: Path, source: str, words: str) -> None:
    with pytest.raises(ModelError) as error:
        rendered(folder_with(tmp_path, chat_template=source))
    assert words in str(error.value)
    assert str(tmp_path / "tokenizer_config.json") in str(error.value)
