from kvviz.ui.widgets.figure import Figure
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import Tag


def test_a_heading_keeps_its_words_and_shows_capitals(qtbot, look):
    figure = Figure(look, "KV cache")
    header = SectionHeader(look, "KV memory", ("measured", "formula"), figure)
    qtbot.addWidget(header)
    assert (header.text, header.accessibleName()) == ("KV memory", "KV memory")
    assert [tag.text() for tag in header.findChildren(Tag)] == ["measured", "formula"]
    assert figure.parent() is header
    header.set_text("Latency")
    assert (header.text, header.accessibleName()) == ("Latency", "Latency")
