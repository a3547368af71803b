"""What a person can change while the engine runs: a prompt of their own, an abort, and the settings of the scheduler."""

from __future__ import annotations

from ladder_engine.config import EngineConfig
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.chooser import Chooser

ADMISSIONS = {"fcfs": "first come, first served", "priority": "by priority", "fair": "fair between clients"}
COMPOSITIONS = {
    "mixed": "prompts and decodes",
    "prefill_first": "prompts first, alone",
    "decode_first": "decodes first, alone",
}


class TouchPanel(QScrollArea):
    """Emits `added` (prompt, max_tokens), `abort_wanted`, and `configured` (the setting's name and its new value)."""

    added = Signal(str, int)
    abort_wanted = Signal()
    configured = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plain")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Touch the engine")
        self.prompt = QLineEdit()
        self.prompt.setPlaceholderText("A prompt of your own")
        self.prompt.setAccessibleName("A prompt of your own")
        self.max_tokens = self._number("Most tokens of its answer", 1, 4096)
        self.max_tokens.setValue(32)
        self.add = QPushButton("Add")
        self.add.setAccessibleName("Add the prompt to the queue")
        self.abort = QPushButton("Abort selected")
        self.abort.setMinimumWidth(1)
        self.abort.setAccessibleName("Abort the selected request")
        self.max_num_seqs = self._number("Most requests that run at once", 1, 4096)
        self.max_num_batched_tokens = self._number("Most tokens a step computes", 1, 65536)
        self.num_speculative_tokens = self._number("Length of the drafts; 0 for none", 0, 32)
        self.max_prefill_chunk = self._number(
            "Most tokens of a prompt that a step reads; 0 for no limit", 0, 65536
        )
        self.max_prefill_chunk.setSpecialValueText("no limit")
        self.prefix_caching = QCheckBox("on")
        self.prefix_caching.setAccessibleName("Prefix caching")
        self.static_batching = QCheckBox("on")
        self.static_batching.setAccessibleName("Static batching")
        self.admission = _chooser("Who enters first", "Orders of admission", ADMISSIONS)
        self.composition = _chooser("What shares a step", "Compositions of a step", COMPOSITIONS)
        self.note = QLabel(
            "Run a scenario; pause it (Space) and the engine holds. What you change here it does next."
        )
        self.note.setWordWrap(True)
        self.note.setProperty("role", "muted")
        self._lay_out()
        self._connect()
        self.show_engine(None, running=False, selected=None)

    def show_engine(self, config: EngineConfig | None, running: bool, selected: str | None) -> None:
        """Show the settings the engine has, and what can be touched: nothing unless it runs."""
        for widget in (self.prompt, self.max_tokens, self.add, *self._settings()):
            widget.setEnabled(running)
        self.abort.setEnabled(running and selected is not None)
        self.abort.setText(f"Abort {selected}" if selected else "Abort selected")
        if config is None:
            return
        values = (
            (self.max_num_seqs, config.max_num_seqs),
            (self.max_num_batched_tokens, config.max_num_batched_tokens),
            (self.num_speculative_tokens, config.num_speculative_tokens),
            (self.max_prefill_chunk, config.max_prefill_chunk or 0),
        )
        for box, value in values:
            if not box.hasFocus():
                with QSignalBlocker(box):
                    box.setValue(value)
        for check, on in (
            (self.prefix_caching, config.prefix_caching),
            (self.static_batching, config.batching == "static"),
        ):
            with QSignalBlocker(check):
                check.setChecked(on)
        for chooser, key in ((self.admission, config.admission), (self.composition, config.composition)):
            with QSignalBlocker(chooser):
                chooser.setCurrentIndex(chooser.findData(key))

    def say(self, sentence: str) -> None:
        """Say what came of the last touch."""
        self.note.setText(sentence)

    def _settings(self) -> tuple[QWidget, ...]:
        return (self.max_num_seqs, self.max_num_batched_tokens, self.max_prefill_chunk, self.num_speculative_tokens,
                self.prefix_caching, self.static_batching, self.admission, self.composition)  # fmt: skip

    def _number(self, name: str, least: int, most: int) -> QSpinBox:
        box = QSpinBox()
        box.setRange(least, most)
        box.setKeyboardTracking(False)
        box.setFixedWidth(max(84, box.fontMetrics().horizontalAdvance("no limit") + 44))
        box.setAccessibleName(name)
        box.lineEdit().setAccessibleName(name)
        box.setToolTip(name)
        return box

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(6)
        column.addWidget(self.prompt)
        row = QHBoxLayout()
        row.addWidget(self.max_tokens)
        row.addWidget(self.add, 1)
        column.addLayout(row)
        column.addWidget(self.abort)
        form = QFormLayout()
        form.setSpacing(5)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow("max_num_seqs", self.max_num_seqs)
        form.addRow("token budget", self.max_num_batched_tokens)
        form.addRow("prefill chunk", self.max_prefill_chunk)
        form.addRow("draft tokens", self.num_speculative_tokens)
        form.addRow("prefix cache", self.prefix_caching)
        form.addRow("static batch", self.static_batching)
        form.addRow("admission", self.admission)
        form.addRow("a step takes", self.composition)
        column.addLayout(form)
        column.addWidget(self.note)
        column.addStretch(1)
        self.setWidget(content)
        self.setMinimumWidth(content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width())

    def _connect(self) -> None:
        self.add.clicked.connect(self._add)
        self.prompt.returnPressed.connect(self._add)
        self.abort.clicked.connect(self.abort_wanted)
        self.max_num_seqs.valueChanged.connect(self._seqs_changed)
        self.max_num_batched_tokens.valueChanged.connect(self._budget_changed)
        self.num_speculative_tokens.valueChanged.connect(self._drafts_changed)
        self.prefix_caching.toggled.connect(self._caching_changed)
        self.static_batching.toggled.connect(self._batching_changed)
        self.max_prefill_chunk.valueChanged.connect(self._chunk_changed)
        self.admission.currentIndexChanged.connect(self._admission_changed)
        self.composition.currentIndexChanged.connect(self._composition_changed)

    def _add(self) -> None:
        if self.prompt.isEnabled() and self.prompt.text().strip():
            self.added.emit(self.prompt.text(), self.max_tokens.value())
            self.prompt.clear()

    def _seqs_changed(self, value: int) -> None:
        self.configured.emit("max_num_seqs", value)

    def _budget_changed(self, value: int) -> None:
        self.configured.emit("max_num_batched_tokens", value)

    def _chunk_changed(self, value: int) -> None:
        self.configured.emit("max_prefill_chunk", value or None)

    def _composition_changed(self, index: int) -> None:
        self.configured.emit("composition", self.composition.itemData(index))

    def _drafts_changed(self, value: int) -> None:
        self.configured.emit("num_speculative_tokens", value)

    def _caching_changed(self, on: bool) -> None:
        self.configured.emit("prefix_caching", on)

    def _batching_changed(self, on: bool) -> None:
        self.configured.emit("batching", "static" if on else "continuous")

    def _admission_changed(self, index: int) -> None:
        self.configured.emit("admission", self.admission.itemData(index))


def _chooser(name: str, choices: str, words: dict[str, str]) -> Chooser:
    chooser = Chooser()
    chooser.setAccessibleName(name)
    chooser.view().setAccessibleName(choices)
    for key, text in words.items():
        chooser.addItem(text, key)
    chooser.setMinimumWidth(chooser.sizeHint().width())
    return chooser
