import dataclasses
import json
import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvviz.ui.preferences import CHECKS, LARGEST_FILE, Preferences, PreferencesFile, parsed
from kvviz.ui.theme import ThemeChoice

DEFAULTS = Preferences()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kvviz" / "settings.json"


@pytest.fixture
def written(path):
    """Put text or bytes where the file is."""

    def write(content):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_without_a_file_there_are_defaults_and_nothing_to_say(path):
    file = PreferencesFile(path)
    assert (file.values, file.notice) == (DEFAULTS, "")
    assert not path.parent.exists()


def test_what_is_saved_comes_back(path):
    file = PreferencesFile(path)
    file.values.theme = ThemeChoice.DARK
    file.values.zoom = 1.25
    file.values.pace = None
    file.values.last_folder = "/home/ada/läufe 😀"
    file.values.columns = [280, 788, 372]
    file.save()
    again = PreferencesFile(path)
    assert (again.values, again.notice) == (file.values, "")
    assert os.listdir(path.parent) == ["settings.json"]


def test_the_file_is_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("KVVIZ_SETTINGS", str(tmp_path / "mine.json"))
    PreferencesFile().save()
    assert (tmp_path / "mine.json").exists()


def test_a_byte_order_mark_is_no_damage(written):
    file = PreferencesFile(written(b'\xef\xbb\xbf{"zoom": 1.5}'))
    assert (file.values.zoom, file.notice) == (1.5, "")


def test_unknown_keys_survive(written):
    path = written('{"version": 1, "zoom": 1.5, "plugins": {"a": [1, null]}}')
    PreferencesFile(path).save()
    assert json.loads(path.read_text())["plugins"] == {"a": [1, None]}


def test_a_newer_version_is_used_and_keeps_its_number(written):
    path = written('{"version": 7, "theme": "dark", "haptics": true}')
    file = PreferencesFile(path)
    assert (file.values.theme, file.notice) == (ThemeChoice.DARK, "")
    file.save()
    kept = json.loads(path.read_text())
    assert (kept["version"], kept["haptics"]) == (7, True)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "7",
        "<html>",
        b"\xff\xfe{\x00}\x00",
        b"\x00" * 100,
        "[" * 100_000,
        '{"zoom": ' + "[" * 100_000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_damaged_file_is_kept_aside_and_said_once(written, content):
    path = written(content)
    before = path.read_bytes()
    file = PreferencesFile(path)
    assert file.values == DEFAULTS
    assert file.notice == (
        f"The preferences were damaged: defaults are used, the old file is {path}.bad."
    )
    assert path.with_name("settings.json.bad").read_bytes() == before
    file.save()
    assert PreferencesFile(path).notice == ""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("theme", "pink"),
        ("zoom", 50),
        ("zoom", "1.5"),
        ("zoom", True),
        ("colour_map", "jet"),
        ("pace", 0),
        ("pace", 1e999),
        ("width", 10**30),
        ("width", 1200.5),
        ("left", -(10**9)),
        ("columns", [1, 2, 3, 4]),
        ("columns", [-5]),
        ("last_folder", None),
        ("version", 0),
    ],
)
def test_one_bad_value_costs_that_value_only(written, key, value):
    good = {"height": 1000, "last_folder": "/data", "theme": "light", "other": 1}
    path = written(json.dumps({**good, key: value}))
    file = PreferencesFile(path)
    assert "the rest is used" in file.notice
    file.save()
    kept = json.loads(path.read_text())
    for name in good.keys() - {key}:
        assert kept[name] == good[name]
    if key != "version":
        assert getattr(file.values, key) == getattr(DEFAULTS, key)
    assert path.with_name("settings.json.bad").exists()


def test_a_file_too_large_is_damaged(written):
    path = written('{"zoom": 1.5, "junk": "' + "x" * LARGEST_FILE + '"}')
    file = PreferencesFile(path)
    assert file.values == DEFAULTS
    assert "damaged" in file.notice


