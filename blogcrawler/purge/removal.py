"""Remove a post or a blog in steps, ordered so that the same command can finish an interrupted removal.

First, the audit record with the digests of the removed content is saved; from then on, crawls do not archive it again.
The database rows are deleted last, since the other data are found by them. At the end, the audit record gets its end
time.
"""

from __future__ import annotations

import re
import sqlite3
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from blogcrawler.backend.passages import person_of
from blogcrawler.backend.purges import PurgeRow, Removed
from blogcrawler.backend.warc import OPEN, KeptBodies, finish_tombstones, forget, recover, write_tombstones
from blogcrawler.downloader import http_cache
from blogcrawler.downloader.captured import INDEX_FOLDER
from blogcrawler.errors import BackendUnavailable, NotAFeed
from blogcrawler.export.text import blog_name
from blogcrawler.feeds.comments import parse_comments
from blogcrawler.purge.captures import find_captures
from blogcrawler.report import FOLDER as REPORTS
from blogcrawler.reporting import logs_of
from blogcrawler.sources import forget_copies
from blogcrawler.urls import is_http, site

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from pathlib import Path

    from blogcrawler.backend import Archive, Files
    from blogcrawler.backend.erasure import CommentsErasure, Erasure, OwnFile
    from blogcrawler.backend.purges import Kind
    from blogcrawler.purge.captures import FoundCapture

_VIEWS = ("urn:view:", "urn:fullPage:")
"""Prefixes of the URLs of rendered pages and screenshots."""


@dataclass(frozen=True)
class Places:
    """The data of an archive outside its database."""

    files: Files
    #: the folder of the setting ARCHIVE
    folder: Path
    warcs: Path


@dataclass(frozen=True)
class Plan:
    """The data to be removed."""

    row: PurgeRow
    #: number of rows to be removed from the database, by kind
    rows: Counter[str]
    files: list[OwnFile]
    captures: list[FoundCapture]
    #: URLs of responses in the HTTP cache
    cached: list[str]
    #: deposits of the post in other repositories
    deposits: list[str]
    #: reports and logs of crawls
    reports: list[Path]
    #: captures with the name of a person, but without an extracted comment by this person
    by_name_only: list[FoundCapture]

    @property
    def is_empty(self) -> bool:
        """True if the archive has nothing of it."""
        return not (self.rows or self.files or self.captures or self.cached or self.reports)


