from kvviz.ui.theme import DARK, LIGHT, ThemeChoice
from kvviz.ui.widgets.label import Label


def ink(label):
    return label.palette().windowText().color().name().upper()


def test_a_label_follows_theme_and_zoom(qtbot, look):
    label = Label(look, "Layers", tone="secondary")
    qtbot.addWidget(label)
    assert ink(label) == DARK.secondary
    look.choose(ThemeChoice.LIGHT)
    look.set_zoom(2.0)
    assert ink(label) == LIGHT.secondary
    assert label.font().pixelSize() == 26
    label.set_tone("error")
    assert (ink(label), label.tone) == (LIGHT.error, "error")


def test_every_second_part_of_a_label_is_stressed_in_the_themes_text(qtbot, look):
    label = Label(look, tone="secondary")
    qtbot.addWidget(label)
    label.set_parts("used ", "51.0 KiB", " of ", "<192>")
    assert "&lt;192&gt;" in label.text()
    assert label.text().count(DARK.text) == 2
    look.choose(ThemeChoice.LIGHT)
    assert label.text().count(LIGHT.text) == 2
