"""What a format is: a name, a line that tells it, and a function that writes posts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO

from blogcrawler.choices import FORMATS
from blogcrawler.errors import BadArgument
from blogcrawler.export.target import STDOUT, replaced, replaced_folder, streamed
from blogcrawler.export.text import data_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from blogcrawler.export.selection import Selection


_README = "README.txt"


@dataclass(frozen=True)
class Format(ABC):
    """A way to write posts. The same posts always make the same bytes, in memory that does not grow with them."""

    #: one of `choices.FORMATS`
    name: str
    #: the Python package that writes it, where it is none that always comes along
    needs: str | None = field(default=None, kw_only=True)

    @property
    def summary(self) -> str:
        """A few words for people."""
        return FORMATS[self.name]

    @property
    def is_ready(self) -> bool:
        """True if the package that it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None

    @abstractmethod
    def export(self, selection: Selection, target: str) -> None:
        """Write the posts. What was there is replaced when all is written, or stays as it was.

        Raises BadArgument for a target that is not for this format, TargetUnwritable for one that cannot be written.
        """


@dataclass(frozen=True)
class TextFormat(Format):
    """One text in UTF-8, which may go to standard output."""

    write: Callable[[Selection, BinaryIO], None]

    def export(self, selection: Selection, target: str) -> None:
        """Write the posts to a file, a pipe, or standard output."""
        with streamed(target) as stream:
            self.write(selection, stream)


@dataclass(frozen=True)
class FileFormat(Format):
    """One file that is no text. `write` is given the path of an empty file."""

    write: Callable[[Selection, Path], None]

    def export(self, selection: Selection, target: str) -> None:
        """Write the posts to a file."""
        if target == STDOUT:
            raise BadArgument(f"The format {self.name} is no text; give the name of a file to write.")
        with replaced(target) as path:
            self.write(selection, path)


@dataclass(frozen=True)
class FolderFormat(Format):
    """A folder of files. `write` is given the path of an empty folder."""

    write: Callable[[Selection, Path], None]
    #: True for a folder of an earlier export in this format, which may be replaced
    is_ours: Callable[[Path], bool]

    def export(self, selection: Selection, target: str) -> None:
        """Write the posts to a folder."""
        if target == STDOUT:
            raise BadArgument(f"The format {self.name} is a folder of files; give the name of a folder to write.")
        with replaced_folder(target, self.is_ours) as path:
            self.write(selection, path)


def write_readme(folder: Path, name: str) -> None:
    """Write a text of the package that tells what a folder is."""
    (folder / _README).write_text(data_text(name), "utf-8")


def has_readme(name: str) -> Callable[[Path], bool]:
    """A function that is True for folders with that text."""

    def is_ours(folder: Path) -> bool:
        try:
            return (folder / _README).read_bytes() == data_text(name).encode()
        except OSError:
            return False

    return is_ours
