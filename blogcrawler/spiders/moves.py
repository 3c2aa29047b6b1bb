"""Posts that have got another address: their records move there, with their history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.items import Record

__all__ = ["Moves"]


class Moves:
    """Moves the posts of a blog; `known` has those that are kept, by `urls.identity` and by guid."""

    def __init__(self, archive: Archive, home: str, known: Mapping[str, KnownPost]) -> None:
        self._archive, self._home, self._known = archive, home, known
        #: where posts were whose records are still to come, by the addresses that theirs lead to
        self._waiting: dict[str, str] = {}

    def before_saving(self, record: Record) -> bool:
        """Where a known post has got another address, give that to it before its record is saved; was it so?"""
        entry = record.material.entry if record.material is not None else None
        post = self._known.get(entry.guid) if entry is not None and entry.guid else None
        old = self._waiting.pop(record.url, post.url if post is not None else None)
        if old is None or identity(record.url) in self._known:
            return False
        self._move(old, record.url)
        return True

    def note(self, url: str, target: str) -> None:
        """A page led to another one: if it was a post's, and that is none that was known, the post has moved."""
        if identity(url) not in self._known or identity(target) in self._known:
            return
        self._waiting[target] = self._known[identity(url)].url
        self._move_kept(target)

    def end(self) -> None:
        """Move posts whose records came before their old addresses led to them."""
        for target in list(self._waiting):
            self._move_kept(target)

    def _move_kept(self, target: str) -> None:
        if self._archive.record(self._home, target) is not None:
            self._move(self._waiting.pop(target), target)

    def _move(self, old: str, target: str) -> None:
        self._archive.move(self._home, old, target, now=datetime.now(UTC))
