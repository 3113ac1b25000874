import numpy as np

from kvviz.ui.views.thinning import thin_dots, thin_line


def test_few_points_stay_as_they_are():
    x, y = np.arange(40.0), np.arange(40.0) ** 2
    thin_x, thin_y = thin_line(x, y, 20)
    assert thin_x is x
    assert thin_y is y


def test_a_line_keeps_its_ends_and_every_peak():
    rng = np.random.default_rng(1)
    x, y = np.arange(10_000.0), rng.random(10_000)
    y[4_321], y[7_777] = 90.0, -90.0
    thin_x, thin_y = thin_line(x, y, 300)
    assert len(thin_x) == len(thin_y) == 600
    assert (np.diff(thin_x) >= 0).all()
    assert thin_x[0] == 0
    assert thin_x[-1] == 9_999
    assert thin_y.max() == 90.0
    assert thin_y.min() == -90.0


def test_a_smooth_line_gets_no_teeth():
    x = np.arange(5_000.0)
    assert (np.diff(thin_line(x, np.sqrt(x), 200)[1]) >= 0).all()
    assert (np.diff(thin_line(x, -np.sqrt(x), 200)[1]) <= 0).all()


def test_a_cloud_keeps_one_dot_a_square_and_its_strays():
    rng = np.random.default_rng(2)
    x, y = rng.random(10_000) * 300, rng.random(10_000) * 20
    x[5_000], y[5_000] = 150.0, 120.0
    thin_x, thin_y = thin_dots(x, y, 2.0)
    squares = set(zip(thin_x // 2, thin_y // 2, strict=True))
    assert len(squares) == len(thin_x)
    assert squares == set(zip(x // 2, y // 2, strict=True))
    assert (75.0, 60.0) in squares


def test_single_dots_stay_in_order():
    x, y = np.array([9.0, 1.0, 5.0]), np.array([1.0, 1.0, 1.0])
    assert thin_dots(x, y, 2.0)[0].tolist() == [9.0, 1.0, 5.0]
    assert len(thin_dots(x[:0], y[:0], 2.0)[0]) == 0
