"""What a repository is, and what it is given: a post as a description and files, and how far its deposit is."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from blogcrawler.backend import DepositRow

BEGUN, DRAFTED, KEPT = "begun", "drafted", "kept as draft"
SUBMITTING, SUBMITTED, DEPOSITED = "submitting", "submitted", "deposited"
"""Stages: a draft was asked for; is there; is whole, and stays a draft; its publication was asked for; it waits for
somebody's consent; it is published."""
_PORTION = 1 << 20


@dataclass(frozen=True)
class Description:
    """What is said of a post, in no repository's words. Unknown is None, or an empty tuple."""

    #: an identifier of ours, a URN, the same at all times
    marker: str
    url: str
    title: str
    #: names as the blog writes them
    creators: tuple[str, ...]
    blog: str
    blog_title: str
    #: ISO 8601, year, month or day: when it was published, and changed
    published: str | None
    updated: str | None
    #: the day on which it was captured as it is now
    captured: str
    #: BCP 47
    language: str | None
    tags: tuple[str, ...]
    #: its first words
    beginning: str | None
    guid: str | None

    @property
    def date(self) -> str:
        """When it was published; where nobody knows, when it was captured."""
        return self.published or self.captured


@dataclass(frozen=True)
class DepositFile:
    """A file of a deposit."""

    name: str
    type: str
    size: int
    #: to be read from its beginning, each time anew
    open: Callable[[], BinaryIO]

    @cached_property
    def md5(self) -> str:
        """In hexadecimal: what repositories compare."""
        digest = hashlib.md5(usedforsecurity=False)
        with self.open() as stream:
            while part := stream.read(_PORTION):
                digest.update(part)
        return digest.hexdigest()


@dataclass(frozen=True)
class Deposit:
    """A post as it is handed over."""

    description: Description
    #: the record first
    files: Sequence[DepositFile]
    #: of all that is handed over: equal as long as nothing has changed
    sha256: str
    #: True if it is to stay a draft
    is_draft: bool = False

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


class Progress:
    """How far a deposit is. What is kept survives the process; an earlier one may have come to any stage."""

    def __init__(self, row: DepositRow, save: Callable[[DepositRow], None], others: Callable[[], set[str]]) -> None:
        self._row, self._save, self._others = row, save, others
        #: True once the repository has kept the content of the post
        self.has_told_content = False

    @property
    def row(self) -> DepositRow:
        """All that is kept."""
        return self._row

    @property
    def marker(self) -> str:
        """An identifier of ours, by which the repository finds what was made of the post."""
        return self._row.marker

    @property
    def stage(self) -> str:
        """One of the stages above."""
        return self._row.stage

    @property
    def draft_id(self) -> str | None:
        """What is in work in the repository."""
        return self._row.draft_id

    @property
    def record_id(self) -> str | None:
        """What was published last."""
        return self._row.record_id

    def keep(self, **changed: Any) -> None:  # noqa: ANN401
        """Keep what has changed, at once.

        Its `sha256` is that of what the repository has of the post, where that is not what it was just given.
        """
        self.has_told_content |= "sha256" in changed
        self._row = replace(self._row, **changed)
        self._save(self._row)

    def drafts_of_others(self) -> set[str]:
        """What is in work of other posts."""
        return self._others() - {self._row.draft_id or ""}


class Repository(ABC):
    """A repository, and where in it posts go.

    A class of your own is made with what stands behind its name in PROPAGATE_TO, a text without spaces each.
    """

    #: names it in the archive: kind, address and where in it; another name is another repository
    name: str
    #: the most files of a record; where there are more, those of the post are in one ZIP archive
    most_files: int = 100

    @abstractmethod
    def deposit(self, deposit: Deposit, progress: Progress) -> None:
        """Bring a post in, or up to date where it is there; go on where an earlier call was cut, at whatever line.

        Ends with `progress.keep(stage=…)` of KEPT, SUBMITTED or DEPOSITED. Raises NotPermitted, DepositRefused, and
        RepositoryUnavailable.
        """

    def stop(self) -> None:  # noqa: B027  most have nothing to stop
        """Wait for nothing any more: called by another thread when the time is up."""

    def close(self) -> None:  # noqa: B027  most have nothing to close
        """Give up connections."""
