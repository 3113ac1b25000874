from dataclasses import replace

import pytest
from hand_made import hand_made_trace, no_cache
from real_run import SHAPE, real_trace, small_config

from kvviz.session.figures import FIGURES, Origin, Unit
from kvviz.session.inspection import inspect_cell
from kvviz.session.moment import Moment
from kvviz.session.selection import Selection
from kvviz.sizing.layout import LayoutKind

NOT_OF_THIS_RUN = (
    "first_difference",
    "miss_reason",
    "kernel_gap",
    "tiles_computed",
    "tiles_skipped",
)


def value(name, moment):
    return FIGURES[name].read(moment)


@pytest.fixture(scope="module")
def moment():
    """Step 3 of a real run of 5 + 6 tokens, beside the same without a cache."""
    trace = real_trace(small_config())
    reference = real_trace(small_config(LayoutKind.NONE))
    return Moment(trace, 3, reference, Selection(layer=1, head=3, cell=(7, 2)))


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_every_figure_has_a_value_and_is_written(moment, name):
    figure = FIGURES[name]
    found = value(name, moment)
    if name in NOT_OF_THIS_RUN:
        assert found is None
    else:
        assert found is not None
    assert figure.text(found)
    assert figure.text(None) == "…"


def test_counts_and_bytes_are_the_engines(moment):
    step = moment.trace.steps[3]
    assert value("seq_len", moment) == step.seq_len == 8
    assert value("bytes_used", moment) == step.measured.used
    assert value("bytes_added", moment) == value("bytes_per_token", moment) == 2 * 2 * 2 * 8 * 4
    assert value("next_bytes_added", moment) == value("bytes_per_token", moment)
    assert value("score_cells", moment) == 8
    assert value("next_row_cells", moment) == 9
    assert value("prompt_cells", moment) == 15
    assert value("kv_vectors", moment) == 2 * 2 * 2
    assert value("run_positions", moment) == 5 + 5
    assert value("naive_positions", moment) == 5 + 6 + 7 + 8 + 9 + 10
    assert value("same_tokens", moment) is True
    assert value("logit_gap", moment) < 1e-4
    formula = ("2", "2 layers", "8 tokens", "2 KV heads", "8 numbers", "4 bytes")
    assert value("formula_now", moment).split(" × ") == list(formula)  # noqa: RUF001


def test_the_cell_is_the_selections(moment):
    assert value("cell_kv_head", moment) == 1
    assert 0 < value("cell_weight", moment) < 1


def test_the_cells_output_is_held_against_the_models(moment):
    gap = value("cell_output_gap", moment)
    assert gap == inspect_cell(moment.trace, 1, 3, 7, 2).output_gap
    assert gap < 1e-6


def test_agreement_names_the_first_token_that_differs(moment):
    assert value("agreement", moment) == "yes, all of them"
    other = real_trace(small_config(shape=replace(SHAPE, num_layers=1)))
    beside = Moment(moment.trace, 3, other)
    assert value("agreement", beside).startswith("no, from token ")
    first = value("first_difference", beside)
    assert f" {first + 1} " in value("agreement", beside)


def test_before_the_first_step_and_after_the_last():
    trace = hand_made_trace(new_tokens=4)
    before, end = Moment(trace, -1), Moment(trace, 3)
    assert value("seq_len", before) is None
    assert value("bytes_used", before) is None
    assert value("next_bytes_added", before) == trace.steps[0].measured.used
    assert value("next_bytes_added", end) is None
    assert value("same_tokens", end) is None
    assert value("cell_weight", end) is None


def test_a_run_without_a_cache_still_says_what_a_token_would_cost():
    trace = hand_made_trace(new_tokens=4, layout=no_cache())
    assert value("bytes_used", Moment(trace, 2)) == 0
    assert value("bytes_per_token", Moment(trace, 2)) == 2 * 4 * 2 * 32 * 4


def test_the_example_is_two_gib(moment):
    assert value("example_bytes", moment) == 2_147_483_648
    assert FIGURES["example_bytes"].text(2_147_483_648) == "2.00 GiB"
    assert FIGURES["example_bytes"].origin is Origin.FORMULA
    assert FIGURES["step_latency"].origin is Origin.MEASURED


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        (Unit.COUNT, 1234, "1,234"),
        (Unit.BYTES, 2048, "2.00 KiB"),
        (Unit.EXACT_BYTES, 2048, "2,048 bytes"),
        (Unit.NS, 620_000, "0.620 ms"),
        (Unit.RATIO, 6.14, "6.1×"),  # noqa: RUF001
        (Unit.NUMBER, 0.414, "0.41"),
        (Unit.NUMBER, 0.0004, "4e-4"),
        (Unit.GAP, 7.4e-7, "8e-7"),
        (Unit.GAP, 0.0, "0"),
        (Unit.YES_NO, True, "yes"),
        (Unit.TEXT, " cat", "cat"),
        (Unit.TEXT, " ", "space"),
    ],
)
def test_a_value_is_written_as_people_read_it(unit, number, text):
    figure = next(figure for figure in FIGURES.values() if figure.unit is unit)
    assert figure.text(number) == text


def test_the_lead_of_the_best_logit_is_over_the_second(moment):
    best, second, *_ = sorted(moment.trace.logits(3).tolist(), reverse=True)
    assert value("logit_lead", moment) == best - second
