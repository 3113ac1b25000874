import pytest
from pixels import has_color
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from still_worker import deliver

from kvviz.session.model_shelf import ModelShelf
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec
from kvviz.trace.messages import ModelLoading
from kvviz.ui.model_pill import BUILT_IN, FILE, FOLDER, MISSING, RANDOM, ModelPill

SHAPE = ModelShape(6, 6, 2, 32, 256, Positions.ROPE, context=512)
OURS = ModelChoice(ModelSpec(SHAPE, ModelSource.BUILT_IN))
THEIRS = ModelChoice(ModelSpec(ModelShape(30, 9, 3, 64, 256), ModelSource.FOLDER, path="/m/Smol&L"))


@pytest.fixture
def pill(qtbot, store, look):
    store.models = ModelShelf(OURS)
    pill = ModelPill(store, look)
    qtbot.addWidget(pill)
    pill.resize(pill.sizeHint())
    return pill


def words(pill):
    return "".join(pill.label.parts)


def entries(pill):
    return {action.text(): action for action in pill.fill_menu().actions() if action.text()}


def ticked(pill):
    return [text for text, action in entries(pill).items() if action.isChecked()]


def test_it_names_the_model_on_screen(pill, store):
    assert words(pill) == "Model none yet"
    store.run()
    assert words(pill) == "Model random weights  4 layers · GQA 6/2"
    store.use_model(THEIRS)
    store.run()
    assert words(pill) == "Model Smol&L  30 layers · GQA 9/3"
    assert pill.accessibleName() == words(pill)


def test_every_source_is_one_click_away(pill, store):
    store.use_model(THEIRS)
    assert list(entries(pill)) == [BUILT_IN, RANDOM, "Smol&&L", FOLDER, FILE]
    assert ticked(pill) == ["Smol&&L"]
    entries(pill)[BUILT_IN].trigger()
    assert store.controls.settings.model == OURS
    assert ticked(pill) == [BUILT_IN]
    entries(pill)[RANDOM].trigger()
    assert store.controls.settings.model is None
    assert store.controls.settings.num_layers == 6
    assert ticked(pill) == [RANDOM]
    entries(pill)["Smol&&L"].trigger()
    assert store.controls.settings.num_layers == 30


def test_what_is_chosen_already_is_not_chosen_again(pill, store):
    store.use_model(OURS)
    store._rest.stop()
    entries(pill)[BUILT_IN].trigger()
    assert not store._rest.isActive()


def test_without_the_built_in_model_its_entry_says_why_it_is_off(pill, store):
    store.models = ModelShelf()
    entry = entries(pill)[BUILT_IN]
    assert not entry.isEnabled()
    assert entry.toolTip() == MISSING


@pytest.mark.parametrize(("text", "signal"), [(FOLDER, "folder_wanted"), (FILE, "file_wanted")])
def test_it_asks_to_open_one(qtbot, pill, text, signal):
    with qtbot.waitSignal(getattr(pill, signal)):
        entries(pill)[text].trigger()


def test_a_click_opens_the_menu_below_it(qtbot, pill, monkeypatch):
    places = []  # offscreen, a menu cannot take the keyboard
    monkeypatch.setattr(pill.menu_shown, "popup", places.append)
    pill.show()
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert places == [pill.mapToGlobal(pill.rect().bottomLeft())]


def test_a_load_is_counted_and_drawn(pill, store, worker, look):
    store.run()
    cursor = QColor(look.theme.cursor)
    assert not has_color(pill.grab().toImage(), cursor)
    deliver(store, worker, ModelLoading(store.shown.run_id, 2**20, 4 * 2**20))
    assert words(pill) == "Loading random weights  1.00 MiB of 4.00 MiB"
    assert pill.loaded == 0.25
    assert has_color(pill.grab().toImage(), cursor)
