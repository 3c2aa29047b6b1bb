"""The rules by which a blog's pages show comments: when they are learned again, and how they are saved for updates and
resumed crawls."""

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
from blogcrawler.wrapper.comments import CommentExample, CommentRules, ShownDays, announced, dates_shown, learn_comments

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
"""Maximum number of pages without comments among them. They show which parts of a page belong to the template."""
LARGEST = 2_000_000
"""Maximum number of bytes of a page that is kept for learning."""
MOST_RULES = 4
"""Maximum number of rules, since a blog has few templates."""
PATIENCE = 3
"""Number of failures to learn, after which a page must show more days than the pages before to be learned from."""
MOST_PROMISING = 15
"""Maximum number of pages that wait because they may have comments, though nothing could be learned from them."""
STATE = "comments"
"""The name under which the archive stores the rules."""
ENOUGH = 20
"""Number of posts with comments after which the rules are learned once more, since the first pages do not show all
cases."""


@dataclass(frozen=True, eq=False)
class PostPage:
    """A post's page, and what other sources say about its comments."""

    page: Page
    wrapper: Wrapper
    #: date of the post, ISO 8601
    published: str | None = None
    #: its comments from other sources; None if no other source has them
    known: tuple[Comment, ...] | None = None
    #: number of its comments as announced by the post's entry or feed
    announced: int | None = None

    @property
    def is_kept(self) -> bool:
        """True if the page is not too large to learn from."""
        return len(self.page.body) <= LARGEST

    @cached_property
    def shown(self) -> ShownDays:
        """The days that the page shows; empty if finding them takes too long."""
        with suppress(PageTooSlow), time_limit():
            return dates_shown(parse_page(self.page), self.page.url, self.wrapper, self.page.fetched_at)
        return ShownDays(0, {})

    @cached_property
    def announces(self) -> int | None:
        """The number of comments that the page announces."""
        return announced(parse_page(self.page), self.page.url)

    @property
    def has_comments_elsewhere(self) -> bool:
        """True if another source says that the post has comments."""
        return bool(self.known) or bool(self.announced)

    def without_tree(self) -> Self:
        """A copy without the parsed tree, which needs too much memory to be stored."""
        return replace(self, page=replace(self.page, tree=None))

    def to_dict(self) -> dict[str, Any]:
        """All fields except page and wrapper, as JSON data."""
        return {"published": self.published, "told": dump(self.known), "announced": self.announced}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], page: Page, wrapper: Wrapper) -> Self:
        """Restore a post from `to_dict`. Raises KeyError, TypeError or ValueError for invalid data."""
        known = None if data["told"] is None else load(tuple[Comment, ...], data["told"])
        return cls(page, wrapper, load(str | None, data["published"]), known, load(int | None, data["announced"]))  # type: ignore[arg-type]


class Reading(NamedTuple):
    """The comments of a page as read by the rules that find most."""

    comments: list[Comment]
    rules: CommentRules | None = None
    #: number of comments that the page announces
    announced: int | None = None


