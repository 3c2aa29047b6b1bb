"""The steps by which a post is removed, in an order in which the same command finishes what was cut short.

First the archive notes what is to be removed, and how it is recognised: from then on it is not taken in again. The rows
of the database go after all that is found by them, and last the note gets the time when all was done.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from blogcrawler.backend.purges import PurgeRow, Removed
from blogcrawler.backend.warc import finish_tombstones, forget, recover, write_tombstones
from blogcrawler.downloader import http_cache
from blogcrawler.errors import BackendUnavailable
from blogcrawler.purge.captures import find_captures
from blogcrawler.urls import is_http, site

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from pathlib import Path

    from blogcrawler.backend import Archive, Files
    from blogcrawler.backend.erasure import OwnFile
    from blogcrawler.purge.captures import FoundCapture

_VIEWS = ("urn:view:", "urn:fullPage:")
"""Before the address of a page of which a browser has made something."""


@dataclass(frozen=True)
class Places:
    """Where an archive keeps what is not in its database."""

    files: Files
    #: of the setting ARCHIVE
    folder: Path
    warcs: Path


@dataclass(frozen=True)
class Plan:
    """What is to be removed."""

    row: PurgeRow
    #: how many rows of which kind go from the database
    rows: Counter[str]
    files: list[OwnFile]
    captures: list[FoundCapture]
    #: addresses of answers in the HTTP cache
    cached: list[str]
    #: where other repositories have the post
    deposits: list[str]


class Removal:
    """Removes one post of a blog that is leased for it. Calls raise BackendUnavailable."""

    def __init__(self, archive: Archive, places: Places, home: str, url: str, reason: str | None = None) -> None:
        self._archive, self._places, self._home = archive, places, home
        self.row = self._noted(url, reason)
        self._removed = Removed([self.row])
        self._erasure = archive.erasure(home, [self.row.key, *self.row.addresses])

    def _noted(self, url: str, reason: str | None) -> PurgeRow:
        """The audit record as it was, or a new one."""
        archive, key = self._archive, self._archive.key_of(url)
        record, before = archive.record(self._home, url), archive.purges.find("post", key)
        addresses = [key, *(before.addresses if before is not None else ())]
        if record is not None and record.guid and is_http(record.guid):
            guid = archive.key_of(record.guid)
            is_others = guid == archive.key_of(self._home) or archive.homes_of(record.guid)
            addresses += [] if is_others else [guid]
        parts = archive.erasure(self._home, addresses).parts() | (before.parts if before is not None else frozenset())
        row = before or PurgeRow(key, "post", "", self._home, url, [], b"", reason, datetime.now(UTC))
        passages = b"".join(sorted(parts))
        return replace(row, addresses=list(dict.fromkeys(addresses)), passages=passages, reason=reason or row.reason)

    def plan(self, on_bytes: Callable[[int], object] = lambda _: None) -> Plan:
        """What would be removed; nothing is changed. Linear in the WARC files and the archive's posts."""
        files = self._erasure.files()
        own = {self._archive.key_of(file.url) for file in files}
        sites = {site(self._home), site(self.row.url)}
        captures = find_captures(
            self._places.warcs, sites, lambda url: self._is_own(url, own), self._removed.quotes, on_bytes
        )
        cached = http_cache.forget(self._places.folder, self._is_cached, is_trial=True)
        counted, deposits = self._erasure.counted(self._removed), self._erasure.deposits()
        return Plan(self.row, counted, files, captures, cached, deposits)

    def carry_out(self, on_bytes: Callable[[int], object] = lambda _: None) -> Plan:
        """Remove the post; what was removed now, which is less where an earlier call was cut short."""
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
        self._erasure.erase(self._removed, plan.files)
        self._archive.compact()
        self._archive.purges.finish(self.row, now=datetime.now(UTC))
        return plan

    def _remove_captures(self, captures: list[FoundCapture]) -> None:
        self._erasure.forget_places({capture.name for capture in captures})
        forget(self._places.warcs, (capture.name for capture in captures))
        for file in dict.fromkeys(capture.file for capture in captures):
            places = [capture.place for capture in captures if capture.file == file]
            write_tombstones(file, places, datetime.now(UTC))

    @cached_property
    def _other_posts(self) -> frozenset[str]:
        return frozenset(self._archive.known_posts(self._home)) - {self.row.key}

    def _is_own(self, url: str, files: set[str]) -> bool:
        """True for the addresses of the post and of its files, and for what is below the post's and no other post."""
        for view in _VIEWS:
            url = url.removeprefix(view)
        if self._removed.has(url):
            return True
        key, below = self._archive.key_of(url), f"{self.row.key.rstrip('/')}/"
        is_below = below.count("/") > 1 and "?" not in below and key.startswith(below)
        return key in files or (is_below and key not in self._other_posts)

    def _is_cached(self, url: str, body: bytes, content_type: str | None) -> bool:
        return self._is_own(url, set()) or self._removed.quotes(body, content_type)
