"""Finds the posts that a repository lacks or has in an older version, and deposits them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from blogcrawler.backend import DepositRow
from blogcrawler.deposit.packing import content_sha256, marker_of, packed
from blogcrawler.deposit.repository import DEPOSITED, KEPT, SUBMITTED, Progress
from blogcrawler.errors import DepositRefused

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from blogcrawler.backend import Archive, BlogRow, Files, KeptPost
    from blogcrawler.deposit.repository import Deposit, Repository

Need = Literal["new", "changed", "unfinished", "same"]
"""State of a post in relation to the repository."""


class Depositor:
    """Deposits each post of an archive in a repository once; without media if `files` is None."""

    def __init__(
        self, archive: Archive, repository: Repository, files: Files | None = None, *, is_draft: bool = False
    ) -> None:
        self._archive, self._repository, self._files = archive, repository, files
        self._is_draft = is_draft
        self._deposits = archive.deposits(repository.name)

    def need(self, post: KeptPost) -> Need:
        """State of a post according to the archive; sends no request."""
        row = self._deposits.find(post.id)
        if row is None:
            return "new"
        final_stages = {DEPOSITED, SUBMITTED, *([KEPT] if self._is_draft else [])}
        if row.stage in {DEPOSITED, SUBMITTED, KEPT} and row.sha256 != self._sha256(post):
            return "changed"
        return "same" if row.stage in final_stages else "unfinished"

    def bring(self, post: KeptPost, blog: BlogRow) -> DepositRow:
        """Deposit a new or changed post and return its row. Raises the errors of `Repository.deposit`."""
        if self.need(post) == "same":
            row = self._deposits.find(post.id)
            assert row is not None
            return row
        progress = self._progress(post)
        with self._packed(post, blog, progress.marker) as deposit:
            self._repository.deposit(deposit, progress)
        if progress.stage not in {DEPOSITED, SUBMITTED, KEPT}:
            raise DepositRefused(f"{self._repository.name} did not report the result for {post.record.url}.")
        if not progress.has_saved_digest:
            progress.keep(sha256=deposit.sha256)
        return progress.row

    def size(self, post: KeptPost, blog: BlogRow) -> int:
        """Size of a post's deposit in bytes; sends no request."""
        with self._packed(post, blog, marker_of(post.record)) as deposit:
            return deposit.size

    def _progress(self, post: KeptPost) -> Progress:
        row = self._deposits.find(post.id)
        if row is None:
            row = DepositRow(marker_of(post.record), "")

        def save(changed: DepositRow) -> None:
            self._deposits.save(post.id, changed, now=datetime.now(UTC))

        return Progress(row, save, self._deposits.draft_ids)

    def _packed(self, post: KeptPost, blog: BlogRow, marker: str) -> AbstractContextManager[Deposit]:
        return packed(
            post,
            blog,
            self._files,
            marker=marker,
            most_files=self._repository.most_files,
            is_draft=self._is_draft,
        )

    def _sha256(self, post: KeptPost) -> str:
        return content_sha256(post.record, with_media=self._files is not None)
