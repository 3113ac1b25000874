from PySide6.QtGui import QFontDatabase, QFontInfo, QFontMetricsF

from kvviz.ui.fonts import MEDIUM, REGULAR, SEMIBOLD, load_fonts, make_font


def test_inter_is_shipped_in_its_weights(qapp):
    family = load_fonts()
    assert family == "Inter"
    for weight in (REGULAR, MEDIUM, SEMIBOLD):
        info = QFontInfo(make_font(family, 13, weight))
        assert (info.family(), info.weight()) == ("Inter", weight)


def test_digits_are_of_one_width(qapp):
    metrics = QFontMetricsF(make_font(load_fonts(), 13))
    assert len({metrics.horizontalAdvance(digit * 8) for digit in "0123456789"}) == 1


def test_letters_are_not_boxes(qapp):
    metrics = QFontMetricsF(make_font(load_fonts(), 13))
    assert metrics.horizontalAdvance("W") > 2 * metrics.horizontalAdvance("i")


def test_without_the_files_the_system_font_is_used(qapp, tmp_path):
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    assert load_fonts(tmp_path / "nowhere") == system


def test_a_damaged_file_is_as_good_as_none(qapp, tmp_path):
    (tmp_path / "Inter-Regular.otf").write_bytes(b"<html>not a font</html>")
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    assert load_fonts(tmp_path) == system


def test_sizes_follow_the_zoom_and_never_vanish(qapp):
    assert make_font("Inter", 11, zoom=1.5).pixelSize() == 16
    assert make_font("Inter", 11, zoom=0.01).pixelSize() == 1
