"""Reading aloud from end to end: what the platform's command is asked, what is tinted, and that nothing stays behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.lessons.voice_settings import SAMPLE, VoicePanel
from ladder_desktop.preferences import Preferences
from ladder_desktop.theme import load_theme
from ladder_desktop.voice.command import ESPEAK, POWERSHELL, SAY, SPD_SAY
from ladder_desktop.voice.find_speaker import find_speaker
from ladder_desktop.voice.script import CODE, script_of
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

PACK = load_pack(bundled_pack())
TEXT = """\
A step reads `num_seqs` rows [F1.09]. It takes 4.5 ms for $n_i$ rows.

> **Prefer.** Name the mechanism.

| Mechanism | Buys | Time |
|---|---|---|
| KV cache | One row a step | 6 ms |
| Paging | Room | |

```python
a = 1
b = 2
```

1. First.
"""


@pytest.fixture
def reader(qtbot):
    theme = load_theme("light")
    reader = Reader(theme, "Text")
    qtbot.addWidget(reader)
    reader.show_html(Markdown(theme, {"F1.09"}).html(TEXT))
    return reader


def test_a_text_is_said_without_its_marks_and_each_line_knows_its_place(reader):
    lines = script_of(reader.document())
    assert [line.words for line in lines] == [
        "A step reads number of sequences rows.",
        "It takes 4.5 milliseconds for n i rows.",
        "Prefer.",
        "Name the mechanism.",
        "KV cache",
        "Buys: One row a step",
        "Time: 6 milliseconds",
        "Paging",
        "Buys: Room",
        CODE,
        "First.",
    ]
    text = reader.toPlainText()
    assert text[lines[1].start : lines[1].end] == "It takes 4.5 ms for \ufffc rows."
    assert text[lines[9].start : lines[9].end] == "a = 1\nb = 2"


def test_part_of_a_text(reader):
    second = reader.document().find("Prefer").selectionStart()
    table = reader.document().find("Mechanism").selectionStart()
    assert [line.words for line in script_of(reader.document(), second, table)] == [
        "Prefer.",
        "Name the mechanism.",
    ]


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    return Preferences.open(tmp_path)


@pytest.fixture
def page(qtbot, command, preferences):
    page = LessonPage(PACK, PACK.studies[0], load_theme("light"), voice=preferences)
    qtbot.addWidget(page)
    page.resize(1000, 500)
    page.show()
    page.activate()
    yield page
    page.shutdown()


def tinted(page) -> str:
    return " ".join(s.cursor.selectedText() for s in page.gist.reader.extraSelections())


@pytest.mark.parametrize("way", ["key", "button", "action"])
def test_a_section_is_read_sentence_by_sentence_to_its_end(qtbot, page, command, way):
    section = PACK.studies[0].sections[-1]
    page.show_place("gist", section.id)
    seen = []
    page._reading.at.connect(lambda _: seen.append(tinted(page)))
    if way == "key":
        qtbot.keyClick(
            page.gist.reader,
            Qt.Key.Key_A,
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
        )
    elif way == "button":
        qtbot.mouseClick(page.read_aloud.button, Qt.MouseButton.LeftButton)
    else:
        next(a for a in page.page_actions() if a.objectName() == "lesson.read-aloud").trigger()
    assert page.read_aloud.button.text() == "Stop reading"
    qtbot.waitUntil(lambda: not page._reading.on, timeout=60_000)
    said = [text for _, text in command.said]
    assert said[0] == section.title
    assert not any("[" in text or "_" in text for text in said)
    assert len(said) > 3
    assert seen[0] == section.title
    assert seen[-1] == ""
    assert len(seen) == len(said) + 1
    assert page.read_aloud.button.text() == "Read aloud"


def test_voice_and_speed_are_those_of_the_settings_from_the_next_sentence_on(
    qtbot, page, command, preferences
):
    command.hold()
    preferences.voice, preferences.voice_speed = "en-gb", 1.6
    page.read_aloud.toggle()
    qtbot.waitUntil(lambda: command.pid is not None, timeout=10_000)
    assert command.said[0][0] == "-s 280 -v en-gb --stdin"
    preferences.voice = ""
    page.read_aloud.skip()
    qtbot.waitUntil(lambda: len(command.said) == 2, timeout=10_000)
    assert command.said[1][0] == "-s 280 --stdin"


def test_one_can_go_on_and_back(qtbot, page, command):
    command.hold()
    page.read_aloud.toggle()
    for step in (page.read_aloud.skip, page.read_aloud.skip, page.read_aloud.back):
        count = len(command.said)
        qtbot.waitUntil(lambda count=count: len(command.said) > count or count > 0, timeout=10_000)
        qtbot.waitUntil(lambda: command.pid is not None, timeout=10_000)
        before = len(command.said)
        step()
        qtbot.waitUntil(lambda before=before: len(command.said) > before, timeout=10_000)
    texts = [text for _, text in command.said]
    assert texts[3] == texts[1]
    assert len({texts[0], texts[1], texts[2]}) == 3


@pytest.mark.parametrize("way", ["toggle", "tab", "leave", "shutdown"])
def test_falling_silent_ends_the_process(qtbot, page, command, way):
    command.hold()
    page.read_aloud.toggle()
    qtbot.waitUntil(lambda: command.pid is not None, timeout=10_000)
    {
        "toggle": page.read_aloud.toggle,
        "tab": page.show_maps,
        "leave": page.deactivate,
        "shutdown": page.shutdown,
    }[way]()
    with pytest.raises(ProcessLookupError):
        os.kill(command.pid, 0)
    assert not page._reading.on
    assert tinted(page) == ""


def test_a_card_is_read_with_its_answer_once_that_is_shown(qtbot, page, command):
    page.show_questions()
    page.questions.toggle_answer()
    page.read_aloud.toggle()
    qtbot.waitUntil(lambda: not page._reading.on, timeout=60_000)
    said = " ".join(text for _, text in command.said)
    assert "Key points" in said
    assert "FACTS" not in said


def test_a_command_that_fails_is_one_sentence_and_the_end(qtbot, page, command):
    command.fail()
    page.read_aloud.toggle()
    qtbot.waitUntil(lambda: not page._reading.on, timeout=10_000)
    box = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible())
    assert box.text() == "espeak-ng could not read aloud: no sound card."
    assert len(command.said) == 1
    box.close()


def test_a_machine_without_sound_does_not_race_through_the_text(qtbot, page, command):
    command.no_sound()
    page.read_aloud.toggle()
    qtbot.waitUntil(lambda: not page._reading.on, timeout=10_000)
    box = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible())
    assert box.text() == "espeak-ng could not read aloud: it found no sound output."
    assert len(command.said) == 1
    box.close()


def test_without_a_voice_the_button_says_what_to_install(qtbot, no_voice):
    page = LessonPage(PACK, PACK.studies[0], load_theme("light"))
    qtbot.addWidget(page)
    assert not page.read_aloud.button.isEnabled()
    assert "install espeak-ng" in page.read_aloud.button.toolTip()
    assert "install espeak-ng" in page.read_aloud.button.accessibleDescription()
    assert not any(a.isEnabled() for a in page.page_actions() if a.objectName().startswith("lesson.read"))


def test_the_settings_list_the_voices_and_keep_what_is_chosen(qtbot, command, preferences):
    panel = VoicePanel(preferences)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: panel.voice.count() == 3, timeout=10_000)
    assert [panel.voice.itemText(i) for i in (1, 2)] == ["en-gb", "de"]
    panel.voice.setCurrentIndex(2)
    panel.voice.activated.emit(2)
    panel.speed.setFocus()
    qtbot.keyClick(panel.speed, Qt.Key.Key_Right)
    assert (preferences.voice, preferences.voice_speed) == ("de", 1.1)
    qtbot.mouseClick(panel.sample, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(command.said), timeout=10_000)
    assert command.said == [("-s 193 -v de --stdin", SAMPLE)]
    panel.shutdown()


def test_the_settings_say_what_is_lacking(qtbot, no_voice, preferences):
    panel = VoicePanel(preferences)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.lack.isVisible()
    assert not panel.sample.isEnabled()
    panel.shutdown()


def test_each_platform_is_asked_in_its_own_way(qapp, no_voice):
    assert SAY.arguments("Anna", 2) == ["-r", "350", "-v", "Anna", "-f", "-"]
    assert ESPEAK.arguments("", 1) == ["-s", "175", "--stdin"]
    assert SPD_SAY.arguments("", 0.5) == ["--wait", "--rate", "-100"]
    assert SPD_SAY.by_argument
    assert not ESPEAK.by_argument
    script = POWERSHELL.arguments("O'Hara", 1.5)[-1]
    assert "SelectVoice('O''Hara')" in script
    assert "$s.Rate = 5;" in script
    assert SAY.names("Alex                en_US    # Hello\nEddy (English (UK)) en_GB    # Hi\n") == [
        "Alex",
        "Eddy (English (UK))",
    ]
    assert POWERSHELL.names("Microsoft Zira\r\n\r\nMicrosoft David\r\n") == [
        "Microsoft Zira",
        "Microsoft David",
    ]
    assert find_speaker(qapp, "darwin") is None
