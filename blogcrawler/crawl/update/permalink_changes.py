"""Detect posts whose address has changed, and move their records, with history, to the new address."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.crawl.duplicates import is_same_text
from blogcrawler.dates import Moment
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Record


class PermalinkChanges:
    """Moves posts to their new addresses. A post that arrived since the update has `begun` may be a known post at a new
    address."""

    def __init__(self, ctx: CrawlContext, known: Mapping[str, KnownPost], begun: datetime) -> None:
        self._archive, self._home, self._tally = ctx.archive, ctx.home, ctx.tally
        self._known, self._begun = known, begun
        #: old addresses of posts whose records have not arrived yet, by the keys of the addresses that they redirect to
        self._waiting: dict[str, str] = {}
        #: keys of the posts whose records have left the pipeline
        self.saved: set[str] = set()
        #: known posts, by key, that the feed no longer has though it has older ones
        self.missing: dict[str, KnownPost] = {}
        #: keys of the addresses that the feed has
        self.listed: set[str] = set()

    def before_saving(self, record: Record) -> bool:
        """Move a known post to its new address before its record is saved; True if it was moved."""
        key = identity(record.url)
        entry = record.material.entry if record.material is not None else None
        post = self._known.get(entry.guid) if entry is not None and entry.guid else None
        old = self._waiting.pop(key, post.url if post is not None else None)
        if old is None or key in self._known:
            return False
        self._move(old, record.url)
        return True

    def after_saving(self, record: Record) -> None:
        """After a record was saved: if a known post turned out to be this post at its old address, move it here."""
        key = identity(record.url)
        self.saved.add(key)
        old = self._waiting.pop(key, None)
        if old is None and key not in self._known:
            is_of = (key for key, post in self.missing.items() if self._is_of(record, post.url))
            old = self.missing.pop(missing_key).url if (missing_key := next(is_of, None)) is not None else None
        if old is not None:
            self._move(old, record.url)

    def settle(self, is_linked: Callable[[str], bool]) -> None:
        """Move posts that neither the feed has nor a page links to, to new posts with the same content. O(n)."""
        posts, left = self._archive.known_posts(self._home), defaultdict(list)
        for key, post in posts.items():
            if self._was_known(post.url) and key not in self.listed and not is_linked(key):
                left[(post.published or "")[:10]].append(post.url)
        for post in posts.values():
            same_day = left.get((post.published or "")[:10])
            record = self._archive.record(self._home, post.url) if same_day and post.first_seen >= self._begun else None
            old = next((url for url in same_day or () if record and self._is_of(record, url, is_same=True)), None)
            if same_day and old is not None:
                same_day.remove(old)
                self._move(old, post.url)

    def note(self, url: str, target: str) -> None:
        """Note a redirect: if it leads from a known post to an address without a known post, the post has moved."""
        if not self._was_known(url) or self._was_known(target):
            return
        old = self._known[identity(url)].url
        if self._archive.record(self._home, target) is not None:
            self._move(old, target)
        else:
            self._waiting[identity(target)] = old

    def _is_of(self, record: Record, old: str, *, is_same: bool = False) -> bool:
        """True if a record and an archived post may be of the same day, and have the same title or text.

        With `is_same`, both must be the same, and the times must not contradict. A series has one title, and sometimes
        one text, for posts of many days: without the day, neither proves anything.
        """
        archived = self._archive.record(self._home, old)
        then, now = (
            Moment.parse_iso(source.published if source is not None else None) for source in (archived, record)
        )
        if archived is None or then is None or now is None or not then.may_be_same_day(now):
            return False
        texts = archived.content_text or "", record.content_text or ""
        if (archived.title, texts[0]) == (record.title, texts[1]):
            return not is_same or not (then.is_after(now) or now.is_after(then))
        return not is_same and is_same_text(*texts)

    def _was_known(self, url: str) -> bool:
        post = self._known.get(identity(url))
        return post is not None and post.first_seen < self._begun

    def _move(self, old: str, target: str) -> None:
        archived, known = self._archive.post(self._home, old), self._known.get(identity(old))
        was_gone = archived is not None and archived.gone is not None and known is not None and known.gone is None
        is_changed = self._archive.move(self._home, old, target, now=datetime.now(UTC))
        self._tally.moved(was_new=identity(target) in self.saved, is_changed=is_changed, was_gone=was_gone)
