"""The prompt: what is run, whether it can be, and how it goes on."""

import html
from functools import partial
from textwrap import shorten

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from kvviz.session.limits import SEQ_LENS
from kvviz.session.model_words import context_note
from kvviz.session.presets import PRESETS, Preset
from kvviz.session.settings import Settings, prompts_of
from kvviz.sizing.units import count_text
from kvviz.ui.changes import Change
from kvviz.ui.panels.bind import bind_choice
from kvviz.ui.panels.continue_row import ContinueRow
from kvviz.ui.panels.panel import Panel, yield_width
from kvviz.ui.panels.prompt_edit import PromptEdit
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.prose import Prose

PROMPT = (
    "What the model reads first, cut into tokens; prompt and new tokens together must fit the "
    "sequence limit. Keys: Enter runs, Shift+Enter is a new line."
)
MORE = (
    "Further prompts that run beside the first, one a line. Shorter ones are padded to the longest "
    "where the cache is one tensor; a paged cache keeps them as long as they are."
)
ROW = (
    "Which of the prompts is recorded: the grid, the map and the tokens are its own. "
    "Keys: Up and Down."
)
COUNT = (
    "Tokens of the prompt, of the longest one in a batch, new tokens asked for, and the sequence "
    "limit both must fit into."
)
PRESET = "Prompts that show one thing each; they set prompt, new tokens and sequence limit."
RUN = "Run the prompt with these settings; earlier runs stay in the list. Key: Enter in the prompt."
STOP = "End the run between two layers; what it recorded stays."
RAISE = "raise"
ROOM_FOR_WORDS = 1000  # numbers of four digits leave none


