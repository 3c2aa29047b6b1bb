"""How many comments the entries of a feed say that their posts have, and said before.

Many never agree with what can be had: they count comments that were deleted, or held back, or that no page shows. What
is told once more is no news.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.update.announcements import Earlier
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.items import Entry

__all__ = ["CommentCounts"]

STATE = "comment counts"
"""Under which name the archive keeps them."""


class CommentCounts:
    """Remembers them. What an update is told is kept before it is acted upon, and counts as known when that is done.

    `first` are the entries that the blog's first crawl had.
    """

    def __init__(self, archive: Archive, home: str, first: Iterable[Entry]) -> None:
        self._archive, self._home = archive, home
        kept = archive.load_source_states(home).get(STATE)
        self._earlier: Earlier[int] = Earlier(_counts(first)) if kept is None else Earlier.from_dict(kept, "said")
        if kept is None:
            self._save()

    def is_news(self, entry: Entry, post: KnownPost | None) -> bool:
        """Does an entry say another number than it did before? `post` is what is kept of it."""
        before = self._earlier.of(identity(entry.url), post.last_changed if post is not None else None)
        return entry.comment_count is not None and entry.comment_count != before

    def begin(self, entries: Iterable[Entry], known: Mapping[str, KnownPost], *, now: datetime) -> None:
        """An update begins to act upon what entries say; `known` are the posts that are kept, by `urls.identity`."""
        self._earlier.begin(_counts(entries), {key: post.last_changed for key, post in known.items()}, now=now)
        self._save()

    def end(self) -> None:
        """The update has acted upon all of it."""
        self._earlier.end()
        self._save()

    def _save(self) -> None:
        self._archive.save_source_state(self._home, STATE, self._earlier.to_dict("said"))


def _counts(entries: Iterable[Entry]) -> dict[str, int]:
    return {identity(entry.url): entry.comment_count for entry in entries if entry.comment_count is not None}
