"""Saves, opens and exports a run: a trace to share, a Chrome trace for Perfetto, a picture of a view, a table as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from ladder_engine.errors import EngineError, TraceFileError
from ladder_engine.lab.traffic import traffic_scenario
from ladder_engine.models import find_model
from ladder_engine.tracing.fold import TraceError
from ladder_engine.tracing.perfetto import write_chrome_trace
from ladder_engine.tracing.trace_file import TraceReader, read_trace, write_trace
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from ladder_desktop.live.text_table import TextTable

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage

FORMATS = {
    ".jsonl": "Recording, to open here again; two of a comparison",
    ".json": "Chrome trace, for ui.perfetto.dev",
    ".png": "Picture of the view that has the keyboard, or of all",
    ".csv": "Table that has the keyboard, or what is in sight",
}
FILTERS = ";;".join(f"{words} (*{suffix})" for suffix, words in FORMATS.items())
EVENTS_A_FRAME = 1500


class Keeping(QObject):
    """What is asked for by name ends as a file, in full or not at all, or as one sentence."""

    def __init__(self, page: LivePage) -> None:
        super().__init__(page)
        self._page = page
        self.reader: TraceReader | None = None

    def ask_save(self) -> None:
        """Ask for a file, whose ending says in which form, and write it."""
        page = self._page
        if page.deck.edge.config is None:
            page.head.say("There is no run to save here; run one, or open a recording.", "bad")
            return
        name, chosen = QFileDialog.getSaveFileName(page, "Save the run", "run.jsonl", FILTERS)
        if name:
            path = Path(name)
            self.save(path if path.suffix else path.with_suffix(chosen.rsplit("*", 1)[-1].rstrip(")")))

    def save(self, path: Path) -> None:
        """Write what the run has so far, in the form that the file's ending names."""
        page = self._page
        try:
            written = self._write(path)
        except TraceFileError as error:
            page.head.say(str(error), "bad")
            page.failed.emit(str(error))
        else:
            page.head.say(f"Saved as {written}.")

    def _write(self, path: Path) -> str:
        """Write a file, or two of a comparison; return their names. Raises TraceFileError."""
        page, player = self._page, self._page.player
        match path.suffix:
            case ".jsonl" if page.comparing:
                paths = [path.with_suffix(f".{which}.jsonl") for which in ("left", "right")]
                for each, side in zip(paths, page.duet.sides, strict=True):
                    write_trace(each, side.recording.events())
                return " and ".join(each.name for each in paths)
            case ".jsonl":
                write_trace(path, player.marks.with_run(player.recording.events()))
            case ".json" if not page.comparing:
                write_chrome_trace(path, player.edge)
            case ".json":
                raise TraceFileError(f"{path}: a Chrome trace holds one run; run one of the two by itself.")
            case ".png":
                if not self._view().grab().save(str(path)):
                    raise TraceFileError(f"{path}: the picture cannot be written; choose another place.")
            case ".csv":
                _write_text(path, csv_of(self._table()))
            case _:
                raise TraceFileError(
                    f"{path}: has no ending that is known; the endings are {', '.join(FORMATS)}."
                )
        return path.name

    def ask_open(self) -> None:
        """Ask for a recording and show it; for two of them, side by side."""
        title = "Open a recording, or two to compare"
        names, _ = QFileDialog.getOpenFileNames(self._page, title, "", "Recordings (*.jsonl)")
        if len(names) == 2:
            self.open_pair(*sorted(map(Path, names)))
        elif names:
            self.open(Path(names[0]))

    def open_pair(self, left: Path, right: Path) -> None:
        """Show two recorded runs side by side, and what differs, if both are whole."""
        page = self._page
        try:
            runs = read_trace(left), read_trace(right)
            page.starter.show_recording(f"{left.name} and {right.name}", compared=True)
            page.comparer.show(runs)
        except (TraceFileError, TraceError) as error:
            page.head.say(str(error), "bad")
            page.failed.emit(str(error))
            return
        page.compare_panels.show_comparer(page.comparer)
        page.seek(0)

    def open(self, path: Path) -> None:
        """Show a recorded run; a long one can be watched while it is still being read."""
        try:
            reader = TraceReader(path)
        except TraceFileError as error:
            self._page.head.say(str(error), "bad")
            self._page.failed.emit(str(error))
            return
        self.close()
        self._page.starter.show_recording(path.name)
        self.reader = reader

    def ask_traffic(self) -> None:
        """Ask for a file of real traffic and offer it as a scenario."""
        name, _ = QFileDialog.getOpenFileName(
            self._page, "Replay traffic", "", "Traces of traffic (*.csv *.jsonl)"
        )
        if name:
            self.open_traffic(Path(name))

    def open_traffic(self, path: Path) -> None:
        """Offer a file of real traffic as a scenario, picked and ready to run."""
        from ladder_engine.tokenizer import Tokenizer

        try:
            words = Tokenizer.load(find_model("ladder-3m")).one_token_words()
            self._page.head.add(traffic_scenario(path, words))
        except EngineError as error:
            self._page.head.say(str(error), "bad")
            self._page.failed.emit(str(error))

    def close(self) -> None:
        """Read no further."""
        if self.reader is not None:
            self.reader.close()
            self.reader = None

    def feed(self) -> None:
        """Take the next piece of the recording that is being read. Raises TraceFileError, TraceError."""
        if self.reader is None:
            return
        try:
            self._page.player.feed(self.reader.read(EVENTS_A_FRAME))
        except Exception:
            self.close()
            raise
        if self.reader is not None and self.reader.done:
            self.reader = None

    def _view(self) -> QWidget:
        """The view that has the keyboard, or all of them."""
        face, focus = self._page.faces.face, QApplication.focusWidget()
        if face.plotting:
            return face.plots
        return next(
            (view for view in face.pictured if focus and (view is focus or view.isAncestorOf(focus))), face
        )

    def _table(self) -> TextTable:
        face, focus = self._page.faces.face, QApplication.focusWidget()
        if face.plotting:
            return face.plots.whole_table()
        return focus if isinstance(focus, TextTable) and face.isAncestorOf(focus) else face.table


def csv_of(table: TextTable) -> str:
    """The rows of a table as CSV, its columns' names first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name.replace("\n", ": ") for column in table.table.columns])
    writer.writerows(table.table.rows)
    return out.getvalue()


def _write_text(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise TraceFileError(f"{path}: cannot be written ({error.strerror}); choose another place.") from None
