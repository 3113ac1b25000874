import numpy as np
import pytest

from kvviz.engine.sampling import NUM_CANDIDATES, Sampler, softmax
from kvviz.sizing.errors import InputError
from kvviz.trace.config import Sampling

LOGITS = np.log(np.array([0.05, 0.4, 0.2, 0.25, 0.1], np.float32))


def drawn(sampling, count=4000, logits=LOGITS):
    sampler = Sampler(sampling)
    return np.bincount([sampler.choose(logits).token_id for _ in range(count)], minlength=5)


def test_greedy_takes_the_first_of_equals():
    assert Sampler(Sampling()).choose(np.array([1.0, 3.0, 3.0])).token_id == 1


def test_softmax_is_the_definition():
    assert softmax(LOGITS, 1.0) == pytest.approx([0.05, 0.4, 0.2, 0.25, 0.1])
    halved = np.sqrt([0.05, 0.4, 0.2, 0.25, 0.1])
    assert softmax(LOGITS, 2.0) == pytest.approx(halved / halved.sum())


@pytest.mark.parametrize("temperature", [1e-320, 1e-6, 100.0])
def test_extreme_temperatures_stay_a_distribution(temperature):
    probabilities = softmax(np.array([-3e38, 0.0, 3e38], np.float32), temperature)
    assert np.isfinite(probabilities).all()
    assert probabilities.sum() == pytest.approx(1.0)
    assert probabilities.argmax() == 2


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(1.0), [0.05, 0.4, 0.2, 0.25, 0.1]),
        (Sampling(1.0, top_k=2), [0, 0.4 / 0.65, 0, 0.25 / 0.65, 0]),
        (Sampling(1.0, top_k=99), [0.05, 0.4, 0.2, 0.25, 0.1]),
        (Sampling(1.0, top_p=0.6), [0, 0.4 / 0.65, 0, 0.25 / 0.65, 0]),
        (Sampling(1.0, top_p=1e-9), [0, 1, 0, 0, 0]),
        (Sampling(1.0, top_k=3, top_p=0.99), [0, 0.4 / 0.85, 0.2 / 0.85, 0.25 / 0.85, 0]),
        (Sampling(1.0, top_k=2, top_p=0.5), [0, 1, 0, 0, 0]),
    ],
)
def test_cuts_keep_the_likeliest_and_share_out_the_rest(sampling, expected):
    assert Sampler(sampling).distribution(LOGITS) == pytest.approx(expected)


@pytest.mark.parametrize("sampling", [Sampling(1.0), Sampling(1.0, top_k=2), Sampling(0.5)])
def test_draws_follow_the_distribution(sampling):
    expected = Sampler(sampling).distribution(LOGITS)
    counts = drawn(sampling)
    assert counts[expected == 0].sum() == 0
    # Five standard deviations of a binomial: a seed that fails this would be one in a million.
    assert np.all(np.abs(counts - 4000 * expected) <= 5 * np.sqrt(4000 * 0.25))


def test_a_draw_says_its_probability_after_the_cut():
    sampler = Sampler(Sampling(1.0, top_k=2))
    for _ in range(20):
        choice = sampler.choose(LOGITS)
        expected = {1: 0.4 / 0.65, 3: 0.25 / 0.65}[choice.token_id]
        assert choice.probability == pytest.approx(expected)


def test_a_draw_never_falls_behind_the_last_token():
    """The largest number a generator can give still lands on a token that was kept."""
    sampler = Sampler(Sampling(1.0, top_k=2))
    sampler._random = type("Last", (), {"random": lambda self: np.nextafter(1.0, 0.0)})()
    for seed in range(50):
        logits = np.random.default_rng(seed).normal(size=301)
        assert sampler.distribution(logits)[sampler.choose(logits).token_id] > 0


@pytest.mark.parametrize("bad", [[1.0, np.nan, 2.0], [1.0, np.inf, 2.0], [-np.inf] * 3])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_numbers_that_are_none_are_refused(bad, temperature):
    with pytest.raises(InputError, match="choose bfloat16 or float32"):
        Sampler(Sampling(temperature)).choose(np.array(bad, np.float32))


def test_candidates_are_the_likeliest_before_any_cut():
    sampler = Sampler(Sampling(1.0, top_k=1))
    ids, probabilities = zip(*sampler.candidates(LOGITS), strict=True)
    assert ids == (1, 3, 2, 4, 0)
    assert probabilities == pytest.approx([0.4, 0.25, 0.2, 0.1, 0.05])


def test_candidates_are_at_the_sampling_temperature_and_at_1_for_a_greedy_run():
    assert Sampler(Sampling()).candidates(LOGITS)[0][1] == pytest.approx(0.4)
    hot = Sampler(Sampling(2.0)).candidates(LOGITS)[0][1]
    assert hot == pytest.approx(softmax(LOGITS, 2.0).max())


def test_of_many_equals_the_lowest_ids_are_the_candidates():
    ids = [token_id for token_id, _ in Sampler(Sampling()).candidates(np.zeros(300, np.float32))]
    assert ids == list(range(NUM_CANDIDATES))


def test_equals_at_the_end_of_the_list_come_in_the_order_of_their_ids():
    logits = np.zeros(64, np.float32)
    logits[40], logits[7:30] = 2.0, 1.0
    ids = [token_id for token_id, _ in Sampler(Sampling()).candidates(logits)]
    assert ids == [40, *range(7, 7 + NUM_CANDIDATES - 1)]


@pytest.mark.parametrize("temperature", [1e-320, 1e-6, 100.0])
def test_candidates_at_extreme_temperatures_are_a_distribution(temperature):
    logits = np.array([-3e38, 0.0, 3e38], np.float32)
    found = Sampler(Sampling(temperature)).candidates(logits)
    assert found[0][0] == 2
    assert sum(probability for _, probability in found) == pytest.approx(1.0)
