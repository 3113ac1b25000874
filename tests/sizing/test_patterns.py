import pytest
from configs import read

from kvviz.sizing.errors import InputError


@pytest.mark.parametrize(
    ("model_type", "key", "one"),
    [
        ("qwen2", "layer_types", "full_attention"),
        ("step3p5", "layer_types", "full_attention"),
        ("llama4_text", "no_rope_layers", 1),
        ("mimo_v2_flash", "hybrid_layer_pattern", 1),
        ("minimax_text_01", "attn_type_list", 1),
        ("nemotron-nas", "block_configs", {}),
        ("nemotron_h", "layers_block_type", "mamba"),
        ("openelm", "num_kv_heads", 2),
    ],
)
def test_a_list_is_as_long_as_there_are_layers(model_type, key, one):
    with pytest.raises(InputError, match=f"{key} lists 1 layer, num_hidden_layers is 4"):
        read(model_type=model_type, **{key: [one]})


def test_letters_are_as_many_as_there_are_layers():
    with pytest.raises(InputError, match="_pattern lists 2 layers, num_hidden_layers is 4"):
        read(model_type="nemotron_h", hybrid_override_pattern="M*")