def test_a_folder_in_its_place_is_left_alone(path):
    path.mkdir(parents=True)
    file = PreferencesFile(path)
    assert file.values == DEFAULTS
    assert file.notice == f"Preferences could not be read from {path}: defaults are used."
    file.save()
    assert path.is_dir()


def test_a_pipe_in_its_place_does_not_block(path):
    path.parent.mkdir()
    os.mkfifo(path)
    assert "could not be read" in PreferencesFile(path).notice


def test_a_place_that_cannot_be_written_is_said_at_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr("kvviz.ui.preferences.os.access", lambda place, mode: False)
    path = tmp_path / "settings.json"
    file = PreferencesFile(path)
    assert file.notice == f"Preferences will not be kept: {path} cannot be written."
    assert file.values == DEFAULTS


def test_a_file_where_the_folder_should_be_is_said_and_saving_does_no_harm(tmp_path):
    (tmp_path / "kvviz").write_text("a file")
    file = PreferencesFile(tmp_path / "kvviz" / "settings.json")
    assert "will not be kept" in file.notice
    file.save()
    assert (tmp_path / "kvviz").read_text() == "a file"


def test_a_failed_save_leaves_the_old_file_whole(written, monkeypatch):
    path = written('{"zoom": 1.5}')
    file = PreferencesFile(path)

    def full_disk(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kvviz.trace.atomic.os.replace", full_disk)
    file.save()
    assert path.read_text() == '{"zoom": 1.5}'
    assert os.listdir(path.parent) == ["settings.json"]
    assert re.match("Preferences were not kept", file.notice)


def test_a_wrong_value_cannot_be_set():
    with pytest.raises(ValueError, match=r"zoom cannot be 9\.0"):
        Preferences().zoom = 9.0


def test_every_field_has_a_check_that_its_default_passes():
    fields = dataclasses.asdict(Preferences())
    assert fields.keys() == CHECKS.keys()
    assert all(CHECKS[name](value) for name, value in fields.items())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(CHECKS)) | st.text(), json_values))
def test_whatever_is_in_the_file_what_is_saved_of_it_is_read_without_a_word(found):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        path.write_text(json.dumps(found), encoding="utf-8")
        file = PreferencesFile(path)
        assert bool(file.notice) == any(
            not CHECKS.get(k, anything_goes)(v) for k, v in found.items()
        )
        file.save()
        again = PreferencesFile(path)
        assert (again.values, again.notice) == (file.values, "")


def anything_goes(value):
    return True


@given(st.binary(max_size=200))
def test_no_bytes_at_all_raise(data):
    assert isinstance(parsed(data), dict | None)


def test_two_windows_keep_what_each_of_them_changed(path):
    first = PreferencesFile(path)
    first.values.lesson_places = {"a": 2, "b": 3}
    first.save()
    first, second = PreferencesFile(path), PreferencesFile(path)
    first.values.theme, first.values.lessons_done = ThemeChoice.LIGHT, ["a"]
    first.values.lesson_places = {"b": 3}
    second.values.zoom, second.values.lessons_done = 1.5, ["c"]
    second.values.lesson_places = {"a": 2, "b": 4}
    first.save()
    second.save()
    kept = PreferencesFile(path)
    assert kept.notice == ""
    assert (kept.values.theme, kept.values.zoom) == (ThemeChoice.LIGHT, 1.5)
    assert kept.values.lessons_done == ["a", "c"]
    assert kept.values.lesson_places == {"b": 4}
    first.save()
    assert PreferencesFile(path).values == kept.values


def test_a_file_damaged_by_another_meanwhile_is_written_anew(path):
    ours = PreferencesFile(path)
    ours.values.zoom = 1.25
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'{"zoom": 99, "theme": "pink", "pace": 8.0')
    ours.save()
    assert PreferencesFile(path).values == ours.values
