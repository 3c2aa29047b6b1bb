"""An update from a time that the user has named: what is new or was changed since then, fetched or from the archive.

What an entry shows to be as it is kept needs no request. Where the feed does not reach back to the time, and no sitemap
tells what was changed, the feed's archive is read until it does; the rest is known to the archive.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.update.announcements import Earlier
from blogcrawler.crawl.update.feed_changes import digest
from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.errors import Unchanged
from blogcrawler.spiders.relearning import Relearning
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from scrapy import Request

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.update.feed_changes import News
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Entry, Record

__all__ = ["LookingBack", "is_as_kept", "is_since"]


class LookingBack(Relearning):
    """An update that hands on what is new since its user's time, and, if it was cut short, what its parts have kept."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        #: does it hand on again what its earlier parts have kept?
        self._recalls = False
        self._has_recalled = False
        #: keys of the posts whose records this part has handed on
        self._handed_on: set[str] = set()
        #: what entries of the feed said
        self._digests: Earlier[str] = Earlier()

    # ------------------------------------------------------------------------------------------------ what is looked at

    def _with_those_to_look_at(self, news: News, entries: Sequence[Entry]) -> News:
        """The news, with entries of the user's time that do not show that their posts are as they are kept."""
        if self._since is None:
            return news
        listed = {identity(entry.url) for entry in (*news.new, *news.changed)}
        again = [entry for entry in entries if identity(entry.url) not in listed and self._is_to_be_looked_at(entry)]
        recounted = [entry for entry in news.recounted if entry not in again]
        return replace(news, changed=[*news.changed, *again], recounted=recounted)

    def _is_wanted(self, entry: Entry) -> bool:
        return super()._is_wanted(entry) or self._is_to_be_looked_at(entry)

    def _is_to_be_looked_at(self, entry: Entry) -> bool:
        """Is an entry of the user's time, and may its post say something else than what is kept?"""
        if self._since is None or not is_since(self._since, entry.published, entry.updated):
            return False
        if not entry.is_summary and self._digests.said.get(identity(entry.url)) == digest(entry):
            return False
        post = self._known.get(identity(entry.url)) or self._known.get(entry.guid or "")
        record = self.archive.record(self.home, post.url) if post is not None else None
        return post is None or record is None or not is_as_kept(entry, record, post.last_seen)

    async def _look_back(self, feed: Feed) -> None:
        """Read on in the feed's archive, if the feed does not reach back to the user's time."""
        if self._since is not None and not self._is_back_in_time(feed.entries):
            await self._read_archive(feed)

    def _is_back(self, entries: Collection[Entry]) -> bool:
        return super()._is_back(entries) and self._is_back_in_time(entries)

    def _is_back_in_time(self, entries: Collection[Entry]) -> bool:
        """Do entries reach back to the user's time, as far as it matters? Sitemaps may have told what was changed."""
        if self._since is None or (self._sitemaps_read is not None and self._has_lastmods):
            return True
        return any(entry.published and not is_since(self._since, entry.published) for entry in entries)

    # ------------------------------------------------------------------------------------------------ what is handed on

    def item_ended(self, item: Record) -> None:
        """A record came out."""
        self._handed_on.add(identity(item.url))
        super().item_ended(item)

    def item_dropped(self, item: Record, exception: BaseException) -> None:
        """A stage refused a post: one that was looked at in vain is done."""
        if isinstance(exception.__cause__, Unchanged):
            super().item_ended(item)
        else:
            super().item_dropped(item, exception)

    def _left_over(self, stop: Stop | None) -> Request | None:
        """At the end, the records of the archive that are wanted, and were not handed on before."""
        request = super()._left_over(stop)
        is_wanted = (self._recalls or self._since is not None) and not self._has_recalled
        if request is not None or not is_wanted or self._is_working():
            return request
        self._has_recalled = True
        return self._request_to_hand_on(self._from_archive(set(self._handed_on)))

    def _from_archive(self, done: set[str]) -> Iterator[Record]:
        if self._recalls:
            urls = [url for url in self.archive.changed_since(self.home, self._begun) if identity(url) not in done]
            done.update(map(identity, urls))
            yield from self._recalled(urls)
        if self._since is None:
            return
        archived = min((post.first_seen for post in self._known.values()), default=self._begun)
        found_first = self._first_update if self._since < archived else None
        for record in self.archive.records(self.home):
            post, key = self._known.get(identity(record.url)), identity(record.url)
            if post is not None and key not in done and _is_news(post, record, self._since, found_first):
                self.tally.recalled()
                yield record


def is_since(since: datetime, *times: str | None) -> bool:
    """May any of some times (ISO 8601; None are not known) be that of a moment, or later?"""
    start = Moment.parse_iso(since.isoformat())
    told = (Moment.parse_iso(time) for time in times if time)
    return start is not None and any(moment is not None and not start.is_after(moment) for moment in told)


def is_as_kept(entry: Entry, record: Record, read: datetime) -> bool:
    """Does an entry show that its post is as it was `read`: by its time, or by the whole article? O(n)."""
    if entry.updated:
        return not is_since(read, entry.updated)
    if not entry.content_html or (entry.title and _unspaced(entry.title) != _unspaced(record.title or "")):
        return False
    told = _unspaced(inline_text(fragment(entry.content_html)))
    return bool(told) and told == _unspaced(record.content_text or "")


def _is_news(post: KnownPost, record: Record, since: datetime, found_first: datetime | None) -> bool:
    """Is a post that is kept new since a time, or was it, or its comments, changed?

    Of blogs that were archived later, `found_first` is when their first crawl had found all that it did: that these
    posts came in then tells nothing.
    """
    if is_since(since, post.published, post.updated):
        return True
    is_of_first = found_first is not None and post.last_changed == post.first_seen < found_first
    if post.last_changed >= since and (not is_of_first or not post.published):
        return True
    return any(is_since(since, comment.published) for comment in record.comments)


def _unspaced(text: str) -> str:
    return "".join(text.split())
