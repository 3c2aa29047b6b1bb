"""Signs of whether a post has comments that cost no request: the ids and numbers on its page, and the feed of all
comments. A sign is trusted after the sources of other posts have confirmed it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.dates import Moment
from blogcrawler.wrapper.comments import announced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.items import Comment, Page

SURE = 5
"""Posts, at least one of them with comments, that must confirm a sign before it is trusted."""
MOST_EMPTY = 10
"""Posts in a row whose sources have no comments, before sources of similar posts are skipped."""
LONGEST_PREFIX = 40
"""Characters of the word before the number in comments' ids."""
FEED, EMPTY_FEED = "feed of all comments", "empty feed of all comments"
"""Names of signs. No post can confirm the second one with comments, so more posts without comments must confirm it."""
_DIGITS = re.compile(r"[0-9]")
_NAMES = re.compile(rb"""\b(?:id|name)=["']?\Z""")
"""What stands before an element's name: looked for only where the name is, which is found by its letters."""
_METADATA_COUNT = re.compile(rb"""commentCount["']?\s{0,9}:\s{0,9}["']?(\d{1,6})\b""")


@dataclass(frozen=True)
class CommentedPosts:
    """The posts whose comments are in the feed of all comments, and the time of the first of these comments."""

    #: None if the blog has no such feed
    posts: Collection[str] | None
    start: Moment | None

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Restore the posts from the stored state of the feed (`COMMENT_FEED`)."""
        seen = state["told"] if "url" in state else {}
        times = [time for comments in seen.values() for _, time in comments.values() if time]
        return cls(seen.keys() if "url" in state else None, Moment.parse_iso(min(times, default=None)))

    def signs(self, post: str, published: str | None) -> dict[str, bool]:
        """The sign of the feed for a post; none if the post is older than the comments in the feed."""
        if self.posts is None:
            return {}
        if not self.posts:
            return {EMPTY_FEED: False}
        moment = Moment.parse_iso(published)
        is_covered = moment is not None and self.start is not None and moment.is_after(self.start)
        return {FEED: post in self.posts} if is_covered or post in self.posts else {}


@dataclass
class _Proof:
    """Numbers of posts with and without comments that had a sign, and whether it was ever wrong."""

    some: int = 0
    none: int = 0
    is_wrong: bool = False


@dataclass(frozen=True, eq=False)
class PageSigns:
    """The signs of one post: those on its page, which are read once, and those of `CommentedPosts`."""

    page: Page
    tree: HtmlElement
    of_feed: Mapping[str, bool]

    def read(self, anchor: str | None) -> dict[str, bool]:
        """The signs by name, and whether the post has comments according to each. `anchor`: prefix of comments' ids."""
        anchors_shown = {self.anchors_sign: bool(anchors(self.page, anchor))} if anchor else {}
        return {**self.of_feed, **anchors_shown, **self._counts}

    @cached_property
    def anchors_sign(self) -> str:
        """The name of the sign: pages without a form are counted apart, since themes may hide closed comments."""
        return "anchors, form" if next(self.tree.iter("textarea"), None) is not None else "anchors"

    @cached_property
    def _counts(self) -> dict[str, bool]:
        counts = {}
        if (count := announced(self.tree, self.page.url)) is not None:
            counts["count"] = count > 0
        if len(numbers := set(_METADATA_COUNT.findall(self.page.body))) == 1:
            counts["metadata"] = int(numbers.pop()) > 0
        return counts


@dataclass
class CommentSigns:
    """What is known of the signs of one blog's posts."""

    #: prefix of the ids of comments, which pages have as anchors
    anchor: str | None = None
    proofs: dict[str, _Proof] = field(default_factory=dict)

    @property
    def have_seen_comments(self) -> bool:
        """True if a complete source has had comments of at least one post."""
        return any(proof.some for proof in self.proofs.values())

    def exclude_comments(self, signs: PageSigns) -> bool:
        """True if a trusted sign shows that a post has no comments, and no usable one contradicts. O(n)."""
        if not any(map(self._is_trusted, self.proofs)):
            return False
        usable = {name: has_some for name, has_some in self._read(signs) if not self._of(name).is_wrong}
        return not any(usable.values()) and any(map(self._is_trusted, usable))

    def are_unconfirmed(self, signs: PageSigns) -> bool:
        """True if a sign shows that a post has no comments, and a few more posts would confirm this sign. O(n)."""
        if not any(map(self._needs_posts, self.proofs)):
            return False
        return any(not has_some and self._needs_posts(name) for name, has_some in self._read(signs))

    def learn(self, signs: PageSigns, comments: Collection[Comment]) -> None:
        """Compare the signs with all comments of a post, from its sources. O(n)."""
        if comments:
            prefix = common_prefix(comments)
            self.anchor = self.anchor or prefix
            if prefix is None or prefix != self.anchor:
                self.proofs.setdefault(signs.anchors_sign, _Proof()).is_wrong = True
        for name, has_some in self._read(signs):
            proof = self.proofs.setdefault(name, _Proof())
            proof.is_wrong |= has_some != bool(comments)
            proof.some += bool(comments)
            proof.none += not comments

    def _read(self, signs: PageSigns) -> Iterable[tuple[str, bool]]:
        return signs.read(self.anchor).items()

    def _of(self, name: str) -> _Proof:
        return self.proofs.get(name, _Proof())

    def _is_trusted(self, name: str) -> bool:
        proof = self._of(name)
        is_enough = proof.some + proof.none >= SURE if proof.some else name == EMPTY_FEED and proof.none >= MOST_EMPTY
        return is_enough and not proof.is_wrong

    def _needs_posts(self, name: str) -> bool:
        proof = self._of(name)
        return not proof.is_wrong and proof.some + proof.none < (MOST_EMPTY if name == EMPTY_FEED else SURE)


def anchors(page: Page, prefix: str) -> set[str]:
    """The anchors on a page with the form of comments' ids: a word and a number. O(n)."""
    if not prefix:
        return set()
    body = page.body
    named = re.finditer(b"(" + re.escape(prefix.encode()) + rb"""[0-9]{1,25})["'\s>]""", body)
    return {
        one[1].decode("ascii", "replace") for one in named if _NAMES.search(body[max(0, one.start() - 8) : one.start()])
    }


def common_prefix(comments: Iterable[Comment]) -> str | None:
    """The word before the number in the ids of comments; None without one, or with different ones."""
    found = {_DIGITS.split(comment.id, maxsplit=1)[0] for comment in comments if comment.id}
    prefix = found.pop() if len(found) == 1 else ""
    return prefix if 0 < len(prefix) <= LONGEST_PREFIX else None


def shows_no_others(page: Page, prefix: str, comments: Iterable[Comment]) -> bool:
    """True if the page has no anchors of other comments: WordPress's API, for example, omits pingbacks."""
    shown, known = anchors(page, prefix), {comment.id for comment in comments}
    return shown <= known if shown else not known


def knows_all_shown(page: Page, comments: Iterable[Comment]) -> bool:
    """True if a page has anchors of comments, and these comments include all of them."""
    known = list(comments)
    shown = anchors(page, common_prefix(known) or "")
    return bool(shown) and shown <= {comment.id for comment in known}
