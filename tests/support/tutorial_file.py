"""Files of the tutorial's model, with weights that can run."""

import numpy as np
from safetensors.numpy import save_file

from kvviz.model.tutorial_weights import expected_sizes
from kvviz.sizing.shape import ModelShape


def write_tutorial(path, shape=None, *, without=(), **extra):
    """Write a state dict of ``shape`` (2 layers, 4 heads of 16, 128 tokens) and return its path."""
    rng = np.random.default_rng(3)
    sizes = expected_sizes(shape or ModelShape())
    tensors = {
        name: rng.normal(0, 0.1, size).astype(np.float32)
        for name, size in sizes.items()
        if name not in without
    }
    save_file(tensors | extra, path)
    return str(path)