class Removal(ABC):
    """Removes data of a blog, which must be leased. Calls raise BackendUnavailable."""

    kind: Kind

    def __init__(
        self, archive: Archive, places: Places, home: str, url: str, reason: str | None = None, *, name: str = ""
    ) -> None:
        person = person_of(name)
        self._archive, self._places, self._home, self._person = archive, places, home, person
        key = archive.key_of(url)
        self._before = archive.purges.find(self.kind, key, person)
        row = self._before or PurgeRow(key, self.kind, person, home, url, [key], b"", None, datetime.now(UTC))
        addresses = list(dict.fromkeys([*row.addresses, *self._addresses(url)]))
        self._erasure = self._erasure_of(addresses)
        parts = row.parts | self._erasure.parts()
        passages = b"".join(sorted(parts))
        self.row = replace(row, addresses=addresses, passages=passages, reason=reason or row.reason, name=name or None)
        self._removed = Removed([self.row])

    @property
    def is_certain(self) -> bool:
        """True if the URL cannot be a typing error: its data are archived, or an earlier command began to remove
        them."""
        return self._before is not None or bool(self._archive.homes_of(self.row.url))

    def _addresses(self, url: str) -> list[str]:  # noqa: ARG002
        """The keys of the other known URLs of the removed content."""
        return []

    @abstractmethod
    def _erasure_of(self, keys: list[str]) -> Erasure:
        """The data of the removed content in the database."""

    def _is_whole(self, file: Path, own: list[str]) -> bool:  # noqa: ARG002
        """True if every record of this WARC file is to be removed; `own` are the removed URLs in it."""
        return False

    def _is_own(self, url: str) -> bool:
        """True for URLs of the removed content."""
        return self._removed.has(url)

    def _is_cached(self, url: str, body: bytes, content_type: str | None) -> bool:
        """True if a response in the HTTP cache is to be removed."""
        return self._is_own(url) or self._removed.quotes(body, content_type)

    def _reports(self) -> list[Path]:
        """Its reports and logs of crawls."""
        return []

    def plan(self, on_bytes: Callable[[int], object] = lambda _: None) -> Plan:
        """The data that would be removed; nothing is changed. O(n) in the WARC files and the archive's posts."""
        files = self._erasure.files()
        of_files = {self._archive.key_of(file.url) for file in files}

        def is_own(url: str) -> bool:
            url = _address(url)
            return self._archive.key_of(url) in of_files or self._is_own(url)

        captures = find_captures(
            self._places.warcs,
            {site(self._home), site(self.row.url)},
            is_own,
            self._removed.quotes,
            self._is_whole,
            on_bytes,
        )
        cached = http_cache.forget(self._places.folder, self._is_cached, is_trial=True)
        counted, deposits = self._erasure.counted(self._removed), self._erasure.deposits()
        by_name_only = self._by_name_only(captures)
        return Plan(self.row, counted, files, captures, cached, deposits, self._reports(), by_name_only)

    def carry_out(self, on_bytes: Callable[[int], object] = lambda _: None) -> Plan:
        """Remove the data and return what was removed; it is less if an earlier call was interrupted."""
        self._archive.purges.save(replace(self.row, finished=None))
        try:
            finish_tombstones(self._places.warcs)
            recover(self._places.warcs)
            plan = self.plan(on_bytes)
            self._remove_captures(plan.captures)
        except (OSError, sqlite3.Error) as error:
            raise BackendUnavailable(f"The WARC files in {self._places.warcs} cannot be written ({error}).") from error
        for file in plan.files:
            if file.path is not None:
                self._places.files.delete(file.path)
        http_cache.forget(self._places.folder, self._is_cached)
        forget_copies(self._places.folder / INDEX_FOLDER)
        _delete(plan.reports)
        self._erasure.erase(self._removed, plan.files)
        self._archive.compact()
        self._archive.purges.finish(self.row, now=datetime.now(UTC))
        return plan

    def _by_name_only(self, captures: list[FoundCapture]) -> list[FoundCapture]:  # noqa: ARG002
        """The captures that contain only the name of a person."""
        return []

    def _remove_captures(self, captures: list[FoundCapture]) -> None:
        self._erasure.forget_places({capture.name for capture in captures})
        forget(self._places.warcs, (capture.name for capture in captures))
        for file in dict.fromkeys(capture.file for capture in captures):
            places = [capture.place for capture in captures if capture.file == file]
            write_tombstones(file, places, datetime.now(UTC))


def _delete(files: list[Path]) -> None:
    """Delete files, and their folders when empty."""
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise BackendUnavailable(f"{file} cannot be deleted ({error.strerror}).") from error
        with suppress(OSError):
            file.parent.rmdir()


def _address(url: str) -> str:
    """The URL of a rendered page without its prefix; other URLs unchanged."""
    for view in _VIEWS:
        url = url.removeprefix(view)
    return url


class PostRemoval(Removal):
    """Removes one post."""

    kind = "post"

    def _addresses(self, url: str) -> list[str]:
        archive, record = self._archive, self._archive.record(self._home, url)
        if record is None or not record.guid or not is_http(record.guid):
            return []
        guid = archive.key_of(record.guid)
        is_of_other = guid == archive.key_of(self._home) or archive.homes_of(record.guid)
        return [] if is_of_other else [guid]

    def _erasure_of(self, keys: list[str]) -> Erasure:
        return self._archive.erasure(self._home, keys)

    @cached_property
    def _other_posts(self) -> frozenset[str]:
        return frozenset(self._archive.known_posts(self._home)) - {self.row.key}

    def _is_own(self, url: str) -> bool:
        """True for the URLs of the post, and for URLs below them that are no other post."""
        key, below = self._archive.key_of(url), f"{self.row.key.rstrip('/')}/"
        is_below = below.count("/") > 1 and "?" not in below and key.startswith(below)
        return super()._is_own(url) or (is_below and not self._is_of_other_post(key))

    def _is_of_other_post(self, key: str) -> bool:
        """True for the URL of another post, and for URLs below it."""
        others = self._other_posts
        return key in others or any(key.startswith(f"{other.rstrip('/')}/") for other in others)


