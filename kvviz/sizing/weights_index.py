"""What a model's weights take, from the index of its safetensors files."""

from collections.abc import Mapping

from kvviz.sizing.errors import InputError
from kvviz.sizing.json_file import read_json_object

SIZE_LIMIT = 64 * 10**6


def read_weight_bytes(path: str) -> int:
    """Return ``total_size`` of a safetensors index, in bytes; raise InputError without one."""
    metadata = read_json_object(path, SIZE_LIMIT).get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, Mapping) else None
    # Older tools wrote it as a number with a point.
    if isinstance(total, float) and total.is_integer():
        total = int(total)
    if isinstance(total, bool) or not isinstance(total, int) or not 0 < total < 10**15:
        raise InputError(
            f"{path}: metadata has no total_size in bytes: choose a model.safetensors.index.json."
        )
    return total
