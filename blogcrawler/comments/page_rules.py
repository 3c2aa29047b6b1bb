"""The rules by which a blog's pages show comments, when more of them have to be learned, and how they are kept in the
archive: for updates, and for a crawl that goes on with one that was cut short.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from blogcrawler.dom import parse_page
from blogcrawler.errors import NotAWebPage, PageTooSlow
from blogcrawler.items import Comment
from blogcrawler.serialise import dump, load, load_whole
from blogcrawler.time_limit import time_limit
from blogcrawler.wrapper.comments import CommentExample, CommentRules, Shown, announced, dates_shown, learn_comments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.backend import Archive
    from blogcrawler.items import Page
    from blogcrawler.wrapper import Wrapper
    from blogcrawler.wrapper.comments import Key

PAGES = 30
"""Maximum number of pages from which rules are learned."""
OTHERS = 10
"""Pages without comments among them, at most: comments differ from the template in that these lack them."""
LARGEST = 2_000_000
"""Maximum number of bytes of a page that is kept for learning."""
MOST_RULES = 4
"""A blog has few templates."""
PATIENCE = 3
"""Times that nothing was learned, after which only pages that show more days than those may have comments."""
MOST_PROMISING = 15
"""Pages from which nothing can be learned, and that are kept waiting since they may have comments."""
STATE = "comments"
"""The name under which the archive keeps the rules."""
ENOUGH = 20
"""Posts with comments after which the rules are learned once more: the first pages do not show all there is."""


@dataclass(frozen=True, eq=False)
class PostPage:
    """A post's page, and what other sources say of its comments."""

    page: Page
    wrapper: Wrapper
    #: date of the post, ISO 8601
    published: str | None = None
    #: its comments from other sources; None where none has them
    known: tuple[Comment, ...] | None = None
    #: number of its comments, by the post's entry or feed
    announced: int | None = None

    @property
    def is_kept(self) -> bool:
        """True if the page is not too large to learn from."""
        return len(self.page.body) <= LARGEST

    @cached_property
    def shown(self) -> Shown:
        """The days that the page shows; none where to look for them takes too long."""
        with suppress(PageTooSlow), time_limit():
            return dates_shown(parse_page(self.page), self.page.url, self.wrapper, self.page.fetched_at)
        return Shown(0, {})

    @cached_property
    def announces(self) -> int | None:
        """The number of comments that the page says it has."""
        return announced(parse_page(self.page), self.page.url)

    @property
    def is_told(self) -> bool:
        """True if another source says that it has comments."""
        return bool(self.known) or bool(self.announced)

    def without_tree(self) -> Self:
        """The same to be kept beside some thirty others."""
        return replace(self, page=replace(self.page, tree=None))

    def to_dict(self) -> dict[str, Any]:
        """All but page and wrapper, as JSON types."""
        return {"published": self.published, "told": dump(self.known), "announced": self.announced}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], page: Page, wrapper: Wrapper) -> Self:
        """The post of `to_dict`. Raises KeyError, TypeError or ValueError for what is none."""
        known = None if data["told"] is None else load(tuple[Comment, ...], data["told"])
        return cls(page, wrapper, load(str | None, data["published"]), known, load(int | None, data["announced"]))  # type: ignore[arg-type]


class Reading(NamedTuple):
    """The comments of a page, by the rules that find most."""

    comments: list[Comment]
    rules: CommentRules | None = None
    #: number of comments that the page announces
    announced: int | None = None


