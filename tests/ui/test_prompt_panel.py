from dataclasses import replace

import pytest
from hand_made import hand_made_trace
from PySide6.QtCore import Qt
from still_worker import play

from kvviz.session.controls import EMPTY_PROMPT
from kvviz.session.presets import PRESETS
from kvviz.ui.panels.prompt_panel import PromptPanel

ENTER = Qt.Key.Key_Return


@pytest.fixture
def panel(qtbot, store, look):
    panel = PromptPanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(248, 200)
    return panel


def run_to_the_end(store, worker):
    store.run()
    config = store.shown.config
    trace = hand_made_trace(
        len(config.prompt_ids), config.max_new_tokens, shape=config.model.shape, max_seq_len=64
    )
    play(store, worker, store.shown.run_id, trace)


def test_tokens_are_counted_while_typing(panel, store, worker):
    assert panel.tokens_text == "18 tokens + 24 new of 64"
    panel.edit.selectAll()
    panel.edit.insertPlainText("é")
    assert store.controls.settings.prompt == "é"
    assert panel.tokens_text == "2 tokens + 24 new of 64"
    assert not worker.sent


def test_enter_runs_what_was_typed(qtbot, panel, worker):
    panel.edit.selectAll()
    qtbot.keyClicks(panel.edit, "Why?")
    qtbot.keyClick(panel.edit, ENTER)
    assert worker.started[0].config.prompt_ids == tuple(b"Why?")


def test_each_prompt_that_was_run_is_one_step_back(qtbot, panel, store):
    for text in ("one", "two"):
        panel.edit.selectAll()
        qtbot.keyClicks(panel.edit, text)
        qtbot.keyClick(panel.edit, ENTER)
    store.undo()
    assert panel.edit.toPlainText() == "one"
    store.undo()
    assert panel.edit.toPlainText() == "The cat sat on the"


def test_run_becomes_stop_while_a_run_is_live(panel, store, worker):
    panel.run_button.click()
    run_id = worker.started[0].run_id
    assert panel.run_button.text() == "Stop"
    panel.run_button.click()
    assert worker.cancelled == [run_id]
    assert len(worker.started) == 1


def test_run_comes_back_when_the_run_has_ended(panel, store, worker):
    run_to_the_end(store, worker)
    assert panel.run_button.text().startswith("Run")


def test_a_prompt_not_run_yet_is_the_thing_to_do_next(qtbot, panel, store, worker):
    run_to_the_end(store, worker)
    assert panel.run_button.property("kind") == "strong"
    qtbot.keyClicks(panel.edit, "!")
    assert panel.run_button.property("kind") == "primary"


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_prompt_says_why_run_is_off(panel, store, text):
    store.change("prompt", text, settled=False)
    assert not panel.run_button.isEnabled()
    assert EMPTY_PROMPT in panel.run_button.toolTip()
    assert not panel.problem.isHidden()
    assert panel.problem.text() == EMPTY_PROMPT


def test_with_nothing_in_the_way_nothing_is_said(panel):
    assert panel.problem.isHidden()
    assert panel.run_button.isEnabled()


def test_over_the_limit_one_link_makes_it_fit(panel, store, worker):
    store.change("prompt", "x" * 60, settled=False)
    assert not panel.run_button.isEnabled()
    assert "raise the limit to 84" in panel.problem_text
    panel.problem.linkActivated.emit("raise")
    assert store.controls.settings.max_seq_len == 84
    assert panel.problem.isHidden()


def test_over_what_can_be_had_there_is_no_link(panel, store):
    store.change("prompt", "x" * 5000, settled=False)
    assert "<a" not in panel.problem_text
    assert "4,096" in panel.problem_text


def test_a_problem_is_never_read_as_markup(panel, store, monkeypatch):
    monkeypatch.setattr(store.controls, "problem", "Sizes <b>must</b> be even.")
    assert "&lt;b&gt;" in panel.problem_text


@pytest.mark.parametrize("index", range(len(PRESETS)))
def test_a_preset_is_one_step(panel, store, index):
    before = replace(store.controls.settings, max_new_tokens=7, prompt="before")
    store.apply(before)
    panel.menu.actions()[index].trigger()
    preset = PRESETS[index]
    assert panel.edit.toPlainText() == preset.prompt
    assert panel.continue_row.edit.text() == preset.turn
    assert store.controls.settings.max_seq_len == preset.max_seq_len
    assert store.controls.problem == ""
    store.undo()
    assert store.controls.settings == before
    assert panel.edit.toPlainText() == "before"


def test_what_was_done_to_pasted_text_is_told(panel, store):
    panel.edit.noticed.emit("The text was cut.")
    assert store.notice.text == "The text was cut."
    assert not store.notice.is_error


def test_typing_keeps_the_cursor_where_it_is(qtbot, panel):
    qtbot.keyClick(panel.edit, Qt.Key.Key_Home)
    qtbot.keyClicks(panel.edit, "So ")
    assert panel.edit.toPlainText() == "So The cat sat on the"
    assert panel.edit.textCursor().position() == 3


@pytest.mark.qt_log_ignore("does not support")  # offscreen raises nothing and grabs nothing
def test_the_presets_open_under_their_word(qtbot, panel):
    panel.show()
    panel.presets.click()
    assert panel.menu.isVisible()
    assert [action.text() for action in panel.menu.actions()] == [p.name for p in PRESETS]
    assert all(action.toolTip() for action in panel.menu.actions())
    panel.menu.hide()


def test_further_prompts_are_folded_away_until_there_are_some(panel, store):
    assert panel.more_edit.isHidden()
    store.change("more_prompts", "from elsewhere", settled=False)
    assert not panel.more_edit.isHidden()
    assert panel.more_edit.toPlainText() == "from elsewhere"
    assert panel.tokens_text == "2 prompts, 18 + 24 of 64"


def test_further_prompts_are_typed_one_a_line_and_run_together(qtbot, panel, worker):
    panel.more.click()
    qtbot.keyClicks(panel.more_edit, "Why?")
    qtbot.keyClick(panel.more_edit, ENTER)
    qtbot.keyClicks(panel.more_edit, "Because.")
    assert not worker.started
    panel.run_button.click()
    assert worker.started[0].config.more_prompts == (tuple(b"Why?"), tuple(b"Because."))
    assert worker.started[0].config.batch == 3
