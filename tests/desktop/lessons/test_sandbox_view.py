"""The Sandbox tab, worked by keyboard and mouse over the real interpreter."""

from __future__ import annotations

import threading

import pytest
from ladder_content.model import Snippet, Vector
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.sandbox import Sandbox
from ladder_desktop.lessons.sandbox_runner import SandboxRunner
from ladder_desktop.lessons.sandbox_view import SandboxView
from ladder_desktop.theme import load_theme
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QWidget

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def build(qtbot, study, theme, seconds=1.5):
    view = SandboxView(study, Markdown(theme, {"F1.09"}), theme, SandboxRunner(Sandbox(seconds)))
    qtbot.addWidget(view, before_close_func=SandboxView.shutdown)
    view.resize(1044, 640)
    view.show()
    view.activateWindow()
    view.editor.setFocus()
    qtbot.waitUntil(view.editor.hasFocus)
    return view


@pytest.fixture
def view(qtbot, study, theme):
    yield build(qtbot, study, theme)
    assert not [thread for thread in threading.enumerate() if thread.name == "sandbox" and thread.is_alive()]


def finish(qtbot, view):
    qtbot.waitUntil(lambda: not view.runner.running, timeout=10_000)


def write(view, code):
    view.editor.selectAll()
    view.editor.insertPlainText(code)


WAYS = ("keys", "mouse", "action")


def ask(qtbot, view, what, way):
    if way == "keys":
        modifiers = {"Run": CTRL, "Check": CTRL | SHIFT}[what]
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return, modifiers)
    elif way == "mouse":
        button = {"Run": view.run_button, "Check": view.check_button}[what]
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    else:
        next(action for action in view.page_actions() if action.text() == f"{what} the program").trigger()


@pytest.mark.parametrize("way", WAYS)
def test_a_program_is_run(qtbot, view, way):
    ask(qtbot, view, "Run", way)
    assert view.runner.running
    assert view.stop_button.isEnabled()
    assert view.result.sentence.text() == "Running…"
    finish(qtbot, view)
    assert view.result.sentence.text() == "Finished."
    assert "8B:  131,072 B a token" in view.result.output.toPlainText()
    assert view.result.output.isVisible()
    assert not view.stop_button.isEnabled()


@pytest.mark.parametrize("way", WAYS)
def test_a_program_is_checked(qtbot, view, study, way):
    write(view, study.snippets[0].code.replace("layers * kv_heads", "layers * (kv_heads + dtype_bytes - 2)"))
    ask(qtbot, view, "Check", way)
    finish(qtbot, view)
    table = view.result.table
    assert table.isVisible()
    assert view.result.sentence.text() == "2 of 3 results are right."
    rows = [[table.item(row, column).text() for column in range(4)] for row in range(table.rowCount())]
    assert rows[0] == ["✓ right", "kv_bytes_per_token(32, 8, 128)", "131072", "131072"]
    assert rows[2] == ["✗ wrong", "kv_bytes_per_token(32, 8, 128, 1)", "65536", "57344"]


def test_a_mistake_names_its_line_and_marks_it(qtbot, view):
    write(view, "a = 1\nb = 0\n\nprint(a)\na / b\n")
    ask(qtbot, view, "Run", "keys")
    finish(qtbot, view)
    assert view.result.sentence.text() == "Line 5: ZeroDivisionError: division by zero"
    assert view.result.output.toPlainText() == "1\n"
    assert view.editor.textCursor().blockNumber() == 4
    assert [mark.cursor.blockNumber() for mark in view.editor.extraSelections()] == [4]
    write(view, "print(2)")
    ask(qtbot, view, "Run", "keys")
    finish(qtbot, view)
    assert view.editor.extraSelections() == []


@pytest.mark.parametrize("way", ["keys", "mouse"])
def test_a_loop_is_stopped_and_the_next_run_works(qtbot, study, theme, way):
    view = build(qtbot, study, theme, seconds=60)
    write(view, "while True:\n    pass")
    view.run()
    if way == "keys":
        qtbot.keyClick(view.editor, Qt.Key.Key_Period, CTRL)
    else:
        view.stop_button.setFocus()
        qtbot.mouseClick(view.stop_button, Qt.MouseButton.LeftButton)
    finish(qtbot, view)
    assert view.result.sentence.text() == "Stopped."
    assert QApplication.focusWidget() is (view.editor if way == "keys" else view.run_button)
    write(view, "print('on')")
    view.run()
    finish(qtbot, view)
    assert view.result.output.toPlainText() == "on\n"


def test_the_window_lives_while_a_program_runs(qtbot, study, theme):
    view = build(qtbot, study, theme, seconds=60)
    write(view, "while True:\n    pass")
    view.run()
    qtbot.keyClicks(view.editor, "x")
    view.programs.setCurrentRow(1)
    assert "The order of the rules" in view.explanation.toPlainText()
    assert view.result.sentence.text().startswith("Not run yet")
    view.run()  # one at a time
    view.stop()
    finish(qtbot, view)
    assert view.result.sentence.text().startswith("Not run yet")
    view.programs.setCurrentRow(0)
    assert view.result.sentence.text() == "Stopped."