class PromptPanel(Panel):
    """Text, further prompts, token count, Run or Stop, what is in the way, and Continue."""

    concerns = Change.SETTINGS | Change.RUNS

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Prompt", parent=parent)
        self.presets = Button(look, "presets ▾", PRESET, kind="quiet", tight=True)
        self.menu = self._build_menu()
        self.header.add_right(self.presets)
        self.edit = PromptEdit(look)
        self.more_edit = PromptEdit(
            look, "More prompts", "More prompts of the batch, one a line", takes_lines=True
        )
        self.count = Label(look, tone="secondary")
        self.run_button = Button(look, "Run ↵", RUN, kind="strong")
        self.problem = Prose(look, tone="error")
        self.problem.setTextFormat(Qt.TextFormat.RichText)
        self.note = Prose(look)
        self.continue_row = ContinueRow(store, look)
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.count, 1)
        self._foot.addWidget(self.run_button)
        self.add(self.edit)
        self.row = Dropdown(look, [(0, "1", "")], tooltip=ROW)
        self.row.setSizeAdjustPolicy(
            Dropdown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.row_shown = FieldRow(look, "Row shown", self.row, stretch=True)
        further = (self._spacer(4), self.more_edit, self.row_shown)
        self.add_more(*further, names="further prompts for a batch of several")
        self.add(self._foot, gap=6)
        self.add(self.problem)
        self.add(self.note)
        self.add(self.continue_row, gap=4)
        self._set_up()
        self.restyle()
        self.refresh()

    @property
    def tokens_text(self) -> str:
        """The count as a person reads it."""
        controls = self.store.controls
        settings, tokens = controls.settings, len(controls.prompt_ids)
        limit, new = f"{settings.max_seq_len:,}", f"{settings.max_new_tokens:,}"
        if len(settings.prompts) > 1:
            return f"{len(settings.prompts)} prompts, {tokens:,} + {new} of {limit}"
        if controls.waiting and not tokens:
            return f"counting tokens + {new} of {limit}"
        if settings.max_seq_len >= ROOM_FOR_WORDS:
            return f"{tokens:,} + {new} of {limit}"
        return f"{count_text(tokens, 'token')} + {new} new of {limit}"

    @property
    def problem_text(self) -> str:
        """Why Run is off, in rich text; a link where one step helps."""
        controls = self.store.controls
        settings = controls.settings
        needed = len(controls.prompt_ids) + settings.max_new_tokens
        if not controls.problem or not settings.prompt.strip() or needed <= settings.max_seq_len:
            return html.escape(controls.problem, quote=False)
        said = f"{needed:,} tokens are needed, the limit is {settings.max_seq_len:,}: "
        if needed > SEQ_LENS[-1]:
            return f"{said}at most {SEQ_LENS[-1]:,} can be had, so shorten the prompt."
        return f"{said}<a href='{RAISE}'>raise the limit to {needed:,}</a>."

    def refresh(self) -> None:
        """Show prompt, count, problem, and what can be done now."""
        controls = self.store.controls
        self.edit.show_text(controls.settings.prompt)
        self._show_more(controls.settings)
        tokens, rest = self.tokens_text.split(" ", 1)
        self.count.set_parts("", tokens, f" {rest}")
        self.problem.setText(self.problem_text)
        self.problem.setVisible(bool(controls.problem))
        self.note.setText(context_note(controls.settings, len(controls.prompt_ids)))
        self.note.setVisible(bool(self.note.text()))
        self._show_run_button()
        self.continue_row.refresh()

    def restyle(self) -> None:
        """Follow the zoom."""
        px = self.look.px
        self._foot.setSpacing(px(8))
        self.run_button.setMinimumWidth(px(66))
        self.count.setMinimumHeight(px(28))
        self.continue_row.restyle()

    def _set_up(self) -> None:
        explain(self.edit, PROMPT)
        explain(self.more_edit, MORE)
        explain(self.count, COUNT)
        yield_width(self.count)
        QWidget.setTabOrder(self.edit, self.presets)  # the prompt is where typing begins
        self.edit.edited.connect(self._on_edited)
        self.edit.entered.connect(self._on_entered)
        self.more.toggled.connect(self._show_row)
        bind_choice(self.row, self.store, "row")
        self.more_edit.edited.connect(self._on_more_edited)
        for edit in (self.edit, self.more_edit):
            edit.noticed.connect(partial(self.store.tell, is_error=False))
        self.run_button.clicked.connect(self._on_run_clicked)
        self.presets.clicked.connect(self._on_presets_clicked)
        self.problem.linkActivated.connect(self._on_link)

    @Slot()
    def _show_row(self) -> None:
        prompts = self.store.controls.settings.prompts
        self.row_shown.setVisible(self.more.isChecked() and len(prompts) > 1)

    def _show_more(self, settings: Settings) -> None:
        text, prompts = settings.more_prompts, settings.prompts
        if text and text != self.more_edit.toPlainText():
            self.more.setChecked(True)  # prompts that came from elsewhere must not stay unseen
        self.more_edit.show_text(text)
        options = [
            (n, f"{n + 1}: {shorten(text, 24, placeholder='…')}", text)
            for n, text in enumerate(prompts)
        ]
        self.row.set_options(options, min(settings.row, len(prompts) - 1))
        self._show_row()

    def _build_menu(self) -> QMenu:
        menu = QMenu(self.presets)
        menu.setToolTipsVisible(True)
        for preset in PRESETS:
            action = menu.addAction(preset.name)
            action.setToolTip(preset.point)
            action.triggered.connect(partial(self._take, preset))
        return menu

    def _show_run_button(self) -> None:
        controls, shown = self.store.controls, self.store.shown
        live = self.store.runs.live is not None
        # A prompt that has not been run yet is the one thing to do next.
        fresh = shown is None or prompts_of(shown.config) != controls.settings.prompts
        self.run_button.setText("Stop" if live else "Run ↵")
        self.run_button.set_tooltip(STOP if live else RUN)
        self.run_button.set_kind("primary" if fresh and not live else "strong")
        self.run_button.set_reason(None if live else controls.problem or None)

    def _take(self, preset: Preset, _checked: bool = False) -> None:
        self.store.apply(preset.applied(self.store.controls.settings))
        self.continue_row.edit.setText(preset.turn)

    @Slot(str)
    def _on_edited(self, text: str) -> None:
        self.store.change("prompt", text, settled=False)

    @Slot(str)
    def _on_more_edited(self, text: str) -> None:
        self.store.change("more_prompts", text, settled=False)

    @Slot()
    def _on_run_clicked(self) -> None:
        if self.store.runs.live is not None:
            self.store.stop()
        else:
            self._run()

    @Slot()
    def _on_entered(self) -> None:
        self._run()
        if not self.store.controls.problem:
            self.edit.clearFocus()  # Space and arrows are the run's from here on

    @Slot()
    def _run(self) -> None:
        # What was typed up to here is one step back.
        self.store.change("prompt", self.store.controls.settings.prompt)
        self.store.run()

    @Slot()
    def _on_presets_clicked(self) -> None:
        self.menu.popup(self.presets.mapToGlobal(QPoint(0, self.presets.height())))

    @Slot(str)
    def _on_link(self, _target: str) -> None:
        self.store.fit_limit()
