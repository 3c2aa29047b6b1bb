"""Statistics of the sources of a blog's comments, learned from its first posts, which save requests for later posts."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from blogcrawler.comments.signs import MOST_EMPTY, CommentSigns
from blogcrawler.feeds.comments import comment_feed_addresses, form_of, page_feeds
from blogcrawler.feeds.comments.addresses import FeedKey, feed_key
from blogcrawler.routes import out_of_path
from blogcrawler.serialise import dump, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from blogcrawler.feeds.comments import CommentFeedAddress
    from blogcrawler.items import Entry, Page

CommentSource = Literal["api", "entry", "page", "learned", "convention"]
"""The API that a page names, or the comment feed by the origin of its URL, see `CommentFeedAddress.how`."""
MOST_IN_VAIN = 3
"""Number of first posts without a response after which a source is given up."""
GUESSED: frozenset[CommentSource] = frozenset(["learned", "convention"])
MANY_PAGES = 2
MOST_FEEDS = 10_000


@dataclass
class _Outcomes:
    in_vain: int = 0
    empty: int = 0
    has_answered: bool = False


@dataclass
class CommentSourceStats:
    """Statistics of one blog's sources, in a crawl and its updates. Memory is bounded to the keys of 10,000 feeds."""

    can_page: bool = True
    _sources: dict[CommentSource, _Outcomes] = field(default_factory=dict)
    #: number of posts in this crawl for which a source did not respond
    _silent: Counter[CommentSource] = field(default_factory=Counter)
    _feeds: Counter[FeedKey] = field(default_factory=Counter)
    _pages: int = 0
    _form: str | None = None
    #: signs of whether a post has comments
    signs: CommentSigns = field(default_factory=CommentSigns)

    def to_dict(self) -> dict[str, Any]:
        """The state for later crawls as JSON data, without the feeds that single pages have named."""
        sources, signs = dump(self._sources), dump(self.signs)
        return {"can_page": self.can_page, "form": self._form, "ways": sources, "signs": signs}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore the state of `to_dict`; a new state if another version wrote it."""
        with suppress(KeyError, TypeError, ValueError):
            sources, signs = load(dict[CommentSource, _Outcomes], data["ways"]), load(CommentSigns, data["signs"])
            return cls(data["can_page"], sources, _form=data["form"], signs=signs)
        return cls()

    def addresses(self, page: Page, tree: HtmlElement, entry: Entry | None) -> list[CommentFeedAddress]:
        """Possible URLs of the feed of a post's comments, without sources that were given up."""
        offered = page_feeds(tree, out_of_path(page.url))
        self._pages += 1
        for key in {feed_key(url) for url in offered}:
            if key in self._feeds or len(self._feeds) < MOST_FEEDS:
                self._feeds[key] += 1
        if entry is not None:
            self._form = form_of(entry.url, entry.comments_feed) or self._form
        shared = {key for url in offered if self._feeds[key := feed_key(url)] > 1}
        candidates = comment_feed_addresses(
            page.url,
            named=entry.comments_feed if entry is not None else None,
            guid=entry.guid if entry is not None else None,
            offered=offered,
            shared=shared if self._pages > MANY_PAGES else None,
            form=self._form,
            source=page.body,
        )
        return [address for address in candidates if self.is_open(address.how)]

    def is_open(self, source: CommentSource) -> bool:
        """True unless a source was given up."""
        outcomes = self._of(source)
        if source in GUESSED and outcomes.empty >= MOST_EMPTY:
            return False
        return outcomes.has_answered or outcomes.in_vain + self._silent[source] < MOST_IN_VAIN

    def is_settled(self, source: CommentSource) -> bool:
        """True if it is known whether a source has comments. Until then, it is requested for one post at a time."""
        return not self.is_open(source) or self._of(source).has_answered

    def miss(self, source: CommentSource) -> bool:
        """Count a failure to respond, which is not stored for later crawls; return True if the source may have
        comments."""
        self._silent[source] += 1
        return self._may_have_some(source)

    @property
    def is_silent(self) -> bool:
        """True if a source that may have comments was given up for this crawl, since it did not respond."""
        return any(self._may_have_some(source) and not self.is_open(source) for source in self._silent)

    def _may_have_some(self, source: CommentSource) -> bool:
        return source not in GUESSED or self._of(source).has_answered

    def _of(self, source: CommentSource) -> _Outcomes:
        return self._sources.get(source, _Outcomes())

    def learn(self, source: CommentSource, *, answered: bool, comments: int) -> None:
        """Count the result of a source for a post."""
        outcomes = self._sources.setdefault(source, _Outcomes())
        if not answered:
            outcomes.in_vain += 1
            return
        outcomes.has_answered = True
        outcomes.empty = 0 if comments else outcomes.empty + 1
