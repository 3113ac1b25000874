"""The window: bar, three columns, transport."""

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from kvviz.ui.centre import Centre
from kvviz.ui.changes import Change
from kvviz.ui.chart_column import ChartColumn
from kvviz.ui.files import FileDesk
from kvviz.ui.panels.control_column import ControlColumn
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.top_bar import TopBar
from kvviz.ui.transport import Transport
from kvviz.ui.widgets.notice import NoticeBar
from kvviz.ui.worker import Worker

CONTROLS_WIDTH = 280
CHARTS_WIDTH = 372


class MainWindow(QMainWindow):
    """Lays the parts out, starts the worker once it is on screen, and closes all down."""

    def __init__(self, worker: Worker, store: Store, look: ThemeManager, files: FileDesk) -> None:
        super().__init__()
        self.store, self.look, self.files = store, look, files
        self._worker = worker
        self._path: str | None = None
        self._begun = False
        self.top_bar = TopBar(store, look)
        self.notice_bar = NoticeBar(look)
        self.controls = ControlColumn(store, look)
        self.centre = Centre(store, look)
        self.charts = ChartColumn(store, look)
        self.transport = Transport(store, look)
        self.columns = self._build_columns()
        self._lay_out()
        self.setAcceptDrops(True)
        self.setWindowTitle("kvviz")
        self.notice_bar.closed.connect(store.dismiss_notice)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)

    def begin_with(self, path: str | None) -> None:
        """Say what to open once the window is there: a file, or the default prompt."""
        self._path = path

    def showEvent(self, event: QShowEvent) -> None:
        """Start the worker after the first paint: importing torch must not delay it."""
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            QTimer.singleShot(0, self._begin)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End timers and threads; closing always works."""
        self.files.shut_down()
        self.store.shut_down()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        self.files.open_dropped(event.mimeData())

    @Slot()
    def _begin(self) -> None:
        self._worker.start()
        if self._path is None:
            self.store.run()
        else:
            self.files.open_path(self._path)

    def _build_columns(self) -> QSplitter:
        columns = QSplitter(Qt.Orientation.Horizontal)
        for column in (self.controls, self.centre, self.charts):
            columns.addWidget(column)
        columns.setStretchFactor(0, 0)
        columns.setStretchFactor(1, 1)
        columns.setStretchFactor(2, 0)
        columns.setChildrenCollapsible(False)
        columns.setHandleWidth(1)
        return columns

    def _lay_out(self) -> None:
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self.top_bar, self.notice_bar):
            layout.addWidget(part)
        layout.addWidget(self.columns, 1)
        layout.addWidget(self.transport)
        self.setCentralWidget(body)
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        px = self.look.px
        self.columns.setSizes(
            [px(CONTROLS_WIDTH), self.width() - px(CONTROLS_WIDTH + CHARTS_WIDTH), px(CHARTS_WIDTH)]
        )

    def _on_changed(self, changes: Change) -> None:
        if changes & Change.RUNS:
            run = self.store.shown
            self.setWindowTitle(f"{run.label} - kvviz" if run else "kvviz")
        if changes & Change.NOTICE:
            self._show_notice()

    def _show_notice(self) -> None:
        notice = self.store.notice
        if notice is None:
            self.notice_bar.dismiss()
        elif notice.is_error:
            self.notice_bar.show_message(notice.text)
        else:
            self.notice_bar.show_message(notice.text, "good", seconds=6)
