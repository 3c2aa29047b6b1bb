"""What updates know of a blog: its posts, where it lists them, which pages are none, and which could not be had."""

from __future__ import annotations

import heapq
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from blogcrawler.downloader.reasons import is_temporary
from blogcrawler.frontier import is_told_by_numbers
from blogcrawler.spiders.base import COMPLETE, now
from blogcrawler.spiders.handing_on import HandingOn
from blogcrawler.urls import identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from blogcrawler.backend import KnownPost
    from blogcrawler.frontier import FrontierStore

__all__ = ["MOST_LEFT", "MOST_TRIES", "Remembering"]

STATE = "updates"
"""Under which name the archive keeps what updates have learned of lists and sitemaps."""
MOST_IN_VAIN = 5_000
"""Pages that look like posts, and are none, that are remembered."""
MOST_LISTS = 1
"""Lists besides the home page that are read first; one that has all posts is the best of them."""
FEW_LISTED = 5
"""Posts that such a list leads to, at least."""
MOST_LEFT = 100
"""Pages that a crawl could not have at the time, and that the next update asks for again."""
MOST_TRIES = 5
"""Updates that ask for the page of a post, before it is left alone."""


class Remembering(HandingOn):
    """An update that takes up what earlier crawls have learned, and keeps it for the next."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        #: all that are kept, by `urls.identity` and by guid
        self._known: dict[str, KnownPost] = {}
        #: when the update began; what came in since then is its own
        self._begun: datetime
        #: from which on the user wants all that is new
        self._since: datetime | None = None
        #: when the blog was updated for the first time; what came in before was found by its first crawl
        self._first_update: datetime
        #: where the blog lists its posts, besides the home page
        self._lists: list[str] = []
        #: pages that look like posts, and are none
        self._in_vain: dict[str, None] = {}
        #: posts whose pages the last crawl could not have at the time, and how often they were tried
        self._left: dict[str, int] = {}
        #: other pages that the first crawl could not have
        self._left_lists: list[str] = []
        #: pages that the first crawl knew of
        self._queued: set[str] = set()
        self._has_lastmods = True
        #: from which time on sitemaps are to be asked, and when that was done
        self._sitemaps_since: datetime | None = None
        self._sitemaps_read: datetime | None = None
        #: known posts that sitemaps say were changed, as they say of most
        self._doubtful: set[str] = set()

    def _is_known(self, url: str) -> bool:
        """Is a post kept?"""
        return self._post_at(url) is not None

    def _was_known(self, url: str) -> bool:
        """Was it kept before the update began?"""
        post = self._post_at(url)
        return post is not None and post.first_seen < self._begun

    def _post_at(self, url: str) -> KnownPost | None:
        """The post that is kept of an address; links may lead to it by a redirect that adds or drops a slash."""
        key = identity(url)
        return self._known.get(key) or self._known.get(with_other_slash(key))

    def _introduce(self, posts: Collection[KnownPost]) -> None:
        """Tell the reader of posts that are kept."""
        self.reader.know(post.url for post in posts)

    # ------------------------------------------------------------------------------------------------ what is learned

    def _take_up_lists(self, last: datetime | None) -> None:
        """Take up what earlier updates have learned; before the first one, that is what the last crawl has found."""
        kept = self.archive.load_source_state(self.home, STATE)
        frontier = self.archive.frontier_store(self.home)
        self._in_vain = dict.fromkeys(kept["in_vain"] if kept else self._found_in_vain(frontier.load(), is_first=True))
        left = [] if kept else _not_had(frontier)
        self._left = kept.get("left", {row["url"]: 0 for row in left if row["is_post"]})
        self._left_lists = kept.get("left_lists", [row["url"] for row in left if not row["is_post"]])
        self._queued = {identity(row["url"]) for row in frontier.load()} if self._left_lists else set()
        self._has_lastmods = kept.get("has_lastmods", True)
        self._lists = kept["lists"] if kept else self._best_lists()
        first = kept.get("first_update")
        self._first_update = datetime.fromisoformat(first) if first is not None else now()
        since = kept.get("sitemaps_since")
        self._sitemaps_since = datetime.fromisoformat(since) if since is not None else last
        if not kept:
            self._save_lists()

    def _best_lists(self) -> list[str]:
        """The lists that led the last crawl to most posts, but for the home page, and parts of lists."""
        rows = self.archive.frontier_store(self.home).load("done")
        lists = [(int(row["post_links"] or 0), str(row["url"])) for row in rows if not row["was_post"]]
        whole = [one for one in lists if one[0] >= FEW_LISTED and not is_told_by_numbers(one[1])]
        best = heapq.nlargest(MOST_LISTS + 1, whole)
        return [url for _, url in best if identity(url) != identity(self.home)][:MOST_LISTS]

    def _keep_lists(self) -> None:
        """Remember which pages were no posts, and up to when the sitemaps were read."""
        self._left, self._left_lists = self._to_ask_again(), []
        self._in_vain |= dict.fromkeys(self._found_in_vain(self.frontier.store.load()))
        self._sitemaps_since = self._sitemaps_read or self._sitemaps_since
        self._save_lists()

    def _found_in_vain(self, rows: Iterable[Mapping[str, Any]], *, is_first: bool = False) -> Iterator[str]:
        """The keys of the pages of a frontier that a list may show as posts, and that were none.

        What an update has found by no link (the feed or a sitemap names it) may be there later; of the `first` crawl's
        frontier these were a feed's, whose entries are tried again anyway, or a list's.
        """
        tried = (row for row in rows if is_first or row["status"] != "failed" or row["found_on"] is not None)
        return (identity(row["url"]) for row in tried if self._may_be_taken_for_post(row) and _was_in_vain(row))

    def _may_be_taken_for_post(self, row: Mapping[str, Any]) -> bool:
        """Does a page look like a post, or may what is dead stand where posts are? Lists may be there another time."""
        if row["is_post"] or self._looks_like_post(row["url"]):
            return True
        return row["status"] == "failed" and not (row["bonus"] > 0 or is_told_by_numbers(row["url"]))

    def _save_lists(self) -> None:
        kept = {
            "in_vain": list(self._in_vain)[-MOST_IN_VAIN:],
            "left": self._left,
            "left_lists": self._left_lists,
            "lists": self._lists,
            "has_lastmods": self._has_lastmods,
            "first_update": self._first_update.isoformat(),
            "sitemaps_since": self._sitemaps_since.isoformat() if self._sitemaps_since is not None else None,
        }
        self.archive.save_source_state(self.home, STATE, kept)

    def _to_ask_again(self) -> dict[str, int]:
        """The posts whose pages could not be had at the time, and how often they were tried."""
        rows = _not_had(self.frontier.store)
        tries = {str(row["url"]): self._left.get(row["url"], 0) + 1 for row in rows}
        return {url: count for url, count in tries.items() if count < MOST_TRIES}

    def _is_complete(self, reason: str) -> bool:
        """Is nothing left but pages that the next updates ask for again?"""
        left = self._to_ask_again()
        self.tally.unavailable(len(left))
        return reason in COMPLETE and len(left) <= MOST_LEFT


def _not_had(frontier: FrontierStore) -> list[Mapping[str, Any]]:
    """The pages of a frontier that may be had at another time, and that had no answer at another address either."""
    later = [row for row in frontier.load("failed") if is_temporary(row["reason"] or "")]
    if not later:
        return []
    for_good = (row for row in frontier.load("failed") if not is_temporary(row["reason"] or ""))
    waiting = {identity(row["url"]) for row in later}
    answered = waiting.intersection(identity(row["url"]) for row in chain(frontier.load("done"), for_good))
    return [row for row in later if identity(row["url"]) not in answered]


def _was_in_vain(row: Mapping[str, Any]) -> bool:
    """Was what looked like a post none, for good, or left out as such pages were none?"""
    if row["status"] == "dropped":
        return True
    if row["status"] == "failed":
        return not is_temporary(row["reason"] or "")
    return bool(row["status"] == "done" and not row["was_post"])
