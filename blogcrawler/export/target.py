"""Where an export goes: a file that is there whole or not at all, or a stream."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from blogcrawler.errors import BadArgument, TargetUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["STDOUT", "replaced", "streamed"]

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
def _explained(target: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # whoever reads has seen enough
        raise
    except OSError as error:
        raise TargetUnwritable(
            f"{target} cannot be written ({error.strerror or error}); make room there, or give another target."
        ) from error


def _is_special(path: Path) -> bool:
    """Is it a pipe, a device or the like, which is written to and not replaced?"""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _mode(final: Path) -> int:
    """The rights of the file that is replaced, or those that a new file has."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(final.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync(path: Path) -> None:
    """Have the disk keep what was written to a file, or which names a folder holds."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
