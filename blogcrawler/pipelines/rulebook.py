"""What is known of how a blog's pages show comments, and when more of them are needed to know it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from statistics import median_low
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from blogcrawler.dom import parse_page
from blogcrawler.errors import PageTooSlow
from blogcrawler.items import Comment
from blogcrawler.serialise import dump, load
from blogcrawler.time_limit import time_limit
from blogcrawler.wrapper.comments import CommentExample, CommentRules, announced, days_shown, learn_comments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Page
    from blogcrawler.wrapper import Wrapper

__all__ = ["LARGEST", "Reading", "Rulebook", "Seen"]

PAGES = 30
"""From which rules are learned, at most."""
OTHERS = 10
"""Pages without comments among them, at most: what tells comments from the template is that these lack them."""
LARGEST = 2_000_000
"""Bytes of a page that is kept to learn from."""
MOST_RULES = 4
"""A blog has few templates."""
PATIENCE = 3
"""Times that nothing was learned, after which only pages that show more days than those are worth another try."""
MOST_PROMISING = 8
"""Pages from which nothing can be learned, and that are kept waiting since they may have comments."""
ENOUGH = 20
"""Posts with comments after which the rules are learned once more: the first pages do not show all there is."""


@dataclass(frozen=True)
class Seen:
    """A post's page, and what other sources tell of its comments."""

    page: Page
    wrapper: Wrapper
    #: of the post, ISO 8601
    published: str | None = None
    #: None where nobody tells
    told: tuple[Comment, ...] | None = None
    #: how many there are, as the post's entry or feed says
    announced: int | None = None

    def parse(self) -> HtmlElement:
        """The page's tree. Raises NotAWebPage."""
        return parse_page(self.page)

    def to_dict(self) -> dict[str, Any]:
        """All but page and wrapper, as JSON types."""
        told = None if self.told is None else [asdict(comment) for comment in self.told]
        return {"published": self.published, "told": told, "announced": self.announced}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], page: Page, wrapper: Wrapper) -> Self:
        """What was seen, of `to_dict`."""
        told = None if data["told"] is None else tuple(Comment(**comment) for comment in data["told"])
        return cls(page, wrapper, data["published"], told, data["announced"])


class Reading(NamedTuple):
    """The comments of a page, by the rules that find most."""

    comments: list[Comment]
    rules: CommentRules | None = None
    #: how many there are, as the page says
    announced: int | None = None


