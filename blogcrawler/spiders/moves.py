"""Posts that have got another address: their records move there, with their history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment
from blogcrawler.spiders.copies import is_same_text
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.items import Record
    from blogcrawler.reporting import Tally

__all__ = ["Moves"]


class Moves:
    """Moves the posts of a blog; `known` has those that are kept, by `urls.identity` and by guid.

    What came in since the update has `begun` is what posts may have moved to.
    """

    def __init__(
        self, archive: Archive, home: str, known: Mapping[str, KnownPost], begun: datetime, tally: Tally
    ) -> None:
        self._archive, self._home, self._known, self._begun, self._tally = archive, home, known, begun, tally
        #: where posts were whose records are still to come, by the keys of the addresses that theirs lead to
        self._waiting: dict[str, str] = {}
        #: keys of the records that have come
        self._saved: set[str] = set()
        #: known posts that the feed has no longer, though it has older ones
        self.missing: dict[str, KnownPost] = {}

    def before_saving(self, record: Record) -> bool:
        """Where a known post has got another address, give that to it before its record is saved; was it so?"""
        entry = record.material.entry if record.material is not None else None
        post = self._known.get(entry.guid) if entry is not None and entry.guid else None
        old = self._waiting.pop(identity(record.url), post.url if post is not None else None)
        if old is None or identity(record.url) in self._known:
            return False
        self._move(old, record.url)
        return True

    def after_saving(self, record: Record) -> None:
        """A record has come: its post has moved if an old address led to its own meanwhile."""
        key = identity(record.url)
        self._saved.add(key)
        old = self._waiting.pop(key, None)
        if old is None and key not in self._known:
            old = next((self.missing.pop(key).url for key in list(self.missing) if self._is_of(record, key)), None)
        if old is not None:
            self._move(old, record.url)

    def _is_of(self, record: Record, missing: str) -> bool:
        """True if a record is of a day that a missing post may be of, and has its title or text.

        Series have one title, and some one text, for posts of many days: neither tells anything without the day.
        """
        kept = self._archive.record(self._home, self.missing[missing].url)
        then, now = (Moment.parse_iso(one.published if one is not None else None) for one in (kept, record))
        if kept is None or then is None or now is None or not then.may_be_same_day(now):
            return False
        texts = kept.content_text or "", record.content_text or ""
        return is_same_text(*texts) or (kept.title, texts[0]) == (record.title, texts[1])

    def note(self, url: str, target: str) -> None:
        """A page led to another one: if it was a post's, and that is none that was known, the post has moved."""
        if not self._was_known(url) or self._was_known(target):
            return
        old = self._known[identity(url)].url
        if self._archive.record(self._home, target) is not None:
            self._move(old, target)
        else:
            self._waiting[identity(target)] = old

    def _was_known(self, url: str) -> bool:
        post = self._known.get(identity(url))
        return post is not None and post.first_seen < self._begun

    def _move(self, old: str, target: str) -> None:
        kept, known = self._archive.post(self._home, old), self._known.get(identity(old))
        was_gone = kept is not None and kept.gone is not None and known is not None and known.gone is None
        is_changed = self._archive.move(self._home, old, target, now=datetime.now(UTC))
        self._tally.moved(was_new=identity(target) in self._saved, is_changed=is_changed, was_gone=was_gone)
