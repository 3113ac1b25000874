import pytest

from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions, kv_head_choices


def test_the_tutorials_model_has_its_sizes():
    shape = ModelShape()

    assert (shape.hidden_size, shape.ffn_size, shape.scale) == (64, 256, 0.25)
    assert shape.num_parameters == 116_480


@pytest.mark.parametrize(
    ("kv_heads", "kind", "group"), [(8, "MHA", 1), (2, "GQA", 4), (1, "MQA", 8)]
)
def test_fewer_kv_heads_are_shared(kv_heads, kind, group):
    shape = ModelShape(num_heads=8, num_kv_heads=kv_heads)

    assert (shape.attention_kind, shape.group_size) == (kind, group)
    assert [part.elements_per_token for part in shape.cache_parts] == [2 * kv_heads * 16] * 2


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"num_layers": 0}, "layers must be between 1"),
        ({"num_heads": -1}, "query heads must be between 1"),
        ({"num_kv_heads": 0}, "KV heads must be between 1"),
        ({"head_dim": 0}, "head size must be between 1"),
        ({"vocab_size": 1}, "vocabulary must be between 2"),
        ({"vocab_size": 10**9}, "not 1,000,000,000"),
        ({"num_heads": 6, "num_kv_heads": 4}, "choose 1, 2, 3 or 6 KV heads"),
        ({"num_heads": 1, "num_kv_heads": 2}, "^1 query head .*: choose 1 KV head.$"),
        ({"num_layers": 2, "windows": (8,)}, "^2 layers cannot have 1 window: give"),
        ({"head_dim": 9, "positions": Positions.ROPE}, "must be even"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(sizes, said):
    with pytest.raises(InputError, match=said):
        ModelShape(**sizes)


def test_kv_heads_divide_the_query_heads():
    assert kv_head_choices(12) == (1, 2, 3, 4, 6, 12)
