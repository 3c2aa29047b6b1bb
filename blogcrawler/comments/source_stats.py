"""How the sources of a blog's comments have done on its first posts, so that later ones cost fewer requests; and where
pages show comments at anchors: elements whose names are a word and a number, as the comments' ids are.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from blogcrawler.feeds.comments import comment_feed_addresses, form_of, page_feeds
from blogcrawler.feeds.comments.addresses import FeedKey, feed_key
from blogcrawler.routes import out_of_path
from blogcrawler.serialise import dump, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.feeds.comments import CommentFeedAddress
    from blogcrawler.items import Comment, Entry, Page

CommentSource = Literal["api", "entry", "page", "learned", "convention"]
"""The API that a page names, or a feed whose address is known in one of these ways."""
MOST_IN_VAIN = 3
"""Posts in a row without an answer, at first, before a source is given up."""
MOST_EMPTY = 10
"""Posts in a row whose right feed holds nothing, before its address is guessed no more."""
GUESSED: frozenset[CommentSource] = frozenset(["learned", "convention"])
SURE = 5
"""Posts that show their comments at anchors, before a page without one has none."""
MANY_PAGES = 2
MOST_FEEDS = 10_000
LONGEST_PREFIX = 40
"""Characters of the word before the number in comments' ids."""
_DIGITS = re.compile(r"[0-9]")
_NAMES = re.compile(rb"""\b(?:id|name)=["']?\Z""")
"""What stands before an element's name: looked for only where the name is, which is found by its letters."""


@dataclass
class _Outcomes:
    """Outcomes of one source."""

    in_vain: int = 0
    empty: int = 0
    has_answered: bool = False


@dataclass
class CommentSourceStats:
    """Of one blog, in a crawl and its updates. Memory is bounded: keys of at most 10,000 feeds."""

    can_page: bool = True
    _sources: dict[CommentSource, _Outcomes] = field(default_factory=dict)
    #: posts in this crawl for which a source did not answer
    _silent: Counter[CommentSource] = field(default_factory=Counter)
    _feeds: Counter[FeedKey] = field(default_factory=Counter)
    _pages: int = 0
    _form: str | None = None
    #: the prefix of comments' ids, and how many pages show such anchors, or do not
    _anchor: str | None = None
    _shown: int = 0
    _hidden: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The state that a later crawl needs, as JSON types: not the feeds that single pages have named."""
        shown = [self._anchor, self._shown, self._hidden]
        return {"can_page": self.can_page, "form": self._form, "ways": dump(self._sources), "anchors": shown}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The state of `to_dict`; a new one where another version has written it."""
        with suppress(KeyError, TypeError, ValueError):
            sources = load(dict[CommentSource, _Outcomes], data["ways"])
            anchor, shown, hidden = data["anchors"]
            count = sum(shown.values()) if isinstance(shown, dict) else shown
            return cls(data["can_page"], sources, _form=data["form"], _anchor=anchor, _shown=count, _hidden=hidden)
        return cls()

    def addresses(self, page: Page, tree: HtmlElement, entry: Entry | None) -> list[CommentFeedAddress]:
        """Addresses that may have the feed of a post's comments, of the sources that are not given up."""
        offered = page_feeds(tree, out_of_path(page.url))
        self._pages += 1
        for key in {feed_key(url) for url in offered}:
            if key in self._feeds or len(self._feeds) < MOST_FEEDS:
                self._feeds[key] += 1
        if entry is not None:
            self._form = form_of(entry.url, entry.comments_feed) or self._form
        shared = {key for url in offered if self._feeds[key := feed_key(url)] > 1}
        found = comment_feed_addresses(
            page.url,
            named=entry.comments_feed if entry is not None else None,
            guid=entry.guid if entry is not None else None,
            offered=offered,
            shared=shared if self._pages > MANY_PAGES else None,
            form=self._form,
            source=page.body,
        )
        return [address for address in found if self.is_open(address.how)]

    def is_open(self, source: CommentSource) -> bool:
        """True if a source is still worth a request."""
        outcomes = self._of(source)
        if source in GUESSED and outcomes.empty >= MOST_EMPTY:
            return False
        return outcomes.has_answered or outcomes.in_vain + self._silent[source] < MOST_IN_VAIN

    def is_settled(self, source: CommentSource) -> bool:
        """True if it is known whether a source has comments. As long as it is not, one post asks after the other."""
        return not self.is_open(source) or self._of(source).has_answered

    def miss(self, source: CommentSource) -> bool:
        """Count that a source gave no answer, which says nothing of later crawls; True if it may have comments."""
        self._silent[source] += 1
        return self._may_have_some(source)

    @property
    def is_silent(self) -> bool:
        """True if a source that may have comments is given up for this crawl, since it gave no answer."""
        return any(self._may_have_some(source) and not self.is_open(source) for source in self._silent)

    def _may_have_some(self, source: CommentSource) -> bool:
        return source not in GUESSED or self._of(source).has_answered

    def _of(self, source: CommentSource) -> _Outcomes:
        return self._sources.get(source, _Outcomes())

    def learn(self, source: CommentSource, *, answered: bool, comments: int) -> None:
        """Take in the outcome for a post."""
        outcomes = self._sources.setdefault(source, _Outcomes())
        if not answered:
            outcomes.in_vain += 1
            return
        outcomes.has_answered = True
        outcomes.empty = 0 if comments else outcomes.empty + 1

    def shows_none(self, page: Page) -> bool:
        """True if a page lacks the anchors that all pages with comments have had so far."""
        is_sure = self._shown >= SURE and not self._hidden
        return self._anchor is not None and is_sure and not anchors(page, self._anchor)

    def see_comments(self, page: Page, comments: Iterable[Comment]) -> None:
        """Learn whether pages show comments at anchors that are the comments' ids."""
        prefix = common_prefix(comments)
        if prefix is None or self._anchor not in (None, prefix):
            self._hidden += 1
            return
        self._anchor = prefix
        if anchors(page, prefix):
            self._shown += 1
        else:
            self._hidden += 1


def anchors(page: Page, prefix: str) -> set[str]:
    """The anchors on a page that are a word with a number, as comments' ids are. O(n)."""
    if not prefix:
        return set()
    body = page.body
    named = re.finditer(b"(" + re.escape(prefix.encode()) + rb"""[0-9]{1,25})["'\s>]""", body)
    return {
        one[1].decode("ascii", "replace") for one in named if _NAMES.search(body[max(0, one.start() - 8) : one.start()])
    }


def common_prefix(comments: Iterable[Comment]) -> str | None:
    """The word before the number in the ids of comments; None where there is none, or they have not all the same."""
    found = {_DIGITS.split(comment.id, maxsplit=1)[0] for comment in comments if comment.id}
    prefix = found.pop() if len(found) == 1 else ""
    return prefix if 0 < len(prefix) <= LONGEST_PREFIX else None


def shows_no_others(page: Page, prefix: str, comments: Iterable[Comment]) -> bool:
    """True if a page shows no comments at anchors but these: WordPress's API, for one, keeps pingbacks back."""
    shown, known = anchors(page, prefix), {comment.id for comment in comments}
    return shown <= known if shown else not known


def knows_all_shown(page: Page, comments: Iterable[Comment]) -> bool:
    """True if a page shows comments at anchors, none of which is missing among these."""
    known = list(comments)
    shown = anchors(page, common_prefix(known) or "")
    return bool(shown) and shown <= {comment.id for comment in known}