@dataclass
class PageRules:
    """The rules of one blog. Memory is bounded: 30 pages of at most 2 MB."""

    #: confidence of rules that are used
    least: float = 0.0
    rules: list[CommentRules] = field(default_factory=list)
    #: the first pages that were taken in, by whether they have comments
    _pages: dict[bool, list[PostPage]] = field(default_factory=lambda: {True: [], False: []})
    #: how often nothing was learned, from fetched pages and from rendered ones
    _failed: Counter[bool] = field(default_factory=Counter)
    #: days on each of the pages from which nothing was learned last, as their template shows them
    _usual_days: int = 0
    #: number of dated siblings on the pages from which nothing was learned last, by the form of their lists
    _siblings_then: Counter[Key] = field(default_factory=Counter)
    #: posts so far, and how many these were when nothing was learned last
    _posts: int = 0
    _posts_then: int = 0
    #: posts with comments since the rules were learned, as long as those may be improved
    _read: int = 0
    #: True once the rules were learned again, with or without success
    is_improved: bool = False
    #: True if they were learned again in this crawl
    _is_improved_now: bool = False
    #: True if they were learned from other pages than those that are remembered
    _are_late: bool = False
    #: addresses of the pages that the newest rules were learned from
    _taught: tuple[str, ...] = ()

    def read(self, tree: HtmlElement, page: Page, *, is_part: bool = False) -> Reading:
        """The comments of a page; `is_part`: the post has others on further pages. O(n)."""
        found = Reading([])
        with suppress(PageTooSlow), time_limit():
            for rules in self.rules:
                shown, count = rules.read(tree, page.url, page.fetched_at, is_part=is_part)
                comments = _each_once(shown)
                if found.rules is None or len(comments) > len(found.comments):
                    found = Reading(comments, rules, count)
        return found

    def lacks_rules(self, post: PostPage, found: Reading) -> bool:
        """True if the page of a post in which this was found might show comments that no rule finds yet."""
        if found.comments or post.announced == 0:
            return False
        is_missed = post.is_told or not self.rules
        if not is_missed or self._failed[post.page.is_rendered] < PATIENCE:
            return is_missed
        return post.shown.days > self._usual_days

    def may_teach(self, new: Sequence[PostPage], tried: Iterable[PostPage]) -> bool:
        """True if learning from new pages and from those that were tried in vain may succeed.

        After `PATIENCE` failures a new page must be known to have comments, or the number of posts, or of the dated
        siblings of one form on these pages, must have doubled.
        """
        if not new:
            return False
        if self._posts >= 2 * self._posts_then:
            return True
        if any(post.is_told or self._failed[post.page.is_rendered] < PATIENCE for post in new):
            return True
        return any(count >= 2 * self._siblings_then[key] for key, count in _siblings((*new, *tried)).items())

    def note(self, post: PostPage, *, has_comments: bool) -> bool:
        """Remember a page, to learn from; True where the rules were learned once more, which is to be kept."""
        self.recall(post, has_comments=has_comments)
        return self.catch_up()

    def catch_up(self) -> bool:
        """Learn once more as soon as enough is remembered; True where that was done now, and is to be kept."""
        is_due = self._read >= ENOUGH and bool(self.rules) and not self.is_improved
        if is_due:
            self._improve()
        return is_due

    def would_miss(self, post: PostPage, *, has_comments: bool) -> bool:
        """True if a resumed crawl would miss a page that is noted now: it is to learn as if it had seen all of them."""
        return not self.is_improved and self._has_room(post, has_comments=has_comments)

    def recall(self, post: PostPage, *, has_comments: bool) -> None:
        """Take in a page, in place of what was known of it: the same ids on two pages would be no comments'.

        The first ones are kept, which a resumed crawl has, too.
        """
        is_new = all(other.page.url != post.page.url for other in self._pages[True])
        for pages in self._pages.values():
            pages[:] = [other for other in pages if other.page.url != post.page.url]
        if self._has_room(post, has_comments=has_comments):
            self._pages[has_comments].append(post.without_tree())
        self._read += has_comments and is_new
        self._posts += 1

    def _has_room(self, post: PostPage, *, has_comments: bool) -> bool:
        most = PAGES - OTHERS if has_comments else OTHERS
        return post.is_kept and len(self._pages[has_comments]) < most

    @property
    def _remembered(self) -> list[PostPage]:
        return [*self._pages[True], *self._pages[False]]

    def learn(self, posts: Sequence[PostPage]) -> dict[PostPage, Reading]:
        """Learn from the pages of posts and from those that are remembered; what new rules find in these posts."""
        known = {post.page.url: post for post in self._remembered}
        fresh = [post for post in posts if post.is_kept][:PAGES]
        urls = {post.page.url for post in fresh}
        pages = [*fresh, *(post for url, post in known.items() if url not in urls)][:PAGES]
        rules, _ = self._learned(pages)
        if rules is None:
            self._failed.update({post.page.is_rendered for post in posts})
            self._usual_days = min((post.shown.days for post in pages), default=0)
            self._posts_then = self._posts
            self._siblings_then = _siblings(pages)
            return {}
        self._failed.clear()
        self._siblings_then.clear()
        self._are_late = self._is_improved_now or self._read >= ENOUGH
        self.is_improved &= self._are_late
        self.rules = [rules, *self.rules][:MOST_RULES]
        self._taught = tuple(post.page.url for post in pages)
        return {post: self.read(parse_page(post.page), post.page) for post in posts}

    def promising(self, posts: Iterable[PostPage]) -> list[PostPage]:
        """Those pages from which nothing was learned that may have comments: they announce some, or show more days than
        each of the pages does. At most 15."""
        shown: dict[PostPage, int] = {}
        for post in posts:
            if post.is_kept and (post.announced or post.announces or post.shown.days > self._usual_days):
                shown[post] = post.shown.days
        return sorted(shown, key=lambda post: -shown[post])[:MOST_PROMISING]

    def _learned(self, posts: Sequence[PostPage]) -> tuple[CommentRules | None, Mapping[PostPage, HtmlElement]]:
        """The rules learned from pages, and the trees of these pages."""
        rules, trees = None, dict[PostPage, "HtmlElement"]()
        with suppress(PageTooSlow), time_limit(max(1, len(posts))):
            trees = {post: parse_page(post.page) for post in posts}
            examples = [
                CommentExample(trees[post], post.page.url, post.published, post.known, post.page.fetched_at)
                for post in sorted(posts, key=lambda post: post.page.url)  # whatever the order in which they arrived
            ]
            rules = learn_comments(examples, posts[0].wrapper) if posts else None
        return rules if rules is not None and rules.confidence >= self.least else None, trees

    def _improve(self) -> None:
        """Learn the first rules again from all pages that are remembered, if that does not find less in them.

        That is not done where they were learned from more than half of these pages. Rules that were learned from other
        pages stay, for others like those.
        """
        self.is_improved = self._is_improved_now = True
        posts = self._remembered
        if not self._are_late and 2 * sum(post.page.url in self._taught for post in posts) > len(posts):
            return
        rules, trees = self._learned(posts)
        if rules is not None and _count(rules, trees) >= _count(self.rules[0], trees):
            self.rules = [rules, *self.rules[0 if self._are_late else 1 :]][:MOST_RULES]

    def to_dict(self) -> dict[str, Any]:
        """The rules, as JSON types."""
        known = {"is_improved": self.is_improved, "are_late": self._are_late, "taught": [*self._taught]}
        return {"rules": dump(self.rules), **known}

    def replace(self, data: Mapping[str, Any]) -> None:
        """Take the rules of `to_dict` that an earlier crawl has kept; none where this version cannot read them."""
        with suppress(KeyError, TypeError, ValueError):
            self.rules = load_whole(list[CommentRules], data["rules"])
            self.is_improved, self._are_late = bool(data.get("is_improved")), bool(data.get("are_late"))
            self._taught = tuple(load(list[str], data.get("taught", [])))


