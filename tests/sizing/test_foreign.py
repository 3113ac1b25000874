import json

import numpy as np
import pytest
from safetensors.numpy import save

from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain, read_header


def header(path):
    with open_plain(str(path)) as file:
        return read_header(file, str(path)), file.tell()


def written(path, text, data=b""):
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def test_the_file_is_at_its_data_once_the_header_is_read(tmp_path):
    data = save({"a": np.arange(3, dtype=np.int64)}, {"who": "me"})
    (tmp_path / "file").write_bytes(data)

    found, place = header(tmp_path / "file")

    assert found["a"]["shape"] == [3]
    assert found["__metadata__"] == {"who": "me"}
    assert data[place:] == np.arange(3, dtype=np.int64).tobytes()


def test_a_header_as_long_as_a_pickles_first_bytes_is_none(tmp_path):
    """0x0280 bytes of header begin with the two bytes of a pickle of protocol 2."""
    path = written(tmp_path / "file", b"{}".ljust(0x0280))

    assert path.read_bytes().startswith(b"\x80\x02")
    assert header(path)[0] == {}


@pytest.mark.parametrize(
    ("text", "data", "said"),
    [
        (b"[]", b"", "not a safetensors file"),
        (b"{", b"", "header cannot be read"),
        (b"{\xff}", b"", "header cannot be read"),
        (b'{"a":1,"a":1}', b"", "header cannot be read"),
        (b'{"a":{"data_offsets":[0,4]}}', b"123", "is cut short"),
        (b'{"a":{"data_offsets":[0,4]}}', b"12345", "has bytes after its end"),
        (b'{"a":{"data_offsets":[0,"4"]}}', b"1", "has bytes after its end"),
    ],
)
def test_a_header_that_does_not_hold_is_refused(tmp_path, text, data, said):
    with pytest.raises(InputError, match=said):
        header(written(tmp_path / "file", text, data))


def test_a_header_that_is_too_long_is_never_read(tmp_path):
    path = tmp_path / "file"
    text = json.dumps({"a": "b" * 11 * 2**20}).encode()
    written(path, text)

    with pytest.raises(InputError, match="its header is too large"):
        header(path)
