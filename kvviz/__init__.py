"""See, size and feel a KV cache."""

__version__ = "0.1.0"
