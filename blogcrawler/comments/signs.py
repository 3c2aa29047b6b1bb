"""Signs of whether a post has comments, which cost no request: what its page shows and says, and the feed of all
comments. A sign is believed once the sources of other posts have proven it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from blogcrawler.dates import Moment
from blogcrawler.wrapper.comments import announced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.items import Comment, Page

SURE = 5
"""Posts, one with comments at least, for all of which a sign was right, before it is believed."""
MOST_EMPTY = 10
"""Posts in a row whose sources have no comments, before others are not asked that seem to have none either."""
LONGEST_PREFIX = 40
"""Characters of the word before the number in comments' ids."""
EMPTY_FEED = "empty feed of all comments"
"""The sign of a blog that seems to have no comments at all: more posts prove it, since none of them has any."""
_DIGITS = re.compile(r"[0-9]")
_NAMES = re.compile(rb"""\b(?:id|name)=["']?\Z""")
"""What stands before an element's name: looked for only where the name is, which is found by its letters."""
_METADATA_COUNT = re.compile(rb"""["']?commentCount["']?\s{0,9}:\s{0,9}["']?(\d{1,6})\b""")
_NONE: Mapping[str, bool] = MappingProxyType({})


@dataclass(frozen=True)
class CommentedPosts:
    """What the feed of all comments says: the posts that its comments are on, and the time of its first comment."""

    posts: Collection[str] = ()
    start: Moment | None = None

    @classmethod
    def from_state(cls, told: Mapping[str, Mapping[str, tuple[str, str | None]]]) -> Self:
        """The same from what the archive keeps of the feed: times of comments by their ids, by their posts."""
        times = [time for seen in told.values() for _, time in seen.values() if time]
        return cls(told.keys(), Moment.parse_iso(min(times, default=None)))

    def signs(self, post: str, published: str | None) -> dict[str, bool]:
        """The sign that the feed has comments of a post, or has none though it reaches back to its publication."""
        if not self.posts:
            return {EMPTY_FEED: False}
        moment = Moment.parse_iso(published)
        is_covered = moment is not None and self.start is not None and moment.is_after(self.start)
        return {"feed of all comments": post in self.posts} if is_covered or post in self.posts else {}


@dataclass
class _Proof:
    """How often a sign was right for posts with comments and without, and whether it was ever wrong."""

    some: int = 0
    none: int = 0
    is_wrong: bool = False


@dataclass
class CommentSigns:
    """The signs of one blog's posts, and how they have proven."""

    #: prefix of the ids of comments, which pages have as anchors
    anchor: str | None = None
    proofs: dict[str, _Proof] = field(default_factory=dict)

    def tell_none(self, page: Page, tree: HtmlElement, told: Mapping[str, bool] = _NONE) -> bool:
        """True if a proven sign says that a post has no comments, and none that may be right says that it has some.

        `told` gives further signs than those of the page. O(n).
        """
        if not any(map(self._is_proven, self.proofs)):
            return False
        signs = {name: says for name, says in self._read(page, tree, told) if not self._of(name).is_wrong}
        return not any(signs.values()) and any(map(self._is_proven, signs))

    def is_unsure(self, page: Page, tree: HtmlElement, told: Mapping[str, bool] = _NONE) -> bool:
        """True if a sign says that a post has no comments, and a few more posts will show whether that is right."""
        if not any(map(self._may_be_proven, self.proofs)):
            return False
        return any(not says and self._may_be_proven(name) for name, says in self._read(page, tree, told))

    def learn(
        self, page: Page, tree: HtmlElement, comments: Collection[Comment], told: Mapping[str, bool] = _NONE
    ) -> None:
        """Compare the signs with all comments of a post, as its sources have them."""
        if comments:
            prefix = common_prefix(comments)
            self.anchor = self.anchor or prefix
            if prefix is None or prefix != self.anchor:
                self._of(_anchors_sign(tree)).is_wrong = True
        for name, says in self._read(page, tree, told):
            proof = self._of(name)
            proof.is_wrong |= says != bool(comments)
            proof.some += bool(comments)
            proof.none += not comments

    def _read(self, page: Page, tree: HtmlElement, told: Mapping[str, bool]) -> Iterator[tuple[str, bool]]:
        """Whether a post has comments, by each sign that says so."""
        yield from told.items()
        if self.anchor:
            yield _anchors_sign(tree), bool(anchors(page, self.anchor))
        if (count := announced(tree, page.url)) is not None:
            yield "count", count > 0
        if len(counts := set(_METADATA_COUNT.findall(page.body))) == 1:
            yield "metadata", int(counts.pop()) > 0

    def _of(self, name: str) -> _Proof:
        return self.proofs.setdefault(name, _Proof())

    def _is_proven(self, name: str) -> bool:
        proof = self._of(name)
        is_enough = proof.some + proof.none >= SURE if proof.some else name == EMPTY_FEED and proof.none >= MOST_EMPTY
        return is_enough and not proof.is_wrong

    def _may_be_proven(self, name: str) -> bool:
        proof = self._of(name)
        return not proof.is_wrong and proof.some + proof.none < (MOST_EMPTY if name == EMPTY_FEED else SURE)


def _anchors_sign(tree: HtmlElement) -> str:
    """The name of the sign: where comments are closed, themes may hide them, so pages without a form count apart."""
    return "anchors, form" if next(tree.iter("textarea"), None) is not None else "anchors"


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
