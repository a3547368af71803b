"""The palette's dialog: a line to type into and the list of what fits, by keyboard alone or by mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from ladder_desktop.palette.line_painter import LINE_ROLE, LinePainter
from ladder_desktop.palette.lines import Line, offered
from ladder_desktop.search import Hit

WIDTH, HEIGHT = 720, 460
NOTHING = "Nothing is called that, and nothing in the pack holds these words. Fewer letters find more."
WALKING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Palette(QDialog):
    """Offers lines for what is typed; `chosen` carries the one a person took. It closes itself first."""

    chosen = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        own: Sequence[Line],
        recent: Sequence[Line],
        find: Callable[[str, int], Iterable[Hit]],
    ) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._own, self._recent, self._find = own, recent, find
        self.setObjectName("palette")
        self.setWindowTitle("Palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = QLineEdit()
        self.line.setObjectName("paletteLine")
        self.line.setPlaceholderText("Go anywhere, do anything, find any words   (> for actions alone)")
        self.line.setAccessibleName("Search actions, pages and the whole pack")
        self.line.textChanged.connect(self._offer)
        self.line.installEventFilter(self)
        self.list = QListWidget()
        self.list.setObjectName("paletteLines")
        self.list.setAccessibleName("What fits")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(LinePainter(self.list))
        self.list.itemClicked.connect(self._take)
        self.foot = QLabel()
        self.foot.setProperty("role", "muted")
        self.foot.setTextFormat(Qt.TextFormat.PlainText)
        self.foot.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 10)
        layout.addWidget(self.line)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.foot)
        self.resize(min(WIDTH, parent.width() - 40), min(HEIGHT, parent.height() - 60))
        self.move(parent.mapToGlobal(parent.rect().center()).x() - self.width() // 2, parent.y() + 60)
        self._offer("")

    def lines(self) -> list[Line]:
        """What is offered now, in order."""
        return [self.list.item(row).data(LINE_ROLE) for row in range(self.list.count())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow and page keys walk in the list, and Enter take a line, while the focus stays in the text."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in WALKING:
                self._walk(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _walk(self, event: QKeyEvent) -> None:
        page = max(1, self.list.viewport().height() // max(1, self.list.sizeHintForRow(0)) - 1)
        steps = dict(zip(WALKING, (-1, 1, -page, page), strict=True))
        row = self.list.currentRow() + steps[Qt.Key(event.key())]
        self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
        self._tell()

    def _offer(self, text: str) -> None:
        self.list.clear()
        for line in offered(text, self._own, self._recent, self._find):
            item = QListWidgetItem()
            item.setData(LINE_ROLE, line)
            spoken = (line.title, line.keys, line.why_not or line.detail)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(part for part in spoken if part))
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self._tell()

    def _tell(self) -> None:
        item = self.list.currentItem()
        line: Line | None = item.data(LINE_ROLE) if item else None
        self.foot.setText(NOTHING if line is None else "Enter takes it, the arrows choose, Esc leaves")

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        line: Line = item.data(LINE_ROLE)
        if line.why_not:
            self.foot.setText(f"{line.title}: {line.why_not}")
            return
        self.accept()
        self.chosen.emit(line)
