"""Files written whole or not at all."""

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from kvviz.sizing.errors import InputError

NO_PERMISSION = (
    "there is no permission to write there, or another program has it open",
    "choose another place",
)
REASONS = {
    errno.ENOENT: ("its folder does not exist", "create the folder or choose another place"),
    errno.ENOTDIR: ("its folder is not a folder", "choose another place"),
    errno.ENOSPC: ("the disk is full", "free some space or choose another disk"),
    errno.EDQUOT: ("the disk quota is used up", "free some space or choose another disk"),
    errno.EACCES: NO_PERMISSION,
    errno.EPERM: NO_PERMISSION,
    errno.EROFS: ("the disk is read-only", "choose another disk"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("its links lead in a circle", "choose another place"),
}


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write ``data`` to ``path``; whatever goes wrong, an old file there stays as it was.

    A link stays a link: the file it leads to is replaced.  Raises InputError with the reason.
    """
    target = check_target(path)
    # Beside the target, because a rename is whole only within one disk.
    temporary = target.with_name(f".kvviz-{secrets.token_hex(8)}.tmp")
    try:
        _write_synced(temporary, data)
        with contextlib.suppress(OSError):
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    except OSError as error:
        raise _refusal(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def check_target(path: str | Path) -> Path:
    """Return the file that writing to ``path`` would replace, links followed.

    Raises InputError if it could not be written as things stand: no such folder, no permission,
    or something there that is not a plain file.
    """
    try:
        target = Path(os.path.realpath(path))
        mode = _mode(target)
        if mode is not None and not stat.S_ISREG(mode):
            raise InputError(f"{path} is {_kind(mode)}, not a file: choose a file to write to.")
        if not stat.S_ISDIR(target.parent.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder")
        if not (os.access(target.parent, os.W_OK) and (mode is None or os.access(target, os.W_OK))):
            raise PermissionError(errno.EACCES, "not permitted")
    except OSError as error:
        raise _refusal(path, error) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{str(path)!r} is not a file name: choose another.") from error
    return target


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _write_synced(path: Path, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _kind(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "a device or pipe"


def _refusal(path: str | Path, error: OSError) -> InputError:
    reason, advice = REASONS.get(error.errno or 0, (error.strerror, "choose another place"))
    return InputError(f"{path} could not be written, {reason}: {advice}.")
