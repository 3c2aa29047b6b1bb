"""What the first posts of a blog teach about where its comments can be had, so that later ones cost less."""

from __future__ import annotations

import secrets
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from blogcrawler.feeds.comments import comment_feed_addresses, form_of, page_feeds
from blogcrawler.feeds.comments.addresses import FeedKey, How, feed_key
from blogcrawler.pipelines.anchors import anchors, beginning
from blogcrawler.routes import out_of_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.feeds.comments import CommentFeedAddress
    from blogcrawler.items import Comment, Entry, Page

__all__ = ["Habits", "Way"]

Way = Literal["api", "entry", "page", "learned", "convention"]
"""How comments are asked for: from the API that a page names, or from a feed that is known in one of these ways."""
MOST_IN_VAIN = 3
"""Posts in a row that a way brings nothing for, at first, before it is given up."""
MOST_EMPTY = 10
"""Posts in a row for which the right feed holds nothing, before its address is guessed no more."""
GUESSED: frozenset[Way] = frozenset(["learned", "convention"])
SURE = 5
"""Posts that show their comments at anchors, before a page without one has none."""
MOST_SPIDERS = 20
"""Of which what they have seen is kept each for itself."""
MANY_PAGES = 2
MOST_FEEDS = 10_000


@dataclass
class _Record:
    """How one way has done so far."""

    in_vain: int = 0
    empty: int = 0
    has_answered: bool = False


@dataclass
class Habits:
    """Of one blog, in a crawl and its updates. Memory is bounded: keys of at most 10,000 feeds."""

    can_page: bool = True
    _ways: dict[Way, _Record] = field(default_factory=dict)
    #: posts for which a way had no answer in this crawl
    _silent: Counter[Way] = field(default_factory=Counter)
    _feeds: Counter[FeedKey] = field(default_factory=Counter)
    _pages: int = 0
    _form: str | None = None
    #: how ids of comments begin, on how many pages they stood, as each spider has seen it, and on how many they did not
    _anchor: str | None = None
    _shown: Counter[str] = field(default_factory=Counter)
    _hidden: int = 0
    #: the name of this spider
    _name: str = field(default_factory=lambda: secrets.token_hex(4))

    def to_dict(self) -> dict[str, Any]:
        """What a later crawl is to know, as JSON types: ways, and not what single pages have offered."""
        ways = {way: asdict(record) for way, record in self._ways.items()}
        shown = [self._anchor, dict(self._shown.most_common(MOST_SPIDERS)), self._hidden]
        return {"can_page": self.can_page, "form": self._form, "ways": ways, "anchors": shown}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The habits of `to_dict`; new ones where another version has written it."""
        with suppress(KeyError, TypeError):
            ways: dict[Way, _Record] = {
                way: _Record(**data["ways"][way]) for way in get_args(Way) if way in data["ways"]
            }
            habits = cls(can_page=bool(data["can_page"]), _ways=ways, _form=data["form"])
            habits._anchor, shown, habits._hidden = data["anchors"]
            habits._shown = Counter(shown if isinstance(shown, dict) else {"": shown})
            return habits
        return cls()

    def take_in(self, data: Mapping[str, Any]) -> None:
        """Take in what another spider of the crawl has learned, of `to_dict`. What it had of this one changes nothing.

        How often feeds were empty each counts for itself.
        """
        other = self.from_dict(data)
        self.can_page &= other.can_page
        self._form = self._form or other._form
        for way, told in other._ways.items():
            own = self._ways.setdefault(way, _Record(empty=told.empty))
            own.in_vain, own.has_answered = max(own.in_vain, told.in_vain), own.has_answered or told.has_answered
        is_other = None not in (self._anchor, other._anchor) and self._anchor != other._anchor
        self._anchor = self._anchor or other._anchor
        self._shown |= other._shown
        self._hidden = max(self._hidden, other._hidden, int(is_other))

    # ------------------------------------------------------------------------------------------------------ addresses

    def addresses(self, page: Page, tree: HtmlElement, entry: Entry | None) -> list[CommentFeedAddress]:
        """Where the feed of a post's comments may be, in the ways that are not given up."""
        offered = page_feeds(tree, out_of_path(page.url))
        self._see(offered)
        if entry is not None:
            self._form = form_of(entry.url, entry.comments_feed) or self._form
        is_known = self._pages > MANY_PAGES
        found = comment_feed_addresses(
            page.url,
            named=entry.comments_feed if entry is not None else None,
            guid=entry.guid if entry is not None else None,
            offered=offered,
            shared=self._shared(offered) if is_known else None,
            form=self._form,
            source=page.body,
        )
        return [address for address in found if self.is_open(address.how)]

    def _see(self, offered: Iterable[str]) -> None:
        self._pages += 1
        for key in {feed_key(url) for url in offered}:
            if key in self._feeds or len(self._feeds) < MOST_FEEDS:
                self._feeds[key] += 1

    def _shared(self, offered: Sequence[str]) -> set[FeedKey]:
        return {key for url in offered if self._feeds[key := feed_key(url)] > 1}

    # ----------------------------------------------------------------------------------------------------------- ways

    def is_open(self, way: Way | How) -> bool:
        """Is a way still worth a request?"""
        record = self._ways.get(way, _Record())
        if way in GUESSED and record.empty >= MOST_EMPTY:
            return False
        return record.has_answered or record.in_vain + self._silent[way] < MOST_IN_VAIN

    def is_settled(self, way: Way | How) -> bool:
        """Is it known whether a way leads to comments? As long as it is not, one post asks after the other."""
        return not self.is_open(way) or self._ways.get(way, _Record()).has_answered

    def miss(self, way: Way | How) -> bool:
        """A way had no answer, which says nothing of later crawls; does it lead to comments, as far as is told?"""
        self._silent[way] += 1
        return self._is_told(way)

    @property
    def is_silent(self) -> bool:
        """Is a way that is told to lead to comments given up for this crawl, since there was no answer?"""
        return any(self._is_told(way) and not self.is_open(way) for way in self._silent)

    def _is_told(self, way: Way | How) -> bool:
        return way not in GUESSED or self._ways.get(way, _Record()).has_answered

    def learn(self, way: Way | How, *, answered: bool, comments: int) -> None:
        """Take in what a way brought for a post."""
        record = self._ways.setdefault(way, _Record())
        if not answered:
            record.in_vain += 1
            return
        record.has_answered = True
        record.empty = 0 if comments else record.empty + 1

    # -------------------------------------------------------------------------------------------------------- anchors

    def shows_none(self, page: Page) -> bool:
        """Does a page lack the anchors that all pages with comments have had so far?"""
        is_sure = self._shown.total() >= SURE and not self._hidden
        return self._anchor is not None and is_sure and not anchors(page, self._anchor)

    def see_comments(self, page: Page, comments: Sequence[Comment]) -> None:
        """Learn whether pages show comments at anchors that are the comments' ids."""
        begin = beginning(comments)
        if begin is None or self._anchor not in (None, begin):
            self._hidden += 1
            return
        self._anchor = begin
        if anchors(page, begin):
            self._shown[self._name] += 1
        else:
            self._hidden += 1
