import pytest

from kvviz.ui.views.rich_line import RichLine, plain


@pytest.fixture
def line(qtbot, look):
    view = RichLine(look)
    qtbot.addWidget(view)
    view.set_parts(plain("used 34.0 KiB of 128 KiB reserved"), plain("34.0 KiB"))
    return view


def test_the_longest_way_that_fits_is_shown(line):
    line.resize(line.sizeHint())
    assert line.text == "used 34.0 KiB of 128 KiB reserved"
    assert not line.is_elided
    line.resize(80, 20)
    assert line.text == "34.0 KiB"
    assert not line.is_elided
    line.resize(20, 20)
    assert line.text == "34.0 KiB"
    assert line.is_elided


def test_only_a_firm_one_insists_on_its_width(look, qtbot):
    soft, firm = RichLine(look), RichLine(look, firm=True)
    for view in (soft, firm):
        qtbot.addWidget(view)
        view.set_parts(plain("used 34.0 KiB"))
    assert soft.minimumSizeHint().width() == 0
    assert firm.minimumSizeHint() == firm.sizeHint()


def test_it_grows_with_the_zoom(line, look):
    before = line.sizeHint()
    look.set_zoom(2.0)
    assert line.sizeHint().width() > 1.8 * before.width()
    assert line.sizeHint().height() == 2 * before.height()
