"""What is stored in which type where a person does not say: keys and values, states."""

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.element_types import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    ElementType,
    parse_element_type,
)
from kvviz.sizing.parts import StatePart
from kvviz.sizing.policy import Engine

MODEL_TYPES = {"float32": FLOAT32, "float16": FLOAT16, "bfloat16": BFLOAT16}
ALWAYS_FLOAT32 = "Kimi Delta Attention"


def model_type(config: ModelConfig) -> ElementType | None:
    """Return what the model itself is stored in, None where its config does not say."""
    return MODEL_TYPES.get(config.torch_dtype or "")


def usual_cache_type(config: ModelConfig, engine: Engine) -> tuple[ElementType, str]:
    """Return the type of K and V that an engine would choose, and why."""
    if engine is Engine.LLAMA_CPP:
        return FLOAT16, "llama.cpp's own"
    if config.cache_dtype is not None:
        return parse_element_type(config.cache_dtype), "as quantization_config says"
    own = model_type(config)
    if own is None:
        said = config.torch_dtype
        why = f"{said[:20]!a} is no type of a cache" if said else "the config does not say"
        return BFLOAT16, why
    if engine is Engine.VLLM and own is FLOAT32:
        return BFLOAT16, "vLLM's own for a model in float32"
    return own, "the model's own"


def usual_state_type(
    config: ModelConfig, states: list[StatePart], engine: Engine
) -> tuple[ElementType, str]:
    """Return the type of a recurrent state that an engine would choose, and why."""
    if engine is Engine.LLAMA_CPP:
        return FLOAT32, "llama.cpp's own"
    if config.state_dtype is not None:
        return parse_element_type(config.state_dtype), "as the config says"
    if engine is Engine.VLLM and all(part.name != ALWAYS_FLOAT32 for part in states):
        return usual_conv_type(config, engine), "as vLLM has it where the config does not say"
    return FLOAT32, "what engines usually keep"


def usual_conv_type(config: ModelConfig, engine: Engine) -> ElementType:
    """Return the type of a convolution's kept inputs."""
    if engine is Engine.LLAMA_CPP:
        return FLOAT32
    own = model_type(config) or BFLOAT16
    return BFLOAT16 if engine is Engine.VLLM and own is FLOAT32 else own
