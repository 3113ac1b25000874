import json

import numpy as np
import pytest
from safetensors.numpy import load, save

from kvviz.sizing.errors import InputError
from kvviz.trace.file import checksum, load_trace, trace_bytes


@pytest.fixture(scope="module")
def saved(make_trace):
    return make_trace(chunks=(2, 1))


def write(path, trace, version, without=()):
    """Write a trace as another kvviz would have: its format, and the tensors that it knew."""
    data = trace_bytes(trace)
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"] | {"version": version}
    tensors = {name: tensor for name, tensor in load(data).items() if name not in without}
    path.write_bytes(save(tensors, metadata | {"crc32": checksum(metadata, tensors)}))


def test_the_format_before_opens_without_what_the_heads_passed_on(saved, tmp_path):
    path = tmp_path / "run.safetensors"
    write(path, saved, "2", without=("out",))

    found = load_trace(path)

    assert found.steps == saved.steps
    assert np.array_equal(found.queries(1), saved.queries(1))
    assert np.isnan(found.outputs(1)).all()


@pytest.mark.parametrize("version", ["1", "9"])
def test_another_format_is_named(saved, tmp_path, version):
    path = tmp_path / "run.safetensors"
    write(path, saved, version)

    with pytest.raises(InputError, match=f"format '{version}' and this kvviz reads 2 and 3"):
        load_trace(path)


def test_a_file_of_this_format_without_outputs_is_damaged(saved, tmp_path):
    path = tmp_path / "run.safetensors"
    write(path, saved, "3", without=("out",))

    with pytest.raises(InputError, match="damaged trace"):
        load_trace(path)
