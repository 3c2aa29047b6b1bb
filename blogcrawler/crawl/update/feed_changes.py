"""Compare a feed with the archive: new posts, changed posts, and changed numbers of comments."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from blogcrawler.crawl.update.since import is_since
from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.update.update_memory import Announcements
    from blogcrawler.items import Entry, Record

FEED, COUNTS = "feed", "comment counts"
"""Names of the states in the archive: the content of entries, and the numbers of comments that they announced.

Many numbers never agree with the comments that can be read: they include deleted, unapproved or invisible comments. So
a number that was announced before is no news.
"""
COMPARED = ("title", "content_html", "updated", "authors", "tags")
"""Parts of an entry that show a change of its post."""
SKIPPED = 2
"""Minimum number of known posts missing from a feed between a new post and the next one for the feed to have holes. A
single missing post may have been deleted."""


@dataclass(frozen=True)
class News:
    """The entries of a feed that an update processes."""

    new: list[Entry] = field(default_factory=list)
    changed: list[Entry] = field(default_factory=list)
    #: entries whose number of comments differs from that of their posts
    recounted: list[Entry] = field(default_factory=list)
    #: whether no entry was known before, so that there may be posts between these entries and the known posts
    has_rolled_over: bool = False
    #: whether the feed lacks known posts right behind its new ones, so that it may lack new posts, too
    has_holes: bool = False

    @property
    def wanted(self) -> list[Entry]:
        """The new and the changed entries."""
        return [*self.new, *self.changed]


def digest(entry: Entry) -> str:
    """A hash that is equal for entries that say the same about a post."""
    parts = {name: getattr(entry, name) for name in COMPARED}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


def find_news(
    entries: Iterable[Entry],
    known: Mapping[str, KnownPost],
    digests: Announcements[str],
    begun: datetime | None = None,
) -> News:
    """Find new, changed and recounted posts among the entries of a feed. O(n).

    `known` are the archive's posts by `urls.identity` and by guid. `digests` are those of earlier entries, by identity
    of their addresses, which may redirect to those of the posts. The update began at `begun`: posts found by its
    earlier runs do not show that the feed reaches back to the posts that were known before. Neither do entries above
    new ones, such as an entry pinned to the top, nor changed entries in a feed that is not in order of publication.
    """
    news, listed = News(), _newest_first(list(entries))
    guids, is_by_date = Counter(entry.guid for entry in listed), _is_by_date(listed)
    reaches_back = False
    fresh: set[str] = set()
    for entry in listed:
        key = identity(entry.url)
        post = known.get(key) or _by_guid(entry, known, guids)
        before = digests.of(key, post)
        is_old = key in digests.settled if post is None else begun is None or post.first_seen < begun
        if post is None and before is None:
            news.new.append(entry)
            reaches_back = False
        elif _is_changed(entry, post, before):
            news.changed.append(entry)
            reaches_back |= is_old and is_by_date
        else:
            reaches_back |= is_old
            if post is not None and entry.comment_count is not None and entry.comment_count != post.comment_count:
                news.recounted.append(entry)
        if not is_old:
            fresh.add(key)
    has_holes = is_by_date and _has_holes(listed, fresh, known)
    return News(news.new, news.changed, news.recounted, bool(fresh) and not reaches_back, has_holes)


def comment_counts(entries: Iterable[Entry]) -> dict[str, int]:
    """The numbers of comments that entries announce, by key."""
    return {identity(entry.url): entry.comment_count for entry in entries if entry.comment_count is not None}


def missing_posts(
    entries: Sequence[Entry], known: Mapping[str, KnownPost], announced: Iterable[str]
) -> dict[str, KnownPost]:
    """The known posts, by key, that a feed no longer has though it has older ones: they may be deleted. O(n).

    `announced` are the keys of posts that the feed had. A feed that is not in order of publication shows none.
    """
    last = _time(entries[-1]) if entries and _is_by_date(entries) else None
    if last is None:
        return {}
    posts = {key: known[key] for key in announced if key in known}
    return {key: posts[key] for key, time in _times_of_lacking(entries, posts).items() if time.is_after(last)}


def is_as_kept(entry: Entry, record: Record, read: datetime) -> bool:
    """True if an entry shows that its post has not changed since it was `read`: by its time, or by the whole article.
    O(n)."""
    if entry.updated:
        return not is_since(read, entry.updated)
    if not entry.content_html or (entry.title and _unspaced(entry.title) != _unspaced(record.title or "")):
        return False
    text = _unspaced(inline_text(fragment(entry.content_html)))
    return bool(text) and text == _unspaced(record.content_text or "")


def _has_holes(listed: Sequence[Entry], fresh: Collection[str], known: Mapping[str, KnownPost]) -> bool:
    """True if entries in order of publication skip known posts right behind `fresh` ones. O(n) for each fresh entry.

    Other posts may be missing for good: those between the newest posts and a much older one that the feed lists.
    """
    times = _times_of_lacking(listed, {post.url: post for post in known.values()}).values()
    for entry, older in pairwise(listed):
        if identity(entry.url) in fresh and identity(older.url) not in fresh:
            start, end = _time(older), _time(entry)
            assert start is not None
            assert end is not None
            if sum(end.is_after(time) and time.is_after(start) for time in times) >= SKIPPED:
                return True
    return False


def _times_of_lacking(entries: Iterable[Entry], posts: Mapping[str, KnownPost]) -> dict[str, Moment]:
    """Times of publication, by key, of existing posts that have no entry. O(n)."""
    listed = {name for entry in entries for name in (identity(entry.url), entry.guid) if name}
    return {
        name: time
        for name, post in posts.items()
        if post.gone is None
        and listed.isdisjoint((identity(post.url), post.guid))
        and (time := _time(post)) is not None
    }


def _time(source: Entry | KnownPost) -> Moment | None:
    return Moment.parse_iso(source.published)


def _newest_first(entries: list[Entry]) -> list[Entry]:
    """Entries with the newest first; a few feeds have the oldest first."""
    times = [moment for entry in entries if (moment := _time(entry)) is not None]
    steps = [later.is_after(earlier) for earlier, later in pairwise(times)]
    is_ascending = len(times) == len(entries) and len(steps) > 1 and all(steps)
    return entries[::-1] if is_ascending else entries


def _is_by_date(entries: Sequence[Entry]) -> bool:
    """True if entries are in order of publication, the newest first."""
    times = [moment for entry in entries if (moment := _time(entry)) is not None]
    return len(times) == len(entries) and not any(later.is_after(earlier) for earlier, later in pairwise(times))


def _by_guid(entry: Entry, known: Mapping[str, KnownPost], guids: Mapping[str | None, int]) -> KnownPost | None:
    """The post with an entry's guid; None if several entries have this guid or the post is of another day."""
    post = known.get(entry.guid) if entry.guid and guids[entry.guid] == 1 else None
    if post is None:
        return None
    then, now = _time(post), _time(entry)
    return post if then is None or now is None or then.may_be_same_day(now) else None


def _is_changed(entry: Entry, post: KnownPost | None, before: str | None) -> bool:
    """True if an entry differs from before or has a later time of change; for a first entry, if its address differs."""
    then, now = Moment.parse_iso(post.updated if post is not None else None), Moment.parse_iso(entry.updated)
    if now is not None and then is not None and now.is_after(then):
        return True
    if before is not None:
        return digest(entry) != before
    return post is not None and (post.gone is not None or identity(entry.url) != identity(post.url))


def _unspaced(text: str) -> str:
    return "".join(text.split())
