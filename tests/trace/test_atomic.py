import errno
import os
import stat

import pytest

from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import check_target, write_atomically


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "run.bin"
    path.write_bytes(b"old")
    return path


def failing(code):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    return fail


def refusal(path, data=b"new"):
    with pytest.raises(InputError) as caught:
        write_atomically(path, data)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
    return str(caught.value)


def test_a_file_is_written_and_replaced(tmp_path):
    write_atomically(tmp_path / "run.bin", b"one")
    write_atomically(str(tmp_path / "run.bin"), b"")

    assert (tmp_path / "run.bin").read_bytes() == b""
    assert os.listdir(tmp_path) == ["run.bin"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "no permission"),
        (errno.EIO, "error"),
    ],
)
def test_whatever_fails_the_old_file_is_kept_and_nothing_left(old, monkeypatch, call, code, said):
    monkeypatch.setattr(os, call, failing(code))

    assert said in refusal(old)
    assert old.read_bytes() == b"old"
    assert os.listdir(old.parent) == ["run.bin"]


def test_nothing_is_left_when_the_person_stops_it(old, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(old, b"new")

    assert old.read_bytes() == b"old"
    assert os.listdir(old.parent) == ["run.bin"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full here")
def test_a_device_is_never_written_to():
    assert "not a file" in refusal("/dev/full")


def test_a_folder_is_refused(tmp_path):
    assert "is a folder" in refusal(tmp_path)
    assert "is a folder" in refusal("")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert "not a file" in refusal(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing/run.bin", "its folder does not exist"),
        ("run.bin/deeper", "its folder is not a folder"),
        ("n" * 300, "too long"),
        ("nul\0", "not a file name"),
    ],
)
def test_a_place_that_is_none_is_refused(old, name, said):
    assert said in refusal(f"{old.parent}/{name}")


def test_a_write_protected_place_is_refused_before_anything_is_made(old, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != old)

    with pytest.raises(InputError, match="no permission"):
        check_target(old)


def test_a_link_stays_a_link(old, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(old)

    write_atomically(link, b"new")

    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_a_link_to_nothing_yet_makes_its_file(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "run.bin")

    write_atomically(tmp_path / "link", b"new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "run.bin").read_bytes() == b"new"


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")

    assert "circle" in refusal(tmp_path / "a")
    assert (tmp_path / "a").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="no permission bits there")
def test_permissions_are_those_of_the_old_file_or_the_usual_ones(old):
    old.chmod(0o640)
    write_atomically(old, b"new")
    write_atomically(old.with_name("fresh"), b"new")
    old.with_name("plain").touch()

    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    fresh, plain = old.with_name("fresh").stat(), old.with_name("plain").stat()
    assert fresh.st_mode == plain.st_mode
