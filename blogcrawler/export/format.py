"""Base classes of formats: a name, a one-line summary, and a function that writes posts."""

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
_LONGEST_LINE = 200
"""Longest first line of a README, in characters."""


@dataclass(frozen=True)
class Format(ABC):
    """An export format. The same posts always give the same bytes. Memory is constant."""

    #: one of `choices.FORMATS`
    name: str
    #: the optional Python package that it needs, if any
    needs: str | None = field(default=None, kw_only=True)

    @property
    def summary(self) -> str:
        """A short description for users."""
        return FORMATS[self.name]

    @property
    def is_ready(self) -> bool:
        """True if the required package is installed."""
        return self.needs is None or find_spec(self.needs) is not None

    @abstractmethod
    def export(self, selection: Selection, target: str) -> None:
        """Write the posts. An existing target is replaced only when everything is written. Raises BadArgument for a
        target that does not suit this format, TargetUnwritable for one that cannot be written."""


@dataclass(frozen=True)
class TextFormat(Format):
    """A text format in UTF-8, which can be written to standard output."""

    write: Callable[[Selection, BinaryIO], None]

    def export(self, selection: Selection, target: str) -> None:
        """Write the posts to a file, a pipe, or standard output."""
        with streamed(target) as stream:
            self.write(selection, stream)


@dataclass(frozen=True)
class FileFormat(Format):
    """A binary file. `write` receives the path of an empty file."""

    write: Callable[[Selection, Path], None]

    def export(self, selection: Selection, target: str) -> None:
        """Write the posts to a file."""
        if target == STDOUT:
            raise BadArgument(f"The format {self.name} is not a text format; give the name of a file to write.")
        with replaced(target) as path:
            self.write(selection, path)


@dataclass(frozen=True)
class FolderFormat(Format):
    """A folder of files. `write` receives the path of an empty folder."""

    write: Callable[[Selection, Path], None]
    #: True if a folder is an earlier export in this format, which may be replaced
    is_ours: Callable[[Path], bool]

    def export(self, selection: Selection, target: str) -> None:
        """Write the posts to a folder."""
        if target == STDOUT:
            raise BadArgument(f"The format {self.name} is a folder of files; give the name of a folder to write.")
        with replaced_folder(target, self.is_ours) as path:
            self.write(selection, path)


def write_readme(folder: Path, name: str) -> None:
    """Write a README from the package data into the folder."""
    (folder / _README).write_text(data_text(name), "utf-8")


def has_readme(form: str) -> Callable[[Path], bool]:
    """Return a function that is True for folders with a README of any version for that format: its first line names
    the program and the format."""

    def is_ours(folder: Path) -> bool:
        try:
            with (folder / _README).open(encoding="utf-8") as readme:
                first = readme.readline(_LONGEST_LINE)
        except (OSError, UnicodeError):
            return False
        return all(word in first for word in ("blogcrawler", "archived", "from the web", form))

    return is_ours
