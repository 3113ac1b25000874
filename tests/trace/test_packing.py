import numpy as np
import pytest

from kvviz.trace.packing import STEP_COLUMNS, pack, unpack


@pytest.fixture
def packed(make_trace):
    trace = make_trace(chunks=(2, 1))
    return trace.config, pack(trace)


def test_a_figure_that_a_step_has_not_is_marked(packed):
    _, tensors = packed

    assert tensors["steps"][0, STEP_COLUMNS.index("token_id")] == -1
    assert np.isnan(tensors["probabilities"][0])
    assert tensors["logit_steps"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("steps", (1, STEP_COLUMNS.index("latency_ns")), -5),
        ("steps", (1, STEP_COLUMNS.index("bytes_used")), -1),
        ("steps", (1, STEP_COLUMNS.index("seq_len")), 2),
        ("steps", (3, STEP_COLUMNS.index("seq_len")), 2**62),
        ("steps", (1, STEP_COLUMNS.index("num_new_ids")), 0),
        ("steps", (1, STEP_COLUMNS.index("num_tokens_fed")), 0),
        ("steps", (1, STEP_COLUMNS.index("num_tokens_fed")), 99),
        ("steps", (1, STEP_COLUMNS.index("phase")), 2),
        ("steps", (1, STEP_COLUMNS.index("token_id")), 50),
        ("steps", (1, STEP_COLUMNS.index("token_id")), -2),
        ("steps", (1, STEP_COLUMNS.index("num_candidates")), 1),
        ("steps", (1, STEP_COLUMNS.index("num_candidates")), 2**62),
        ("probabilities", 1, 1.5),
        ("probabilities", 1, -0.1),
        ("probabilities", 1, np.inf),
        ("candidate_probabilities", 0, np.nan),
        ("candidate_ids", 0, 50),
        ("candidate_ids", 0, -1),
        ("new_ids", 3, 50),
        ("new_ids", 0, 6),
        ("piece_bytes", 0, 4),
        ("piece_bytes", 0, -3),
        ("pieces", 0, 0xFF),
        ("logit_steps", 0, 2),
        ("logit_steps", 2, 4),
        ("logit_steps", 0, -1),
    ],
)
def test_a_number_that_does_not_fit_is_refused(packed, name, place, value):
    config, tensors = packed
    tensors[name] = tensors[name].copy()
    tensors[name][place] = value

    with pytest.raises(ValueError, match=r".+"):
        unpack(config, tensors)


@pytest.mark.parametrize(
    "name", ["q", "k", "v", "out", "logits", "new_ids", "pieces", "candidate_ids"]
)
@pytest.mark.parametrize(
    "damage", [lambda t: t[:-1], lambda t: t.astype(np.float16), lambda t: t[None]]
)
def test_a_tensor_of_another_shape_or_type_is_refused(packed, name, damage):
    config, tensors = packed
    tensors[name] = damage(tensors[name])

    with pytest.raises(ValueError, match=r".+"):
        unpack(config, tensors)


@pytest.mark.parametrize(
    "damage", [lambda t: t[:0], lambda t: t[:, :-1], lambda t: t[0], lambda t: t.astype(np.int32)]
)
def test_a_table_of_another_shape_or_type_is_refused(packed, damage):
    config, tensors = packed
    tensors["steps"] = damage(tensors["steps"])

    with pytest.raises(ValueError, match="table of steps"):
        unpack(config, tensors)
