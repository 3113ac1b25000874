"""The calculator's page: what is asked at the left, the answer, and the charts."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kvviz.session.calculator.texts import csv_text, markdown_text, plain_text
from kvviz.ui.calculator.charts import Charts
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.fields_part import FieldsPart
from kvviz.ui.calculator.figures import Figures
from kvviz.ui.calculator.formula_part import FormulaPart
from kvviz.ui.calculator.heads_part import HeadsPart
from kvviz.ui.calculator.layers_part import LayersPart
from kvviz.ui.calculator.load_part import LoadPart
from kvviz.ui.calculator.machine_part import MachinePart
from kvviz.ui.calculator.model_part import ModelPart
from kvviz.ui.calculator.notes_part import NotesPart
from kvviz.ui.calculator.total_part import TotalPart
from kvviz.ui.drop import take_copy
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.hairline import Hairline
from kvviz.ui.widgets.notice import NoticeBar

LEFT, CENTRE = 320, 440
RIGHTS = ((1800, 560), (1400, 460), (0, 400))  # from that width of the page on: of the charts
MARGIN, CENTRE_MARGIN = 16, 28
STACKED = 760  # px of height for the charts where they stand under the answer
TEXTS = {"markdown": markdown_text, "text": plain_text, "csv": csv_text}


class CalculatorPage(QWidget):
    """Lays the parts out; below some width the charts go under the answer."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__()
        self.desk, self.look = desk, look
        self.model, self.load = ModelPart(desk, look), LoadPart(desk, look)
        self.machine, self.fields = MachinePart(desk, look), FieldsPart(desk, look)
        self.total, self.formula = TotalPart(desk, look), FormulaPart(desk, look)
        self.figures, self.heads = Figures(desk, look), HeadsPart(desk, look, self)
        self.layers, self.notes = LayersPart(desk, look), NotesPart(desk, look, self)
        self._beside = Charts(desk, look)
        self._under: Charts | None = None
        self.notice = NoticeBar(look)
        self._said = ""
        self.side_by_side = True  # whether the charts stand beside the answer
        self._lay_out()
        self.setAccessibleName("Calculator")
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # a click beside everything ends typing
        set_ground(self, "bg0")
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), self)
        paste.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        paste.activated.connect(self.paste)
        self.model.pasted.connect(self.paste)
        self.notice.closed.connect(desk.dismiss)
        desk.changed.connect(self._tell)
        look.changed.connect(self._restyle)
        self._restyle()
        self._tell()

    @property
    def charts(self) -> Charts:
        """The charts that are in use."""
        return self._beside if self.side_by_side or self._under is None else self._under

    def text(self, kind: str) -> str:
        """Return the answer as markdown, text or csv."""
        return TEXTS[kind](self.desk.calculator)

    @Slot()
    def paste(self) -> None:
        """Size what is on the clipboard."""
        self.desk.paste(QGuiApplication.clipboard().text())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take anything: what is no config gets a sentence."""
        take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped here, as a config."""
        self.desk.drop(event.mimeData())
        take_copy(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the columns their widths."""
        super().resizeEvent(event)
        self._arrange()

    def _lay_out(self) -> None:
        self._left, self._centre = QWidget(), QWidget()
        self._controls = _column(self._left, self.model, self.load, self.machine, self.fields)
        self._answer = _column(
            self._centre,
            self.total,
            self.formula,
            self.figures,
            self.heads,
            self.layers,
            self.notes,
        )
        set_ground(self._left, "bg1")
        self._both = QWidget()
        self._stack = QVBoxLayout(self._both)
        self._stack.addWidget(self._centre)
        self._scroll, self._body = _scrolling(self._left), _scrolling(self._both)
        set_ground(self._scroll, "bg1")
        self._scroll.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._line = Hairline(vertical=True)
        columns, answers, whole = QHBoxLayout(), QVBoxLayout(), QHBoxLayout(self)
        for part in (self._body, self._line, self._beside):
            columns.addWidget(part, 1 if part is self._body else 0)
        answers.addWidget(self.notice)
        answers.addLayout(columns, 1)
        # Beside the controls, not above them: what is being typed into must not move away.
        whole.addWidget(self._scroll)
        whole.addWidget(Hairline(vertical=True))
        whole.addLayout(answers, 1)
        for layout in (self._stack, columns, answers, whole):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)

    def _arrange(self) -> None:
        """Put the charts beside the answer, or under it where there is no room for both."""
        px, width = self.look.px, self.width()
        right = px(next(units for least, units in RIGHTS if width >= px(least)))
        self.side_by_side = width - px(LEFT) - right >= px(CENTRE)
        self._beside.setFixedWidth(right)
        self._line.setVisible(self.side_by_side)
        self._beside.use(self.side_by_side)
        if not self.side_by_side and self._under is None:
            # Of its own: what is put elsewhere under a style sheet loses its fonts.
            self._under = Charts(self.desk, self.look)
            self._stack.addWidget(self._under)
        if self._under is not None:
            self._under.setMinimumHeight(px(STACKED))
            self._under.use(not self.side_by_side)

    @Slot()
    def _tell(self) -> None:
        """Say a refusal; the answer before stays on screen."""
        problem = self.desk.calculator.problem
        if problem == self._said:
            return
        self._said = problem
        if problem:
            self.notice.show_message(problem)
        else:
            self.notice.dismiss()

    @Slot()
    def _restyle(self) -> None:
        px = self.look.px
        self._scroll.setFixedWidth(px(LEFT))
        self._controls.setContentsMargins(px(MARGIN), px(12), px(MARGIN), px(16))
        self._controls.setSpacing(px(16))
        self._answer.setContentsMargins(px(CENTRE_MARGIN), px(20), px(CENTRE_MARGIN), px(20))
        self._answer.setSpacing(px(22))
        self._arrange()


def _column(widget: QWidget, *parts: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(widget)
    for part in parts:
        layout.addWidget(part)
    layout.addStretch(1)
    return layout


def _scrolling(content: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
