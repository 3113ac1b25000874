import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from kvviz.ui.theme import DARK
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.slider_row import SliderRow

MEMORY = "96 tokens need 3 GiB and 2 GiB are free: choose fewer."


@pytest.fixture
def panel(qtbot, dressed):
    panel = QWidget()
    qtbot.addWidget(panel)
    QVBoxLayout(panel)
    return panel


@pytest.fixture
def make(panel, dressed, qtbot):
    """Build a row in a shown panel; the row keeps what it said in ``heard``."""

    def build(*args, **kwargs):
        row = SliderRow(dressed, *args, **kwargs)
        panel.layout().addWidget(row)
        row.heard = []
        row.moved.connect(lambda value: row.heard.append(("moved", value)))
        row.settled.connect(lambda value: row.heard.append(("settled", value)))
        panel.resize(280, 120)
        panel.show()
        panel.activateWindow()
        qtbot.waitUntil(panel.isActiveWindow)
        return row

    return build


@pytest.fixture
def tokens(make):
    return make("New tokens", "tokens", range(1, 129), 24, tooltip="How many tokens to write.")


@pytest.fixture
def kv_heads(make):
    return make("KV heads", "", [1, 2, 3, 6], 2)


def type_in(row, text, end=Qt.Key.Key_Return):
    QTest.mouseClick(row.edit, Qt.MouseButton.LeftButton)
    row.edit.selectAll()
    QTest.keyClicks(row.edit, text)
    QTest.keyClick(row.edit, end)


def test_a_key_moves_to_the_next_allowed_value(kv_heads):
    QTest.keyClick(kv_heads.slider, Qt.Key.Key_Right)
    QTest.keyClick(kv_heads.slider, Qt.Key.Key_Right)
    assert kv_heads.heard == [("moved", 3), ("settled", 3), ("moved", 6), ("settled", 6)]
    assert (kv_heads.value, kv_heads.edit.text()) == (6, "6")


def test_enter_commits_what_is_typed(tokens):
    type_in(tokens, "64")
    assert tokens.heard == [("moved", 64), ("settled", 64)]
    assert (tokens.value, tokens.edit.text(), tokens.hint) == (64, "64", "")
    assert tokens.slider.hasFocus()


def test_esc_takes_back_what_is_typed(tokens):
    type_in(tokens, "64", end=Qt.Key.Key_Escape)
    assert (tokens.heard, tokens.value, tokens.edit.text()) == ([], 24, "24")


def test_leaving_commits_what_is_typed(tokens):
    QTest.mouseClick(tokens.edit, Qt.MouseButton.LeftButton)
    QTest.keyClicks(tokens.edit, "64")
    tokens.slider.setFocus()
    assert tokens.heard == [("moved", 64), ("settled", 64)]


def test_pressing_a_button_commits_what_is_typed_first(panel, dressed, tokens):
    run = Button(dressed, "Run")
    panel.layout().addWidget(run)
    run.clicked.connect(lambda: tokens.heard.append("run"))
    QTest.mouseClick(tokens.edit, Qt.MouseButton.LeftButton)
    QTest.keyClicks(tokens.edit, "64")
    QTest.mouseClick(run, Qt.MouseButton.LeftButton)
    assert tokens.heard == [("moved", 64), ("settled", 64), "run"]


def test_a_click_selects_so_that_typing_replaces(tokens):
    QTest.mouseClick(tokens.edit, Qt.MouseButton.LeftButton)
    QTest.keyClicks(tokens.edit, "7\r")
    assert tokens.value == 7


def test_a_digit_on_the_slider_starts_typing(tokens):
    tokens.slider.setFocus()
    QTest.keyClick(tokens.slider, Qt.Key.Key_4)
    assert tokens.edit.hasFocus()
    QTest.keyClicks(tokens.edit, "8\r")
    assert tokens.value == 48
    assert tokens.slider.hasFocus()


@pytest.mark.parametrize(("typed", "value"), [("999", 128), ("0", 1), ("-4", 1), ("2.4", 2)])
def test_a_number_out_of_range_becomes_the_nearest_and_says_so(tokens, typed, value):
    type_in(tokens, typed)
    assert tokens.value == value
    assert tokens.hint == f"New tokens can be 1 to 128; {typed} became {value}."
    assert tokens.hint in tokens.toolTip()
    assert tokens.edit.property("bad") is True


def test_between_the_steps_the_nearest_is_taken(kv_heads):
    type_in(kv_heads, "5")
    assert kv_heads.value == 6
    assert kv_heads.hint == "KV heads can be 1, 2, 3, 6; 5 became 6."


def test_values_between_the_steps_can_be_allowed(make):
    row = make("Length", "", [8, 16, 32, 64], 8, typed=range(1, 65))
    type_in(row, "20")
    assert (row.value, row.hint, row.slider.value()) == (20, "", 1)


