"""A model in a few words."""

from kvviz.session.settings import Settings
from kvviz.sizing.units import count_text, three_figures
from kvviz.trace.config import ModelSpec

NOISE = "random weights: the text is noise; the costs are real"


def model_line(spec: ModelSpec) -> str:
    """Say what a trained model is: its name, its size, and how far it was trained."""
    shape = spec.shape
    parts = [spec.name, f"{parameters_text(shape.num_parameters)} parameters"]
    if shape.context is not None:
        parts.append(f"context {shape.context:,}")
    return " · ".join(parts)


def heads_line(spec: ModelSpec) -> str:
    """Say how many layers a model has, and how its heads share keys and values."""
    shape = spec.shape
    heads = f"{shape.attention_kind} {shape.num_heads}/{shape.num_kv_heads}"
    return f"{count_text(shape.num_layers, 'layer')} · {heads}"


def context_note(settings: Settings, prompt_tokens: int) -> str:
    """Say that a run goes beyond what its model was trained for; empty where it does not."""
    context = settings.shape.context if settings.model is not None else None
    if context is None or prompt_tokens + settings.max_new_tokens <= context:
        return ""
    return (
        f"The model was trained on {context:,} tokens at once: beyond them its text degrades, the "
        "costs stay real."
    )


def parameters_text(number: int) -> str:
    """Write a number of parameters with three figures: 857, 12.3 k, 2.75 M, 8.03 B."""
    for size, unit in ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{three_figures(number, size)} {unit}"
    return str(number)
