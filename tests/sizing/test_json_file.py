import codecs
import os

import pytest

from kvviz.sizing.errors import InputError
from kvviz.sizing.json_file import SIZE_LIMIT, parse_json_object, read_json_object


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (b'{"a": 1,\n  "b" 2}', "line 2, column 7"),
        (b"{'a': 1}", "line 1, column 2"),
        (b'{"a": 1} {', "line 1, column 10"),
        ('{"a": 1}'.encode("utf-16"), "is UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "NUL bytes"),
        ('{"a": 1}'.encode("utf-32"), "is UTF-16 or UTF-32"),
        (b'{"a": "\xff"}', "byte 7 is not"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b" " * (SIZE_LIMIT + 1), "larger than 16 MB"),
        (b"[1, 2]", "not a list"),
        (b"4", "not a number"),
        (b"null", "not null"),
        (b"true", "not true or false"),
        (b'"text"', "not text"),
        (b'{"a": {"hidden_size": 1, "hidden_size": 1}}', "key hidden_size appears twice"),
        (b'{"a": NaN}', "a must be a finite number"),
        (b'{"b": [[1, -Infinity]]}', "b must be a finite number"),
        (b'{"a": 1e999}', "a must be a finite number"),
        (b'{"time_step_limit": [0.0, NaN]}', "time_step_limit must be a finite number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a has a number of 5,000 digits"),
        (b'{"a": [' + b"9" * 5000 + b"]}", "a has a number of 5,000 digits"),
        (b'{"\\u0007": NaN}', "'\\x07' must be a finite number"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "config.json should be JSON and is a Git LFS pointer",
        ),
        (b"<!DOCTYPE html><html>", "is a web page"),
        (b"GGUF\x03", "is a GGUF file"),
    ],
)
def test_what_is_no_object_is_one_sentence(data, said):
    with pytest.raises(InputError) as found:
        parse_json_object(data, "config.json")

    assert said in str(found.value)
    assert "config.json" in str(found.value)
    assert str(found.value).count("\n") == 0
    assert str(found.value).endswith(".")


def test_a_mark_of_utf8_and_real_infinities_are_accepted():
    data = codecs.BOM_UTF8 + b'{"time_step_limit": [0.0, Infinity], "a": {"b": 2}}'

    found = parse_json_object(data, "config.json")
    assert found == {"time_step_limit": [0.0, float("inf")], "a": {"b": 2}}


def test_a_huge_file_is_never_read(tmp_path, monkeypatch):
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(2 * 10**9)  # sparse, takes no room
    monkeypatch.setattr("kvviz.sizing.json_file.parse_json_object", None)

    with pytest.raises(InputError, match="larger than 16 MB"):
        read_json_object(str(path))


def test_files_that_are_none_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, said in (("absent", "does not exist"), ("", "is a folder"), ("pipe", "plain file")):
        with pytest.raises(InputError, match=said):
            read_json_object(str(tmp_path / name))


def test_a_file_with_an_odd_name_is_read(tmp_path):
    path = tmp_path / "a b \N{SNOWMAN}.json"
    path.write_bytes(b'{"a": 1}')

    assert read_json_object(str(path)) == {"a": 1}
