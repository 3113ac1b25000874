from dataclasses import replace

import numpy as np
import pytest
from hand_made import hand_made_trace

from kvviz.session.runs import Run, RunState
from kvviz.sizing.units import bytes_text
from kvviz.trace.comparison import Comparison, compare
from kvviz.trace.trace import Trace
from kvviz.ui.panels.run_words import (
    asked_words,
    figure_words,
    gap_words,
    proof_sentence,
    state_words,
    verdict,
)


def run_of(trace, state=RunState.FINISHED, run_id=1, message=""):
    return Run(run_id, trace, (), 30, state, message)


def test_a_run_with_nothing_recorded_has_no_figures():
    assert figure_words(run_of(Trace(hand_made_trace(6, 4).config))) == ()


def test_figures_are_read_off_the_trace():
    trace = hand_made_trace(6, 24)
    itl = np.median([step.latency_ns for step in trace.steps[1:]]) / 1e6
    assert figure_words(run_of(trace)) == (
        f"ITL {itl:.3f} ms",
        bytes_text(trace.steps[-1].measured.used),
        f"TTFT {trace.steps[0].latency_ns / 1e6:.2f} ms",
    )


def test_a_run_of_one_token_has_no_itl():
    assert len(figure_words(run_of(hand_made_trace(6, 1)))) == 2


def test_what_was_asked_for_tells_two_runs_apart():
    config = hand_made_trace(6, 24).config
    said = asked_words(run_of(Trace(replace(config, prompt_text="Once \n upon " + "a " * 80))))
    assert said.startswith("Prompt: Once upon a")
    assert "…. 6 prompt + 24 new tokens, limit " in said
    assert asked_words(run_of(Trace(replace(config, prompt_text=None)))).startswith("6 prompt")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (RunState.LOADING, "loading the model"),
        (RunState.RUNNING, "running: 9 of 29 tokens"),
        (RunState.FINISHED, ""),
        (RunState.CANCELLED, "stopped"),
        (RunState.FAILED, "failed: no memory"),
    ],
)
def test_states_are_said(state, said):
    run = run_of(hand_made_trace(6, 24, steps=4), state, message="no memory")
    assert state_words(run) == said


def test_equal_runs_are_proved():
    ours, reference = run_of(hand_made_trace()), run_of(hand_made_trace(), run_id=2)
    proof = compare(reference.trace, ours.trace)
    assert verdict(proof, ours, reference) == (True, "✓ same tokens")
    assert gap_words(proof) == "logit gap 0"


def test_a_run_that_ends_early_agrees_as_far_as_it_goes():
    ours, reference = run_of(hand_made_trace(steps=12)), run_of(hand_made_trace(), run_id=2)
    same, said = verdict(compare(reference.trace, ours.trace), ours, reference)
    assert same
    assert "first 12 tokens" in said


def test_a_difference_names_the_token():
    run = run_of(hand_made_trace())
    said = verdict(Comparison(False, 6, 0.5), run, run)
    assert said == (False, "✗ differs at token 7")
    assert gap_words(Comparison(False, 6, 1.94e-6)) == "logit gap 2e-6"
    assert gap_words(Comparison(True, None, None)) == "no finite logits to compare"


def test_the_sentence_names_both_runs():
    ours = run_of(hand_made_trace(), run_id=3)
    reference = replace(ours, run_id=4)
    sentence = proof_sentence(ours, reference)
    assert "Run 3" in sentence
    assert "run 4" in sentence
    assert ours.label in sentence
