"""The model that kvviz comes with, known before any of its files is read."""

from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind

# What reading its folder gives: a window that opens on it need not wait for that.
BUILT_IN = ModelChoice(
    spec=ModelSpec(
        shape=ModelShape(
            num_layers=6,
            num_heads=6,
            num_kv_heads=2,
            head_dim=32,
            vocab_size=2048,
            positions=Positions.ROPE,
            hidden_width=192,
            ffn_width=512,
            parameters=2_755_008,
            context=512,
        ),
        source=ModelSource.BUILT_IN,
    ),
    tokenizer=TokenizerKind.FILE,
    end_token_ids=(1,),
)