@dataclass
class Rulebook:
    """The rules of one blog. Memory is bounded: 30 pages of at most 2 MB."""

    least: float = 0.0
    rules: list[CommentRules] = field(default_factory=list)
    #: the first pages that were taken in
    _with: list[Seen] = field(default_factory=list)
    _without: list[Seen] = field(default_factory=list)
    #: how often nothing was learned, from pages as they were sent and from those that a browser showed
    _failed: Counter[bool] = field(default_factory=Counter)
    _usual: int = 0
    #: posts with comments since the rules were learned, as long as those may be improved
    _read: int = 0
    #: were the rules learned once more, for good or ill?
    is_improved: bool = False
    #: was that done in this crawl?
    _is_improved_now: bool = False
    #: were they learned from other pages than those that are remembered?
    _are_late: bool = False

    def read(self, tree: HtmlElement, page: Page, *, is_part: bool = False) -> Reading:
        """The comments of a page; `is_part`: there are others of the post. O(n)."""
        found = Reading([])
        with suppress(PageTooSlow), time_limit():
            for rules in self.rules:
                comments = _each_once(rules.extract(tree, page.url, page.fetched_at, is_part=is_part))
                if found.rules is None or len(comments) > len(found.comments):
                    found = Reading(comments, rules, rules.expected_count(tree, page.url))
        return found

    def lacks_rules(self, seen: Seen, tree: HtmlElement, found: Reading) -> bool:
        """Might a page show comments that no rule finds yet?"""
        if found.comments or seen.announced == 0:
            return False
        is_missed = bool(seen.told) or bool(seen.announced) or not self.rules
        if not is_missed or self._failed[seen.page.is_rendered] < PATIENCE:
            return is_missed
        return self._days(seen, tree) > self._usual

    def note(self, seen: Seen, *, has_comments: bool) -> bool:
        """Remember a page, to learn from; True where the rules were learned once more, which is to be kept."""
        self.recall(seen, has_comments=has_comments)
        return self.make_up()

    def make_up(self) -> bool:
        """Learn once more as soon as enough is remembered; True where that was done now, and is to be kept."""
        is_due = self._read >= ENOUGH and bool(self.rules) and not self.is_improved
        if is_due:
            self._improve()
        return is_due

    def would_miss(self, seen: Seen, *, has_comments: bool) -> bool:
        """Would a crawl that goes on miss a page that is noted now? It is to learn as if it had seen all of them."""
        is_full = self.is_improved or len(self._pages(has_comments)) >= _most(has_comments)
        return not is_full and len(seen.page.body) <= LARGEST

    def recall(self, seen: Seen, *, has_comments: bool) -> None:
        """Take in a page, or what is known of it by now: the same names on two pages would tell of none.

        Of many the first are kept, which a crawl that goes on has, too.
        """
        is_new = True
        for pages in (self._with, self._without):
            for other in [one for one in pages if one.page.url == seen.page.url]:
                pages.remove(other)
                is_new &= pages is not self._with
        pages = self._pages(has_comments)
        if len(seen.page.body) <= LARGEST and len(pages) < _most(has_comments):
            pages.append(seen)
        self._read += has_comments and is_new

    def remembers(self, url: str) -> bool:
        """Is a page one of those to learn from?"""
        return any(seen.page.url == url for seen in (*self._with, *self._without))

    def _pages(self, has_comments: bool) -> list[Seen]:
        return self._with if has_comments else self._without

    def learn(self, posts: Sequence[Seen], also: Iterable[Seen] = ()) -> bool:
        """Learn from the pages of posts, from those that are remembered and others; True where rules were found."""
        fresh = [seen for seen in posts if len(seen.page.body) <= LARGEST][:PAGES]
        at_hand = {seen.page.url for seen in fresh}
        more = {seen.page.url: seen for seen in (*self._with, *self._without, *also)}
        pages = [*fresh, *(seen for url, seen in more.items() if url not in at_hand)][:PAGES]
        rules = self._learned(pages)
        if rules is None:
            self._failed.update({seen.page.is_rendered for seen in posts})
            self._usual = median_low([self._days(seen, seen.parse()) for seen in pages] or [0])
            return False
        self._failed.clear()
        self._are_late = self._is_improved_now or self._read >= ENOUGH
        self.is_improved &= self._are_late
        self.rules = [rules, *self.rules][:MOST_RULES]
        return True

    def promising(self, posts: Mapping[int, Seen]) -> list[int]:
        """Of pages from which nothing was learned, the keys of those that may have comments: they say so, or show more
        days than others do. At most 8."""
        shown: dict[int, float] = {}
        for key, seen in posts.items():
            if len(seen.page.body) <= LARGEST:
                tree = seen.parse()
                days = self._days(seen, tree)
                if seen.announced or days > self._usual or announced(tree, seen.page.url):
                    shown[key] = days
        return sorted(shown, key=lambda key: -shown[key])[:MOST_PROMISING]

    def _learned(self, posts: Sequence[Seen]) -> CommentRules | None:
        if not posts:
            return None
        rules = None
        with suppress(PageTooSlow), time_limit(len(posts)):
            examples = [
                CommentExample(seen.parse(), seen.page.url, seen.published, seen.told, seen.page.fetched_at)
                for seen in sorted(posts, key=lambda seen: seen.page.url)  # and not as they happened to come
            ]
            rules = learn_comments(examples, posts[0].wrapper)
        return rules if rules is not None and rules.confidence >= self.least else None

    def _improve(self) -> None:
        """Learn the first rules again from all pages that are remembered, if that does not find less in them.

        Rules that were learned from other pages stay, for others like those.
        """
        posts = [*self._with, *self._without]
        rules = self._learned(posts)
        if rules is not None and self._count(rules, posts) >= self._count(self.rules[0], posts):
            self.rules = [rules, *self.rules[0 if self._are_late else 1 :]][:MOST_RULES]
        self.is_improved = self._is_improved_now = True

    @staticmethod
    def _count(rules: CommentRules, posts: Sequence[Seen]) -> int:
        return sum(len(rules.extract(seen.parse(), seen.page.url)) for seen in posts)

    @staticmethod
    def _days(seen: Seen, tree: HtmlElement) -> int:
        with suppress(PageTooSlow), time_limit():
            return days_shown(tree, seen.page.url, seen.wrapper, seen.page.fetched_at)
        return 0

    def to_dict(self) -> dict[str, Any]:
        """The rules, as JSON types."""
        kept = dump(self.rules)
        return {"rules": kept, "is_improved": self.is_improved, "are_late": self._are_late}

    def take_over(self, data: Mapping[str, Any], *, are_of_crawl: bool = False) -> None:
        """Take the rules of `to_dict`, which another spider of this crawl has kept or an earlier crawl.

        None where this version cannot read them.
        """
        self._failed.clear()
        with suppress(KeyError, TypeError, ValueError):
            self.rules = load(list[CommentRules], data.get("rules", ()))
            self.is_improved, self._are_late = bool(data.get("is_improved")), bool(data.get("are_late"))
            self._is_improved_now = are_of_crawl and self.is_improved

    def add(self, data: Mapping[str, Any]) -> None:
        """Add those rules of `to_dict` that are not known, if this version can read them, up to the most of a blog."""
        known = [_form(dump(rules)) for rules in self.rules]
        with suppress(KeyError, TypeError, ValueError):
            more = [load(CommentRules, rules) for rules in data.get("rules", ()) if _form(rules) not in known]
            self.rules = [*self.rules, *more][:MOST_RULES]


def _form(rules: Mapping[str, Any]) -> dict[str, Any]:
    """What of rules, as JSON types, tells where comments are."""
    return {name: value for name, value in rules.items() if name != "confidence"}


def _most(has_comments: bool) -> int:
    """How many pages are remembered that have comments, or none."""
    return PAGES - OTHERS if has_comments else OTHERS


def _each_once(comments: Sequence[Comment]) -> list[Comment]:
    """Comments without those that have no name of their own and say what another one says: scripts show some twice."""
    named = {_said(comment) for comment in comments if comment.id}
    found: list[Comment] = []
    for comment in comments:
        if comment.id is None and comment.content_text:
            if _said(comment) in named:
                continue
            named.add(_said(comment))
        found.append(comment)
    return found


def _said(comment: Comment) -> tuple[str | None, ...]:
    return comment.author, comment.published, comment.content_text
