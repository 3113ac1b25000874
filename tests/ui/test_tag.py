import pytest

from kvviz.ui.widgets.tag import Tag


@pytest.mark.parametrize("word", ["measured", "formula", "simulated"])
def test_a_tag_says_what_its_word_means(qtbot, look, word):
    tag = Tag(look, word)
    qtbot.addWidget(tag)
    assert tag.text() == word
    assert tag.toolTip().removeprefix("<qt>").lower().startswith(word)
    assert tag.accessibleDescription().lower().startswith(word)


def test_another_tag_says_what_it_is_told_to(qtbot, look):
    tag = Tag(look, "pinned", "The reference run.")
    qtbot.addWidget(tag)
    assert tag.toolTip() == "<qt>The reference run.</qt>"


@pytest.mark.parametrize("zoom", [0.75, 1.0, 2.0])
def test_a_tag_is_not_cut(qtbot, dressed, zoom):
    dressed.set_zoom(zoom)
    tag = Tag(dressed, "measured")
    qtbot.addWidget(tag)
    tag.adjustSize()
    assert tag.fontMetrics().horizontalAdvance("measured") < tag.width()