@dataclass
class PageRules:
    """The rules of one blog. Memory is bounded: 30 pages of at most 2 MB."""

    #: confidence below which rules are not used
    least: float = 0.0
    rules: list[CommentRules] = field(default_factory=list)
    #: the first pages that were noted, by whether they have comments
    _pages: dict[bool, list[PostPage]] = field(default_factory=lambda: {True: [], False: []})
    #: number of failures to learn, by whether the pages were rendered
    _failed: Counter[bool] = field(default_factory=Counter)
    #: least number of days on the pages of the last failure to learn: each page of their template shows as many
    _usual_days: int = 0
    #: number of dated siblings on the pages of the last failure to learn, by the form of their lists
    _siblings_then: Counter[Key] = field(default_factory=Counter)
    #: number of posts so far, and at the last failure to learn
    _posts: int = 0
    _posts_then: int = 0
    #: number of posts with comments; the rules are learned again at `ENOUGH`
    _read: int = 0
    #: True once the rules were learned again, with or without success
    is_improved: bool = False
    #: True if the rules were learned again in this crawl
    _is_improved_now: bool = False
    #: True if the newest rules were learned after that, from other pages than the first ones
    _are_late: bool = False
    #: URLs of the pages from which the newest rules were learned
    _taught: tuple[str, ...] = ()

    def read(self, tree: HtmlElement, page: Page, *, is_part: bool = False) -> Reading:
        """The comments of a page. O(n). `is_part`: the post has further pages of comments."""
        best = Reading([])
        with suppress(PageTooSlow), time_limit():
            for rules in self.rules:
                shown, count = rules.read(tree, page.url, page.fetched_at, is_part=is_part)
                comments = _each_once(shown)
                if best.rules is None or len(comments) > len(best.comments):
                    best = Reading(comments, rules, count)
        return best

    def lacks_rules(self, post: PostPage, reading: Reading) -> bool:
        """True if a page may have comments that no rule finds yet; `reading` is what the rules have found."""
        if reading.comments or post.announced == 0:
            return False
        is_missed = post.has_comments_elsewhere or not self.rules
        if not is_missed or self._failed[post.page.is_rendered] < PATIENCE:
            return is_missed
        return post.shown.days > self._usual_days

    def may_teach(self, new: Sequence[PostPage], tried: Iterable[PostPage]) -> bool:
        """True if learning from new pages and from those that were `tried` without success may succeed.

        After `PATIENCE` failures a new page must be known to have comments, or the number of posts, or of the dated
        siblings of one form on these pages, must have doubled.
        """
        if not new:
            return False
        if self._posts >= 2 * self._posts_then:
            return True
        if any(post.has_comments_elsewhere or self._failed[post.page.is_rendered] < PATIENCE for post in new):
            return True
        return any(count >= 2 * self._siblings_then[key] for key, count in _siblings((*new, *tried)).items())

    def note(self, post: PostPage, *, has_comments: bool) -> bool:
        """Note a page to learn from; return True if the rules were learned again, so that they must be saved."""
        self.add_page(post, has_comments=has_comments)
        return self.learn_if_due()

    def learn_if_due(self) -> bool:
        """Learn the rules again if there are enough pages; return True if this was done, so that they must be saved."""
        is_due = self._read >= ENOUGH and bool(self.rules) and not self.is_improved
        if is_due:
            self._improve()
        return is_due

    def must_be_saved(self, post: PostPage, *, has_comments: bool) -> bool:
        """True if this page must be saved for a resumed crawl, which learns from the same pages."""
        return not self.is_improved and self._has_room(post, has_comments=has_comments)

    def add_page(self, post: PostPage, *, has_comments: bool) -> None:
        """Note a page, which replaces an earlier version of it: comments' ids must occur on one page only. Only the
        first pages are kept, so that a resumed crawl has the same ones."""
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
        """Learn from the pages of posts and from the noted ones; return what new rules find in these posts, or
        nothing."""
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
        """At most 15 pages that may have comments, though nothing was learned from them. They announce some, or show
        more days than each page of their template does."""
        days: dict[PostPage, int] = {}
        for post in posts:
            if post.is_kept and (post.announced or post.announces or post.shown.days > self._usual_days):
                days[post] = post.shown.days
        return sorted(days, key=lambda post: -days[post])[:MOST_PROMISING]

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
        """Learn the first rules again from all noted pages; the new rules are used if they find at least as many
        comments.

        Rules that were learned from more than half of these pages are not learned again. Rules that were learned from
        other pages stay, for pages like those.
        """
        self.is_improved = self._is_improved_now = True
        posts = self._remembered
        if not self._are_late and 2 * sum(post.page.url in self._taught for post in posts) > len(posts):
            return
        rules, trees = self._learned(posts)
        if rules is not None and _count(rules, trees) >= _count(self.rules[0], trees):
            self.rules = [rules, *self.rules[0 if self._are_late else 1 :]][:MOST_RULES]

    def to_dict(self) -> dict[str, Any]:
        """The rules as JSON data."""
        known = {"is_improved": self.is_improved, "are_late": self._are_late, "taught": [*self._taught]}
        return {"rules": dump(self.rules), **known}

    def replace(self, data: Mapping[str, Any]) -> None:
        """Restore the rules of an earlier crawl from `to_dict`; unreadable rules of another version are ignored."""
        with suppress(KeyError, TypeError, ValueError):
            self.rules = load_whole(list[CommentRules], data["rules"])
            self.is_improved, self._are_late = bool(data.get("is_improved")), bool(data.get("are_late"))
            self._taught = tuple(load(list[str], data.get("taught", [])))


class KeptPageRules:
    """Saves the `rules` of one blog and the pages from which they are learned; begins with those of an earlier crawl.
    Methods raise BackendUnavailable."""

    def __init__(self, archive: Archive, home: str, wrapper: Wrapper, rules: PageRules) -> None:
        self._archive, self._home, self.rules = archive, home, rules
        rules.replace(archive.load_source_state(home, STATE))
        for page, known in archive.comment_pages(home).load():
            with suppress(KeyError, TypeError, ValueError, NotAWebPage):  # stored by another version
                rules.add_page(PostPage.from_dict(known, page, wrapper), has_comments=known["has_comments"])
        if rules.learn_if_due():
            self.keep()

    def note(self, post: PostPage, *, has_comments: bool) -> None:
        """Note a page to learn from, and save it for a resumed crawl."""
        is_wanted = self.rules.must_be_saved(post, has_comments=has_comments)
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
    """The comments without repeated ones that have no id, since scripts show some comments twice."""
    known = {_content_key(comment) for comment in comments if comment.id}
    distinct: list[Comment] = []
    for comment in comments:
        if comment.id is None and comment.content_text:
            if _content_key(comment) in known:
                continue
            known.add(_content_key(comment))
        distinct.append(comment)
    return distinct


def _content_key(comment: Comment) -> tuple[str | None, ...]:
    return comment.author, comment.published, comment.content_text