def test_words_are_no_number(tokens):
    type_in(tokens, "many")
    assert (tokens.value, tokens.edit.text(), tokens.heard) == (24, "24", [])
    assert tokens.hint == "“many” is not a number; type one of 1 to 128."


def test_the_hint_goes_with_the_next_wish(tokens):
    type_in(tokens, "999")
    type_in(tokens, "64")
    assert (tokens.hint, tokens.edit.property("bad")) == ("", False)


def test_set_value_has_no_echo(tokens):
    tokens.set_value(100)
    assert (tokens.value, tokens.edit.text(), tokens.slider.value(), tokens.heard) == (
        100,
        "100",
        99,
        [],
    )


def test_set_value_leaves_a_number_being_typed_alone(tokens):
    QTest.mouseClick(tokens.edit, Qt.MouseButton.LeftButton)
    QTest.keyClicks(tokens.edit, "6")
    tokens.set_value(100)
    QTest.keyClicks(tokens.edit, "4\r")
    assert tokens.value == 64


@pytest.mark.parametrize("way", ["type", "key"])
def test_nothing_gets_past_the_limit_and_the_reason_is_said(tokens, way):
    tokens.set_limit(95, MEMORY)
    assert MEMORY in tokens.toolTip()
    if way == "type":
        type_in(tokens, "120")
    else:
        QTest.keyClick(tokens.slider, Qt.Key.Key_End)
    assert (tokens.value, tokens.edit.text(), tokens.hint) == (95, "95", MEMORY)
    assert tokens.heard == [("moved", 95), ("settled", 95)]


def test_a_limit_between_steps_stops_below(kv_heads):
    kv_heads.set_limit(5, MEMORY)
    QTest.keyClick(kv_heads.slider, Qt.Key.Key_End)
    assert kv_heads.value == 3


def test_a_limit_beyond_the_end_is_none(tokens):
    tokens.set_limit(4096, MEMORY)
    assert tokens.slider.limit is None
    assert MEMORY not in tokens.toolTip()
    tokens.set_limit(None)
    QTest.keyClick(tokens.slider, Qt.Key.Key_End)
    assert tokens.value == 128


def test_a_value_past_the_limit_is_shown_as_such(tokens):
    tokens.set_limit(10, MEMORY)
    assert tokens.value == 24
    assert tokens.edit.property("bad") is True
    assert tokens.edit.palette().text().color().name().upper() == DARK.error
    tokens.set_limit(None)
    assert tokens.edit.property("bad") is False


def test_other_steps_keep_the_value_and_the_limit(kv_heads):
    kv_heads.set_limit(4, MEMORY)
    kv_heads.set_steps([1, 2, 4, 8])
    assert (kv_heads.value, kv_heads.slider.value()) == (2, 1)
    QTest.keyClick(kv_heads.slider, Qt.Key.Key_End)
    assert kv_heads.value == 4
    assert kv_heads.slider.maximum() == 3


def test_off_it_says_why(tokens):
    tokens.set_reason("There is no run to continue.")
    assert not tokens.isEnabled()
    assert "There is no run to continue." in tokens.toolTip()
    assert "There is no run to continue." in tokens.accessibleDescription()
    tokens.set_reason(None)
    assert tokens.isEnabled()
    assert "no run" not in tokens.toolTip()


def test_the_tooltip_says_what_it_does_its_limits_and_its_unit(tokens):
    assert "How many tokens to write." in tokens.toolTip()
    assert "1 to 128, in tokens." in tokens.toolTip()


def test_it_has_names_for_a_screen_reader(tokens):
    assert tokens.slider.accessibleName() == "New tokens, tokens"
    assert tokens.edit.accessibleName() == "New tokens, tokens"
    assert tokens.label.buddy() is tokens.slider


def test_the_unit_can_be_shown_and_typed(make):
    row = make("Pace", "steps/s", range(1, 61), 4, show_unit=True, value_units=96)
    assert row.edit.text() == "4 steps/s"
    type_in(row, "12 steps/s")
    assert (row.value, row.edit.text(), row.hint) == (12, "12 steps/s", "")


def test_a_written_value_can_be_typed_as_it_is_written(make):
    row = make("Zoom", "", [75, 112.5, 200], 100, text=lambda v: f"{v:.0f} %")
    type_in(row, "112 %")
    assert (row.value, row.edit.text(), row.hint) == (112.5, "112 %", "")


def test_nothing_is_cut_at_any_zoom(tokens, dressed):
    for zoom in (0.75, 1.0, 1.5, 2.0):
        dressed.set_zoom(zoom)
        tokens.set_value(128)
        QApplication.sendPostedEvents()
        tokens.resize(dressed.px(248), dressed.px(28))
        for widget in (tokens.label, tokens.edit):
            room = widget.contentsRect().width()
            if isinstance(widget, QLineEdit):
                room -= 4
            assert widget.fontMetrics().horizontalAdvance(widget.text()) <= room, zoom
