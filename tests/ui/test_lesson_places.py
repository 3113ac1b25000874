import pytest
from hand_made import hand_made_trace
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.session.regions import Region
from kvviz.ui.lessons.places import grid_part, lit_by
from kvviz.ui.lessons.spotlight import MARGIN, Lit, Spotlight
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.memory_chart import MemoryChart
from kvviz.ui.views.token_strip import TokenStrip


@pytest.fixture
def page(qtbot, store, look):
    """A window with a grid and the tokens, a run of 6 + 24 tokens at decode step 4."""
    page = QWidget()
    page.grid, page.tokens = GridView(store, look), TokenStrip(store, look)
    row = QHBoxLayout(page)
    row.addWidget(page.grid)
    row.addWidget(page.tokens)
    page.views = {Region.GRID: page.grid, Region.TOKENS: page.tokens}
    page.light = Spotlight(look, page)
    qtbot.addWidget(page)
    page.resize(1200, 700)
    page.show()
    page.light.setGeometry(page.rect())
    store.adopt(hand_made_trace())
    store.seek(4)
    qtbot.waitUntil(lambda: page.grid.camera.side == 29 and store.frames.idle)
    return page


def test_a_view_is_lit_whole(page):
    lit = lit_by(Region.TOKENS, page.views, page.light)
    assert lit.view == lit.part == QRectF(page.tokens.geometry())


def test_the_newest_row_is_where_the_step_put_it(page):
    camera = page.grid.camera
    box = grid_part(Region.GRID_NEWEST, page.grid)
    above, below = camera.y(9) - box.top() + MARGIN, box.bottom() + MARGIN - camera.y(10)
    assert 0 < above <= camera.cell / 4 < MARGIN  # the row above is hardly covered
    assert above == pytest.approx(below)
    assert box.width() == pytest.approx(10 * camera.cell)


def test_the_prefill_is_a_square_of_its_rows(page):
    box = grid_part(Region.GRID_PREFILL, page.grid)
    assert box.width() == box.height() == pytest.approx(6 * page.grid.camera.cell)


def test_a_cell_is_lit_where_one_is_chosen(page, store):
    assert lit_by(Region.GRID_CELL, page.views, page.light) is None
    store.select(cell=(7, 2))
    box = grid_part(Region.GRID_CELL, page.grid)
    assert box == page.grid.camera.cell_rect(7, 2)
    column = grid_part(Region.GRID_COLUMN, page.grid)
    assert column.top() == pytest.approx(page.grid.camera.y(2))
    assert column.bottom() == pytest.approx(page.grid.camera.y(10))


def test_the_masked_part_touches_no_cell_and_no_words(page):
    camera = page.grid.camera
    box = grid_part(Region.GRID_MASKED, page.grid)
    seen = [camera.cell_rect(row, key) for row in range(29) for key in range(row + 1)]
    around = box.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    assert not any(around.intersects(cell) for cell in seen)
    assert box.top() - MARGIN > camera.y(0) + page.grid.fontMetrics().height()


def test_an_outline_has_a_gap_where_it_would_cross_words(page, look):
    lit = lit_by(Region.GRID_NEWEST, page.views, page.light)
    [note] = page.grid.notes
    assert lit.words == (note.translated(lit.view.topLeft()),)
    inside = lit.words[0].toRect()
    part = QRectF(inside).adjusted(-40, -40, -inside.width() / 2, 40)
    tones = []
    for words in (lit.words, ()):
        page.light.light([Lit(lit.view, part, words)])
        image = page.light.grab().toImage()
        across = range(inside.left(), inside.right())
        tones.append({image.pixelColor(x, inside.center().y()).name() for x in across})
    assert len(tones[0]) == 1 < len(tones[1])


def test_what_caches_hold_is_outlined_close(qtbot, store, look):
    chart = MemoryChart(store, look)
    qtbot.addWidget(chart)
    chart.resize(400, 240)
    chart.show()
    store.adopt(hand_made_trace())
    lit = lit_by(Region.MEMORY_HELD, {Region.MEMORY: chart}, chart)
    held = QRectF(chart.held.geometry())
    assert lit.part.top() - MARGIN == held.top() - 1
    assert lit.part.bottom() + MARGIN == held.bottom() + 1


def test_before_the_first_step_there_is_no_newest_row(page, store):
    store.seek(-1)
    assert lit_by(Region.GRID_NEWEST, page.views, page.light) is None


def test_what_is_not_on_screen_is_not_lit(page):
    page.tokens.hide()
    assert lit_by(Region.TOKENS, page.views, page.light) is None


def test_the_rest_is_dimmer(page, look):
    light = page.light
    box = QRectF(page.tokens.geometry())
    light.light([Lit(box, None)])
    light.show()
    image = light.grab().toImage()
    inside = image.pixelColor(box.center().toPoint())
    outside = image.pixelColor(5, 5)
    assert outside != inside
    light.light([])
    assert light.lit == ()
