"""Targets of exports: files that are written atomically, or streams."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from blogcrawler.errors import BadArgument, TargetUnwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STDOUT = "-"
"""The name of standard output."""


@contextmanager
def streamed(target: str) -> Iterator[BinaryIO]:
    """Open a stream for writing: a file (see `replaced`), standard output, or an existing pipe or device. Raises
    BadArgument for a folder, TargetUnwritable if writing fails."""
    if target == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif _is_special(Path(target)):
        with _explained(target), Path(target).open("wb") as stream:
            yield cast("BinaryIO", stream)
    else:
        with replaced(target) as path, path.open("wb") as stream:
            yield cast("BinaryIO", stream)


@contextmanager
def replaced(target: str) -> Iterator[Path]:
    """Create an empty temporary file next to the target; it replaces the target at the end, or is deleted on an error.
    Raises BadArgument for a folder, TargetUnwritable if writing fails."""
    with _explained(target):
        final = Path(target).resolve()
        if final.is_dir():
            raise BadArgument(f"{target} is a folder; give the name of a file.")
        if _is_special(final):
            raise BadArgument(f"{target} is not a file; give the name of a file.")
        handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name[:100]}.", suffix=".part")
        os.close(handle)
        part = Path(name)
        try:
            yield part
            part.chmod(_mode(final))
            _sync(part)
            part.replace(final)
            _sync(final.parent)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise


@contextmanager
def replaced_folder(target: str, is_ours: Callable[[Path], bool]) -> Iterator[Path]:
    """Create an empty temporary folder next to the target; it replaces the target at the end, or is deleted on an
    error. An existing folder is replaced if it is empty or `is_ours`; otherwise BadArgument is raised, as for a file.
    Raises TargetUnwritable if writing fails."""
    with _explained(target):
        final = Path(target).resolve()
        _check_folder(target, final, is_ours)
        part = Path(tempfile.mkdtemp(dir=final.parent, prefix=f".{final.name[:100]}.", suffix=".part"))
        try:
            yield part
            part.chmod(_mode(final, 0o777))
            os.sync()  # one sync for all files, since there may be many
            _take_name(part, final)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise


def _check_folder(target: str, final: Path, is_ours: Callable[[Path], bool]) -> None:
    if final.is_dir():
        if any(final.iterdir()) and not is_ours(final):
            raise BadArgument(
                f"{target} contains other files than an earlier export in this format; name a new folder."
            )
    elif os.path.lexists(final):
        raise BadArgument(f"{target} is not a folder; give the name of a folder.")


def _take_name(part: Path, final: Path) -> None:
    """Replace a folder by another one."""
    if not final.exists():
        part.replace(final)
    else:
        old = Path(tempfile.mkdtemp(dir=final.parent, prefix=f".{final.name[:100]}.", suffix=".old"))
        final.replace(old)
        try:
            part.replace(final)
        except BaseException:
            old.replace(final)
            raise
        shutil.rmtree(old, ignore_errors=True)
    _sync(final.parent)


@contextmanager
def _explained(target: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe
        raise
    except OSError as error:
        raise TargetUnwritable(
            f"{target} cannot be written ({error.strerror or error}); give a target in an existing, writable folder "
            "with free space."
        ) from error


def _is_special(path: Path) -> bool:
    """True for a pipe, a device or another special file, which cannot be replaced."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _mode(final: Path, new: int = 0o666) -> int:
    """Return the permissions of the replaced file or folder, or the default ones."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(final.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return new & ~mask


def _sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
