import pytest
import torch

from kvviz.model.transformer import Transformer
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import CachePart, ModelShape, Positions, kv_head_choices


def test_the_usual_shape_is_the_tutorials():
    shape = ModelShape()
    assert (shape.hidden_size, shape.ffn_size, shape.scale) == (64, 256, 0.25)
    assert shape.attention_kind == "MHA"
    assert shape.cache_parts == (CachePart(4, 16, 16),) * 2


@pytest.mark.parametrize(("kv_heads", "kind"), [(8, "MHA"), (4, "GQA"), (2, "GQA"), (1, "MQA")])
def test_the_kind_of_attention_is_in_the_heads(kv_heads, kind):
    shape = ModelShape(num_heads=8, num_kv_heads=kv_heads)
    assert shape.attention_kind == kind
    assert shape.group_size * kv_heads == 8


@pytest.mark.parametrize(
    "shape",
    [
        ModelShape(),
        ModelShape(3, 8, 2, 4, 50),
        ModelShape(1, 1, 1, 2, 2, Positions.ROPE),
        ModelShape(2, 6, 1, 5, 99),
    ],
)
def test_parameters_are_those_of_the_model(shape):
    with torch.device("meta"):
        model = Transformer(shape)
    assert shape.num_parameters == sum(weight.numel() for weight in model.parameters())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_layers": 0}, "layers must be between 1 and 1,024, not 0"),
        ({"num_heads": -1}, "query heads must be between 1"),
        ({"num_kv_heads": 0}, "KV heads must be between 1"),
        ({"head_dim": 0}, "head size must be between 1"),
        ({"vocab_size": 1}, "vocabulary must be between 2"),
        ({"vocab_size": 10**9}, "vocabulary must be between 2 and 16,777,216, not 1,000,000,000"),
        ({"num_heads": 6, "num_kv_heads": 4}, "6 query heads cannot share 4 KV heads evenly"),
        ({"num_heads": 6, "num_kv_heads": 4}, "choose 1, 2, 3 or 6 KV heads"),
        ({"num_heads": 1, "num_kv_heads": 2}, "choose 1 KV heads"),
        ({"head_dim": 7, "positions": Positions.ROPE}, "head size 7 must be even"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(fields, message):
    with pytest.raises(InputError, match=message):
        ModelShape(**fields)


def test_choices_are_the_divisors():
    assert kv_head_choices(12) == (1, 2, 3, 4, 6, 12)
    assert kv_head_choices(1) == (1,)
