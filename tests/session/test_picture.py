import numpy as np
import pytest

from kvviz.session.picture import Picture


def random_rows(size, seed=3):
    rows = np.random.default_rng(seed).integers(1, 255, (size, size), np.uint8)
    return np.tril(rows)


def pooled(cells, factor):
    side = -(-len(cells) // factor)
    padded = np.zeros((side * factor, side * factor), np.uint8)
    padded[: len(cells), : len(cells)] = cells
    return padded.reshape(side, factor, side, factor).max(axis=(1, 3))


@pytest.mark.parametrize("size", [1, 3, 64, 65, 150, 257])
@pytest.mark.parametrize("chunk", [1, 7, 128])
def test_every_level_is_the_maximum_of_its_cells(size, chunk):
    cells = random_rows(size)
    picture = Picture(size, max_side=8192)
    for start in range(0, size, chunk):
        picture.put_rows(start, cells[start : start + chunk, : start + chunk])
    assert picture.rows == size
    for level, image in enumerate(picture.levels):
        expected = pooled(cells, picture.factor(level))
        assert (image[:, : expected.shape[1]] == expected).all()
        assert image.shape[1] % 4 == 0


def test_a_grid_beyond_the_largest_side_starts_pooled():
    cells = random_rows(300)
    picture = Picture(300, max_side=128)
    assert picture.factor(0) == 4
    for start in range(0, 300, 11):
        picture.put_rows(start, cells[start : start + 11, : start + 11])
    expected = pooled(cells, 4)
    assert (picture.levels[0][:, : expected.shape[1]] == expected).all()


def test_one_bright_row_is_in_every_level():
    picture = Picture(1000, max_side=8192)
    picture.put_rows(0, np.full((1000, 1000), 5, np.uint8))
    row = np.full((1, 700), 200, np.uint8)
    picture.put_rows(699, row)
    for level, image in enumerate(picture.levels):
        line = image[699 // picture.factor(level)]
        assert (line[: 700 // picture.factor(level)] == 200).all()


def test_the_level_for_a_zoom_never_has_more_pixels_than_the_screen():
    picture = Picture(4096, max_side=8192)
    for cells_per_pixel in (0.1, 1.0, 1.5, 2.0, 5.9, 64.0):
        factor = picture.factor(picture.level_for(cells_per_pixel))
        assert factor >= cells_per_pixel
        assert factor == 1 or factor < 2 * cells_per_pixel


@pytest.mark.parametrize("max_side", [8192, 64])
@pytest.mark.parametrize("rows", [1, 2, 21, 131, 200])
def test_what_comes_later_is_not_in_the_last_line(rows, max_side):
    cells = random_rows(200)
    picture = Picture(200, max_side)
    picture.put_rows(0, cells)
    known = -(-rows // picture.factor(0)) * picture.factor(0)  # the finest level starts pooled
    for level in range(len(picture.levels)):
        factor = picture.factor(level)
        so_far = np.where(np.arange(200)[:, None] < known, cells, 0)
        expected = pooled(so_far, factor)[: -(-rows // factor)]
        for first in (0, len(expected) - 1):
            lines = picture.lines(level, first, rows)
            assert (lines[:, : expected.shape[1]] == expected[first:]).all()