class KeptPageRules:
    """Keeps the `rules` of one blog, and the pages they are learned from, beginning with those of an earlier crawl.

    Calls raise BackendUnavailable.
    """

    def __init__(self, archive: Archive, home: str, wrapper: Wrapper, rules: PageRules) -> None:
        self._archive, self._home, self.rules = archive, home, rules
        rules.replace(archive.load_source_state(home, STATE))
        for page, known in archive.comment_pages(home).load():
            with suppress(KeyError, TypeError, ValueError, NotAWebPage):  # stored by another version
                rules.recall(PostPage.from_dict(known, page, wrapper), has_comments=known["has_comments"])
        if rules.catch_up():
            self.keep()

    def note(self, post: PostPage, *, has_comments: bool) -> None:
        """Take in a page to learn from, also for a resumed crawl."""
        is_wanted = self.rules.would_miss(post, has_comments=has_comments)
        is_improved = self.rules.note(post, has_comments=has_comments)
        if not (is_wanted or is_improved):
            return
        with self._archive.transaction():
            if is_wanted:
                known = {**post.to_dict(), "has_comments": has_comments}
                self._archive.comment_pages(self._home).save(post.page, known)
            if is_improved:
                self.keep()

    def keep(self) -> None:
        """Keep the rules."""
        if self.rules.rules:
            self._archive.save_source_state(self._home, STATE, self.rules.to_dict())


def _count(rules: CommentRules, trees: Mapping[PostPage, HtmlElement]) -> int:
    return sum(len(rules.extract(tree, post.page.url)) for post, tree in trees.items())


def _siblings(posts: Iterable[PostPage]) -> Counter[Key]:
    """The number of siblings with a date on pages, by the form of their lists."""
    count: Counter[Key] = Counter()
    for post in posts:
        count.update(post.shown.lists)
    return count


def _each_once(comments: Sequence[Comment]) -> list[Comment]:
    """Comments without those that have no id and repeat another one: scripts show some twice."""
    known = {_said(comment) for comment in comments if comment.id}
    found: list[Comment] = []
    for comment in comments:
        if comment.id is None and comment.content_text:
            if _said(comment) in known:
                continue
            known.add(_said(comment))
        found.append(comment)
    return found


def _said(comment: Comment) -> tuple[str | None, ...]:
    return comment.author, comment.published, comment.content_text
