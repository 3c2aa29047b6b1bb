"""Interface of repositories, and the values they work with: a post as description and files, and the deposit's
progress."""

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
"""Stages: draft requested; draft created; draft complete, to stay a draft; publication requested; waiting for a
curator; published."""
_PORTION = 1 << 20


@dataclass(frozen=True)
class Description:
    """Metadata of a post, independent of the repository. Unknown values are None or empty tuples."""

    #: our identifier of the post, a URN that never changes
    marker: str
    url: str
    title: str
    #: names as the blog writes them
    creators: tuple[str, ...]
    blog: str
    blog_title: str
    #: ISO 8601 with a precision of year, month or day
    published: str | None
    updated: str | None
    #: day on which the current content was fetched
    captured: str
    #: language tag (BCP 47)
    language: str | None
    tags: tuple[str, ...]
    #: the first words of the post
    beginning: str | None
    guid: str | None

    @property
    def date(self) -> str:
        """Date of publication; the date of the fetch if the former is unknown."""
        return self.published or self.captured


@dataclass(frozen=True)
class DepositFile:
    name: str
    type: str
    size: int
    #: opens the file, each time at its start
    open: Callable[[], BinaryIO]

    @cached_property
    def md5(self) -> str:
        """MD5 digest in hexadecimal, as repositories report it."""
        digest = hashlib.md5(usedforsecurity=False)
        with self.open() as stream:
            while part := stream.read(_PORTION):
                digest.update(part)
        return digest.hexdigest()


@dataclass(frozen=True)
class Deposit:
    """A post in the form in which it is deposited."""

    description: Description
    #: the record comes first
    files: Sequence[DepositFile]
    #: digest of description and files: equal as long as nothing has changed
    sha256: str
    #: True if it is to stay a draft
    is_draft: bool = False

    @property
    def size(self) -> int:
        """Total size of all files in bytes."""
        return sum(file.size for file in self.files)


class Progress:
    """The saved progress of a deposit. It survives the process; an earlier process may have stopped at any stage."""

    def __init__(self, row: DepositRow, save: Callable[[DepositRow], None], draft_ids: Callable[[], set[str]]) -> None:
        self._row, self._save, self._draft_ids = row, save, draft_ids
        #: True once the digest of the deposited content has been saved
        self.has_saved_digest = False

    @property
    def row(self) -> DepositRow:
        """All saved values."""
        return self._row

    @property
    def marker(self) -> str:
        """Our identifier of the post, by which its record can be found in the repository."""
        return self._row.marker

    @property
    def stage(self) -> str:
        """One of the stages above."""
        return self._row.stage

    @property
    def draft_id(self) -> str | None:
        """Id of the unfinished draft in the repository."""
        return self._row.draft_id

    @property
    def record_id(self) -> str | None:
        """Id of the last published record."""
        return self._row.record_id

    def keep(self, **changed: Any) -> None:  # noqa: ANN401
        """Save changed values at once.

        `sha256` is the digest of the content that the repository now holds, which may differ from the current deposit.
        """
        self.has_saved_digest |= "sha256" in changed
        self._row = replace(self._row, **changed)
        self._save(self._row)

    def drafts_of_others(self) -> set[str]:
        """Ids of the drafts of other posts."""
        return self._draft_ids() - {self._row.draft_id or ""}


class Repository(ABC):
    """Base class of repositories: a server, and the community or collection that receives the posts.

    A custom class gets the words after its name in PROPAGATE_TO as arguments.
    """

    #: unique name in the archive: kind, address and collection; a different name means a different repository
    name: str
    #: maximum number of files per record; if a post has more, its media are packed into one ZIP file
    most_files: int = 100

    @abstractmethod
    def deposit(self, deposit: Deposit, progress: Progress) -> None:
        """Deposit or update a post, and continue an interrupted deposit at any point.

        Must end with `progress.keep(stage=…)` of KEPT, SUBMITTED or DEPOSITED. Raises NotPermitted, DepositRefused and
        RepositoryUnavailable.
        """

    def stop(self) -> None:  # noqa: B027  most have nothing to stop
        """Interrupt all waiting. Called from another thread when the time is up."""

    def close(self) -> None:  # noqa: B027  most have nothing to close
        """Close connections."""
