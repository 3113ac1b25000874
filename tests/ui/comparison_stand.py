"""Comparisons set up for a test: started in the store, played by hand."""

from hand_made import hand_made_trace
from still_worker import play

from kvviz.session.layout_choice import PRESETS
from kvviz.sizing.layout_text import parse_layout

SIX = [parse_layout(text) for text in PRESETS[0].texts]


def trace_of(run):
    """A trace made by hand as ``run`` would record it."""
    config = run.config
    return hand_made_trace(
        len(config.prompt_ids),
        config.max_new_tokens,
        shape=config.model.shape,
        layout=config.layout,
        max_seq_len=config.max_seq_len,
    )


def finish(store, worker, run, trace=None):
    """Play a run to its end."""
    play(store, worker, run.run_id, trace or trace_of(run))


def compare(store, worker, layouts=SIX, ended=None):
    """Start a comparison and end its first runs, None for all; return its runs."""
    store.compare(layouts)
    runs = store.runs.compared
    for run in runs[:ended]:
        finish(store, worker, run)
    return runs