class BlogRemoval(Removal):
    """Removes a whole blog: all URLs in its folder, and all files that its crawls have fetched elsewhere."""

    kind = "blog"
    is_certain = True

    def _addresses(self, url: str) -> list[str]:  # noqa: ARG002
        return [self._archive.key_of(self._home), *self._archive.addresses().get(self._home, ())]

    def _erasure_of(self, keys: list[str]) -> Erasure:  # noqa: ARG002
        return self._archive.blog_erasure(self._home)

    @cached_property
    def _warcs_of_others(self) -> set[str]:
        return self._archive.blog_erasure(self._home).warcs_of_others()

    def _is_whole(self, file: Path, own: list[str]) -> bool:
        """True if a WARC file is of a crawl of this blog: each file is of one crawl, which requests the home page or
        the feed."""
        is_asked_for = any(self._archive.key_of(url) in self.row.addresses for url in own)
        return is_asked_for and file.name.removesuffix(OPEN) not in self._warcs_of_others

    def _is_cached(self, url: str, body: bytes, content_type: str | None) -> bool:  # noqa: ARG002
        """True for all responses, since it is unknown for which blog they were fetched."""
        return True

    def _reports(self) -> list[Path]:
        purged = [row.key for row in self._archive.purges.all() if row.blog == self._home]
        posts = self._archive.known_posts(self._home)
        logs = logs_of(self._places.folder, [*self.row.addresses, *purged, *posts])
        if self._archive.find_blog(self._home) is None:
            return logs
        folder = self._places.folder / REPORTS / blog_name(self._archive.blog(self._home))
        return [*sorted(path for path in folder.rglob("*") if path.is_file()), *logs]


class CommentsRemoval(Removal):
    """Removes the comments under a name from all posts of a blog."""

    kind = "comments"

    @property
    def is_certain(self) -> bool:
        """True if the removal was started before: its captures were confirmed then."""
        return self._before is not None and self._before.finished is None

    @property
    def finds_any(self) -> bool:
        """True if the person has comments, or had some that were removed."""
        return self._before is not None or bool(self._posts)

    @cached_property
    def _posts(self) -> set[str]:
        return {key.rstrip("/") for key in self._erasure_of([]).posts()}

    def _erasure_of(self, keys: list[str]) -> CommentsErasure:  # noqa: ARG002
        return self._archive.comments_erasure(self._home, self._person)

    def _is_own(self, url: str) -> bool:  # noqa: ARG002
        """False for all URLs: captures are found by their text."""
        return False

    def _by_name_only(self, captures: list[FoundCapture]) -> list[FoundCapture]:
        bodies = KeptBodies(self._places.warcs)
        try:
            return [capture for capture in captures if capture.has_body and not self._has_comment(capture, bodies)]
        finally:
            bodies.close()

    def _has_comment(self, capture: FoundCapture, bodies: KeptBodies) -> bool:
        """True for pages of posts with comments by the person, and for feeds and quotations of these comments."""
        address = self._archive.key_of(_address(capture.url))
        above = accumulate(re.split(r"(?=[/?])", address))
        if not self._posts.isdisjoint(above):
            return True
        body = bodies.at(capture.name)
        if self._removed.quotes(body.body, body.content_type, heeds_names=False):
            return True
        try:
            entries = parse_comments(body.body, capture.url, body.content_type).entries
        except NotAFeed:
            return False
        return any(self._removed.is_by(entry.comment.author) for entry in entries)