def test_what_is_written_is_kept_for_each_program_until_it_is_reset(qtbot, view, study):
    original = study.snippets[0].code
    assert not view.reset_button.isEnabled()
    write(view, "print(1)")
    assert view.programs.item(0).text().endswith("changed")
    view.programs.setCurrentRow(1)
    assert view.editor.toPlainText() == study.snippets[1].code
    assert not view.reset_button.isEnabled()
    view.programs.setCurrentRow(0)
    assert view.editor.toPlainText() == "print(1)"
    qtbot.mouseClick(view.reset_button, Qt.MouseButton.LeftButton)
    assert view.editor.toPlainText() == original
    assert view.programs.item(0).text() == study.snippets[0].title
    qtbot.keyClick(view.editor, Qt.Key.Key_Z, CTRL)
    assert view.editor.toPlainText() == "print(1)"
    qtbot.keyClick(view.editor, Qt.Key.Key_Backspace, CTRL | SHIFT)
    assert view.editor.toPlainText() == original


def test_keys_of_the_editor(qtbot, view):
    editor = view.editor
    write(view, "")
    qtbot.keyClicks(editor, "if x:")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "y")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    qtbot.keyClicks(editor, "z?/1")
    assert editor.toPlainText() == "if x:\n    y\n        z?/1"
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.toPlainText() == "    if x:\n        y\n            z?/1"
    qtbot.keyClick(editor, Qt.Key.Key_Backtab, SHIFT)
    qtbot.keyClick(editor, Qt.Key.Key_Backtab, SHIFT)
    assert editor.toPlainText() == "if x:\ny\n    z?/1"
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is view.run_button


def colours(view, line):
    block = view.editor.document().findBlockByNumber(line)
    return {
        block.text()
        .encode("utf-16-le")[2 * part.start : 2 * (part.start + part.length)]
        .decode("utf-16-le"): (part.format.foreground().color().name())
        for part in block.layout().formats()
    }


@pytest.mark.parametrize("name", ["light", "dark"])
def test_code_has_the_colours_of_the_theme(qtbot, study, name):
    theme = load_theme(name)
    view = build(qtbot, study, theme)
    write(view, "def f():\n    return '😀', 42  # 😀 why\n")
    assert colours(view, 0)["def"] == theme.hex("accent")
    assert colours(view, 1)["42"] == theme.hex("warn")
    assert colours(view, 1)["# 😀 why"] == theme.hex("muted")
    cursor = QTextCursor(view.editor.document())
    cursor.insertText('"""')
    assert set(colours(view, 1).values()) == {theme.hex("good")}
    cursor.insertText('"""\n')
    assert colours(view, 2)["42"] == theme.hex("warn")


def test_hostile_programs_and_titles_are_text(qtbot, study, theme):
    bad = "<b>x</b><img src=x onerror=alert(1)>"
    snippet = Snippet(
        id="bad",
        title=bad,
        explanation=f"{bad} [run](live:x) [f](file:///etc/passwd)",
        code="print('<b>&amp;\\x00' + 'é' * 70_000)",
        vectors=(Vector(call="'<b>' * 100", expected=bad),),
    )
    view = build(qtbot, replace(study, snippets=(snippet,)), theme)
    assert view.programs.item(0).text() == bad
    assert bad in view.explanation.toPlainText()
    assert "href" not in view.explanation.toHtml().split("<body")[1]
    view.run()
    finish(qtbot, view)
    assert view.result.sentence.text().startswith("Ended: the program printed more")
    assert view.result.output.toPlainText().startswith("<b>&amp;")
    write(view, "raise ValueError('<img src=x>')")
    view.run()
    finish(qtbot, view)
    assert view.result.sentence.text() == "Line 1: ValueError: <img src=x>"
    assert view.result.sentence.textFormat() is Qt.TextFormat.PlainText


def test_everything_the_keyboard_reaches_has_a_name(view):
    reached = [
        widget
        for widget in view.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.objectName().startswith("qt_")
    ]
    assert len(reached) >= 8
    assert [widget for widget in reached if not widget.accessibleName()] == []


def test_the_tab_is_there_only_with_programs(qtbot, pack, study, theme):
    for snippets in (study.snippets, ()):
        page = LessonPage(pack, replace(study, snippets=snippets), theme)
        qtbot.addWidget(page)
        page.show()
        page.activate()
        qtbot.waitUntil(page.gist.reader.hasFocus)
        qtbot.keyClick(page.gist.reader, Qt.Key.Key_4, CTRL)
        labels = [page.tabs.tabText(i) for i in range(page.tabs.count())]
        assert ("Sandbox" in labels) is bool(snippets)
        assert (page.tabs.currentWidget() is page.sandbox) is bool(snippets)
        page.shutdown()


def test_shutdown_ends_a_run_and_its_outcome_is_dropped(qtbot, pack, study, theme):
    page = LessonPage(pack, study, theme)
    qtbot.addWidget(page)
    page.show()
    page.show_sandbox()
    write(page.sandbox, "while True: pass")
    page.sandbox.run()
    page.shutdown()
    page.shutdown()
    assert not page.sandbox.runner.running
    QApplication.processEvents()
    assert page.sandbox.result.sentence.text() == "Running…"
    assert not [thread for thread in threading.enumerate() if thread.name == "sandbox"]
