from dataclasses import replace

import pytest

from kvviz.session.contrast import contrast
from kvviz.session.settings import Settings
from kvviz.sizing.dtypes import DType
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout import LayoutKind

SHOWN = Settings()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"layout": LayoutKind.NONE}, "no cache"),
        ({"layout": LayoutKind.CONCAT, "num_kv_heads": 6}, "concat · MHA 6/6"),
        ({"kv_dtype": DType.BFLOAT16}, "KV bf16"),
        ({"layout": LayoutKind.CONCAT, "num_layers": 2, "batch": 3}, "concat · 2 layers"),
        ({"max_seq_len": 4096}, "limit 4,096"),
        ({"kernel": Kernel.BLOCKWISE, "tile": 8}, "tiles of 8"),
        ({"kernel": Kernel.EAGER}, "eager"),
        ({}, "same settings"),
    ],
)
def test_a_run_is_named_by_what_it_has_and_the_other_has_not(changes, words):
    other = replace(SHOWN, **changes)
    assert contrast(other.to_config((1, 2)), SHOWN.to_config((1, 2))) == words


def test_another_prompt_is_said():
    assert contrast(SHOWN.to_config((1,)), SHOWN.to_config((2,))) == "other prompt"
