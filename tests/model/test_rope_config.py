import math

import pytest

from kvviz.model.architecture import Rotation, Scaling
from kvviz.model.config_values import Values
from kvviz.model.frequencies import frequencies
from kvviz.model.rope_config import read_rotation, read_two_rotations
from kvviz.sizing.errors import InputError

LLAMA3 = {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def rotation(config, **options):
    return read_rotation(Values(config, "config.json"), 8, **options)


@pytest.mark.parametrize(
    "scaling",
    [
        {"rope_type": "default"},
        {"rope_type": "linear", "factor": 2.5},
        {"rope_type": "dynamic", "factor": 2},
        {"rope_type": "llama3", **LLAMA3},
        {"rope_type": "yarn", "factor": 4.0, "beta_fast": None, "attention_factor": 1.5},
    ],
    ids=lambda scaling: scaling["rope_type"],
)
def test_old_and_new_spellings_mean_the_same(scaling):
    outer = {"max_position_embeddings": 64}
    new = rotation({**outer, "rope_parameters": {**scaling, "rope_theta": 500.0}})
    older = {("type" if key == "rope_type" else key): value for key, value in scaling.items()}
    old = rotation({**outer, "rope_theta": 500.0, "rope_scaling": older})
    assert new == old
    assert new.theta == 500.0
    assert new.scaling == scaling["rope_type"]


def test_nothing_said_is_plain_rope():
    assert rotation({}) == Rotation()
    assert rotation({"rope_scaling": None, "rope_parameters": None}) == Rotation()


def test_the_original_length_is_read_outside_then_inside_then_is_the_models_own():
    inside = {"rope_scaling": {"type": "yarn", "factor": 2.0}, "max_position_embeddings": 64}
    assert rotation(inside).original == 64
    inside["rope_scaling"]["original_max_position_embeddings"] = 32
    assert rotation(inside).original == 32
    assert rotation(inside | {"original_max_position_embeddings": 16}).original == 16


def test_yarn_lengthens_by_its_own_rule_unless_told():
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
    assert rotation({"rope_parameters": scaling}).magnitude == 0.1 * math.log(4) + 1
    both = scaling | {"mscale": 2.0, "mscale_all_dim": 1.0}
    wanted = (0.2 * math.log(4) + 1) / (0.1 * math.log(4) + 1)
    assert rotation({"rope_parameters": both}).magnitude == pytest.approx(wanted)
    told = both | {"attention_factor": 1.25}
    assert rotation({"rope_parameters": told}).magnitude == 1.25
    unsaid = {"rope_parameters": scaling | {"factor": None}, "max_position_embeddings": 128}
    assert rotation(unsaid).factor == 8


def test_a_part_of_each_head_turns_where_the_family_knows_the_key():
    config = {"partial_rotary_factor": 0.5}
    assert rotation(config).width is None
    assert rotation(config, share_key="partial_rotary_factor").width == 4
    assert rotation({}, share_key="rotary_pct", share=0.25).width == 2
    inside = {"rope_parameters": {"partial_rotary_factor": 0.75}}
    assert rotation(inside, share_key="rotary_pct", share=0.25).width == 6


def test_gemmas_two_rotations_in_both_spellings():
    old = {
        "rope_theta": 2000.0,
        "rope_local_base_freq": 300.0,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    new = {
        "rope_parameters": {
            "full_attention": {"rope_theta": 2000.0, "rope_type": "linear", "factor": 8.0},
            "sliding_attention": {"rope_theta": 300.0, "rope_type": "default"},
        }
    }
    read = [read_two_rotations(Values(config, "config.json"), 8) for config in (old, new)]
    assert read[0] == read[1]
    assert read[0] == (Rotation(2000.0, scaling=Scaling.LINEAR, factor=8.0), Rotation(300.0))
    full, local = read_two_rotations(Values({}, "config.json"), 8)
    assert (full.theta, local.theta) == (1_000_000.0, 10_000.0)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"rope_scaling": {"type": "longrope"}}, "'longrope' is not supported.*linear.*yarn"),
        ({"rope_scaling": {"type": ["linear"]}}, "is not supported"),
        ({"rope_scaling": {"type": "linear"}}, "rope_scaling: missing factor"),
        ({"rope_scaling": {"type": "linear", "factor": 0}}, "factor must be above 0"),
        ({"rope_scaling": {"type": "linear", "factor": "2"}}, "factor must be a number"),
        ({"rope_scaling": {"type": "linear", "factor": 10**400}}, "factor must be above 0"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "missing max_position_embeddings"),
        ({"rope_scaling": "linear"}, "rope_scaling must be an object"),
        ({"rope_theta": math.nan}, "rope_theta must be above 0"),
        ({"rope_theta": True}, "rope_theta must be a number"),
        (
            {"rope_scaling": {"type": "llama3", **LLAMA3, "low_freq_factor": 4.0}},
            "must be below high_freq_factor",
        ),
        ({"rope_parameters": {"full_attention": {}}}, "only known for gemma3_text"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_key(config, said):
    with pytest.raises(InputError, match=said):
        rotation(config)


def test_shares_that_turn_nothing_or_too_much_are_refused():
    for share in (1.5, 0.01):
        with pytest.raises(InputError):
            rotation({"rotary_pct": share}, share_key="rotary_pct")
    with pytest.raises(InputError, match="turns pairs"):
        read_rotation(Values({}, "config.json"), 7)


def test_llama3_leaves_fast_pairs_slows_slow_ones_and_blends_between():
    rope = Rotation(500_000.0, scaling=Scaling.LLAMA3, factor=8.0, original=8192)
    plain = frequencies(Rotation(500_000.0), 128, 1)
    scaled = frequencies(rope, 128, 1)
    ratios = [one / other for one, other in zip(scaled, plain, strict=True)]
    assert ratios[0] == 1
    assert ratios[-1] == pytest.approx(1 / 8)
    assert ratios == sorted(ratios, reverse=True)
    assert any(0.2 < ratio < 0.9 for ratio in ratios)


def test_dynamic_is_plain_up_to_the_original_length():
    rope = Rotation(scaling=Scaling.DYNAMIC, factor=2.0, original=16)
    assert frequencies(rope, 8, 16) == frequencies(Rotation(), 8, 16)
    assert frequencies(rope, 8, 17)[-1] < frequencies(rope, 8, 16)[-1]
