"""What a feed says that the archive does not know: new posts, changed posts, other numbers of comments."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.update.announcements import Earlier
    from blogcrawler.items import Entry

__all__ = ["News", "digest", "find_news", "missing"]

SAID = ("title", "content_html", "updated", "authors", "tags")
"""What of an entry tells that its post was changed."""
SKIPPED = 2
"""Known posts, so many of which a feed lacks between a new one and the next: one alone may have been deleted."""


@dataclass(frozen=True)
class News:
    """The entries of a feed that an update looks at."""

    new: list[Entry] = field(default_factory=list)
    changed: list[Entry] = field(default_factory=list)
    #: the number of whose comments is another one than before
    recounted: list[Entry] = field(default_factory=list)
    #: was no entry known before, so that there may be posts between them and those that were?
    has_rolled_over: bool = False
    #: does the feed lack posts that are known between its new ones and the next, so that it may lack new ones, too?
    has_holes: bool = False


def digest(entry: Entry) -> str:
    """One for all entries that say the same of a post."""
    said = {name: getattr(entry, name) for name in SAID}
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


def find_news(
    entries: Iterable[Entry],
    known: Mapping[str, KnownPost],
    digests: Earlier[str],
    begun: datetime | None = None,
) -> News:
    """Tell new, changed and recounted posts among the entries of a feed. O(n).

    `known` are the archive's posts by `urls.identity` and by guid, `digests` those of earlier entries by identity: an
    entry may lead to its post by a detour, so that its address is not the post's. The update began at `begun`: those
    that its earlier parts have found do not tell that the feed reaches back to what was known before. Nor do
    entries above new ones, as one that is pinned to the top, nor, in a feed that is not in the order of publication,
    such as were changed.
    """
    news, listed = News(), _newest_first(list(entries))
    guids, is_by_date = Counter(entry.guid for entry in listed), _is_by_date(listed)
    reaches_back = has_found = False
    fresh: set[str] = set()
    for entry in listed:
        post = known.get(identity(entry.url)) or _by_guid(entry, known, guids)
        said_before = digests.of(identity(entry.url), post.last_changed if post is not None else None)
        is_old = identity(entry.url) in digests.said if post is None else _was_known(post, begun)
        if post is None and said_before is None:
            news.new.append(entry)
            reaches_back = False
        elif _is_changed(entry, post, said_before) or (
            post is not None and said_before is None and (post.gone is not None or _has_moved(entry, post))
        ):
            news.changed.append(entry)
            reaches_back |= is_old and is_by_date
        else:
            reaches_back |= is_old
            if post is not None and entry.comment_count is not None and entry.comment_count != post.comment_count:
                news.recounted.append(entry)
        if not is_old:
            has_found = True
            fresh.add(identity(entry.url))
    has_holes = is_by_date and _has_holes(listed, fresh, known)
    return News(news.new, news.changed, news.recounted, has_found and not reaches_back, has_holes)


def missing(entries: Sequence[Entry], known: Mapping[str, KnownPost], said: Iterable[str]) -> dict[str, KnownPost]:
    """The known posts, by their keys, that a feed no longer has though it has older ones: they may be gone. O(n).

    `said` are the keys of those that it had. A feed that is not in the order of publication tells nothing of that kind.
    """
    if not entries or not _is_by_date(entries):
        return {}
    last = Moment.parse_iso(entries[-1].published)
    there = {identity(entry.url) for entry in entries} | {entry.guid for entry in entries if entry.guid}
    posts = {key: post for key in said if key not in there and (post := known.get(key)) is not None}
    return {
        key: post
        for key, post in posts.items()
        if post.gone is None
        and post.guid not in there
        and (published := Moment.parse_iso(post.published)) is not None
        and last is not None
        and published.is_after(last)
    }


def _has_holes(listed: Sequence[Entry], fresh: Collection[str], known: Mapping[str, KnownPost]) -> bool:
    """Do entries in the order of publication pass over known posts right behind `fresh` ones? O(n) for each of these.

    Others may be missing for good: those between the newest posts and one that is listed though it is much older.
    """
    there = {identity(entry.url) for entry in listed} | {entry.guid for entry in listed if entry.guid}
    others = {post.url: post for post in known.values() if post.gone is None and post.guid not in there}
    times = [time for post in others.values() if identity(post.url) not in there and (time := _time(post)) is not None]
    for entry, older in pairwise(listed):
        if identity(entry.url) in fresh and identity(older.url) not in fresh:
            start, end = _time(older), _time(entry)
            assert start is not None
            assert end is not None
            if sum(end.is_after(time) and time.is_after(start) for time in times) >= SKIPPED:
                return True
    return False


def _time(told: Entry | KnownPost) -> Moment | None:
    return Moment.parse_iso(told.published)


def _has_moved(entry: Entry, post: KnownPost) -> bool:
    """Does an entry lead to another address than that of its post?"""
    return identity(entry.url) != identity(post.url)


def _newest_first(entries: list[Entry]) -> list[Entry]:
    """Entries in the order in which feeds have them; a few have the oldest first."""
    times = [moment for entry in entries if (moment := Moment.parse_iso(entry.published)) is not None]
    steps = [later.is_after(one) for one, later in pairwise(times)]
    is_ascending = len(times) == len(entries) and len(steps) > 1 and all(steps)
    return entries[::-1] if is_ascending else entries


def _is_by_date(entries: Sequence[Entry]) -> bool:
    """Are entries in the order of publication, the newest first?"""
    times = [moment for entry in entries if (moment := Moment.parse_iso(entry.published)) is not None]
    return len(times) == len(entries) and not any(later.is_after(one) for one, later in pairwise(times))


def _by_guid(entry: Entry, known: Mapping[str, KnownPost], guids: Mapping[str | None, int]) -> KnownPost | None:
    """The post that an entry is of by its guid, unless several entries have it, or it is of another day."""
    post = known.get(entry.guid) if entry.guid and guids[entry.guid] == 1 else None
    if post is None:
        return None
    then, now = Moment.parse_iso(post.published), Moment.parse_iso(entry.published)
    return post if then is None or now is None or then.may_be_same_day(now) else None


def _was_known(post: KnownPost, begun: datetime | None) -> bool:
    return begun is None or post.first_seen < begun


def _is_changed(entry: Entry, post: KnownPost | None, said_before: str | None) -> bool:
    """Does an entry say something else than before, or that its post was changed later than that?"""
    then, now = Moment.parse_iso(post.updated if post is not None else None), Moment.parse_iso(entry.updated)
    is_later = now is not None and then is not None and now.is_after(then)
    return is_later or (said_before is not None and digest(entry) != said_before)
