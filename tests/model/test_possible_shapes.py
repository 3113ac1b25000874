import numpy as np
import pytest
from tutorial_file import write_tutorial

from kvviz.model.tutorial_weights import possible_shapes, tutorial_shape
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape


def test_every_divisor_of_the_hidden_size(tmp_path):
    path = write_tutorial(tmp_path / "mha.safetensors")
    shapes = possible_shapes(path)
    assert list(shapes) == [1, 2, 4, 8, 16, 32, 64]
    assert all(shape.hidden_size == 64 for shape in shapes.values())
    assert all(shape.attention_kind in ("MHA", "MQA") for shape in shapes.values())
    for heads, shape in shapes.items():
        assert shape == tutorial_shape(path, heads)


def test_keys_narrower_than_queries_need_enough_heads(tmp_path):
    shape = ModelShape(num_layers=1, num_heads=6, num_kv_heads=2, head_dim=4, vocab_size=11)
    shapes = possible_shapes(write_tutorial(tmp_path / "gqa.safetensors", shape))
    # Hidden size 24, keys 8 wide: heads of 8, 4, 2 and 1.
    assert {heads: s.num_kv_heads for heads, s in shapes.items()} == {3: 1, 6: 2, 12: 4, 24: 8}
    assert shapes[6] == shape


def test_refuses_before_anyone_is_asked(tmp_path):
    lacking = write_tutorial(tmp_path / "a.safetensors", without=("blocks.1.ffn.2.bias",))
    with pytest.raises(InputError, match=r"blocks\.1\.ffn\.2\.bias"):
        possible_shapes(lacking)
    other = write_tutorial(tmp_path / "b.safetensors", wte=np.zeros((2, 2), np.float32))
    with pytest.raises(InputError, match="wte"):
        possible_shapes(other)
    narrow = write_tutorial(
        tmp_path / "c.safetensors",
        **{"blocks.0.ffn.0.weight": np.zeros((100, 64), np.float32)},
    )
    with pytest.raises(InputError, match="feed-forward of 100"):
        possible_shapes(narrow)
