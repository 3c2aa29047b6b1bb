"""Where an export goes: a file that is there whole or not at all, or a stream."""

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
"""Stands for standard output."""


@contextmanager
def streamed(target: str) -> Iterator[BinaryIO]:
    """A stream to write to: of a file as `replaced` makes it, of standard output, or of a pipe or device that is there.

    Raises BadArgument for a folder, TargetUnwritable for what cannot be written.
    """
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
    """An empty file to write to, beside the target, whose name it takes in the end; where writing fails it goes.

    Raises BadArgument for a folder, TargetUnwritable for what cannot be written.
    """
    with _explained(target):
        final = Path(target).resolve()
        if final.is_dir():
            raise BadArgument(f"{target} is a folder; give the name of a file to write.")
        if _is_special(final):
            raise BadArgument(f"{target} is no file; give the name of a file to write.")
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
    """An empty folder to write to, beside the target, whose name it takes in the end; where writing fails it goes.

    A folder that is there is replaced if it is empty or `is_ours`. Raises BadArgument for one that is not, and for a
    file; TargetUnwritable for what cannot be written.
    """
    with _explained(target):
        final = Path(target).resolve()
        _check_folder(target, final, is_ours)
        part = Path(tempfile.mkdtemp(dir=final.parent, prefix=f".{final.name[:100]}.", suffix=".part"))
        try:
            yield part
            part.chmod(_mode(final, 0o777))
            os.sync()  # one for all files, which may be many
            _take_name(part, final)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise


def _check_folder(target: str, final: Path, is_ours: Callable[[Path], bool]) -> None:
    if final.is_dir():
        if any(final.iterdir()) and not is_ours(final):
            raise BadArgument(
                f"{target} holds other things than an earlier export in this format; give the name of a new folder."
            )
    elif os.path.lexists(final):
        raise BadArgument(f"{target} is no folder; give the name of a folder to write.")


def _take_name(part: Path, final: Path) -> None:
    """Put a folder in the place of another one, which goes."""
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
    except BrokenPipeError:  # whoever reads has seen enough
        raise
    except OSError as error:
        raise TargetUnwritable(
            f"{target} cannot be written ({error.strerror or error}); give one in a folder that exists, may be written "
            "and has room."
        ) from error


def _is_special(path: Path) -> bool:
    """True for a pipe, a device or the like, which is written to and not replaced."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _mode(final: Path, new: int = 0o666) -> int:
    """The rights of the file or folder that is replaced, or those that a new one has."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(final.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return new & ~mask


def _sync(path: Path) -> None:
    """Have the disk keep what was written to a file, or which names a folder holds."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
