import pytest
from PySide6.QtWidgets import QLabel

from kvviz.ui.widgets.figure import Figure
from kvviz.ui.widgets.tag import Tag


def test_a_figure_shows_and_says_its_number(qtbot, look):
    figure = Figure(look, "KV cache", unit="KiB used", tag="measured")
    qtbot.addWidget(figure)
    assert figure.text == "—"
    figure.set_value("51.0")
    assert (figure.text, figure.unit) == ("51.0", "KiB used")
    assert figure.accessibleName() == "KV cache: 51.0 KiB used"
    figure.set_value("1.2", "MiB used")
    assert figure.accessibleName() == "KV cache: 1.2 MiB used"
    assert [tag.text() for tag in figure.findChildren(Tag)] == ["measured"]


@pytest.mark.parametrize("size", [20, "answer"])
def test_a_figures_words_stand_on_one_line(qtbot, look, size):
    figure = Figure(look, "TTFT", caption="TTFT", unit="ms", size=size)
    qtbot.addWidget(figure)
    figure.set_value("3.1")
    figure.adjustSize()
    figure.grab()

    def baseline(label):
        bottom = label.geometry().bottom() - label.contentsMargins().bottom()
        return bottom - label.fontMetrics().descent()

    labels = [label for label in figure.findChildren(QLabel) if label.text()]
    lines = [baseline(label) for label in labels]
    assert len(lines) == 3
    assert max(lines) - min(lines) <= 1
