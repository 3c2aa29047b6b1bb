"""The container of an article on a training page: which of its text is the article's, and what remains after cuts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.profile import following_text, leading_text
from blogcrawler.wrapper.core.rules import select
from blogcrawler.wrapper.refinements.exclusions import reach
from blogcrawler.wrapper.refinements.recurring import MEDIA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.profile import Profile
    from blogcrawler.wrapper.refinements.exclusions import Exclusion

OTHER = 0.25
"""Share of article text up to which a node counts as other content."""
KEPT = frozenset(["pre", "table"])
"""Elements that belong to an article as a whole, unless a feed shows otherwise: posts of one blog show the same code,
and have the same columns."""
TEXTS = HEADINGS | {"p", "ul", "ol", "dl", "blockquote"}
"""Elements of running text."""


class Child(NamedTuple):
    """A child of a container, with the loose text beside it."""

    node: HtmlElement
    #: characters of text that is known to be the article's or not
    known: int
    #: characters of the article's text
    own: int


@dataclass(frozen=True)
class Container:
    """An article's container on a training page."""

    profile: Profile
    position: int
    #: characters of the article's text in each node's subtree; a picture counts as some characters
    own: Sequence[int]
    #: characters of text in each node's subtree that is known to be the article's or not
    known: Sequence[int]
    #: returns whether a folded text outside of links is the article's; None if this is unknown
    holds: Callable[[str], bool | None]
    #: for each node, whether it is not the article's for another reason, nor the text behind it; empty without such
    #: reasons
    foreign: Sequence[bool] = ()

    def is_other(self, position: int) -> bool:
        """True if a node's text is other content than the article's."""
        return self.own[position] <= OTHER * self.known[position]

    def shows(self, child: HtmlElement) -> bool:
        """True if an element has text or shows something; an empty one is a mark that an editor has left."""
        return self.profile.sizes[self.profile.positions[child]] > 0 or next(child.iter(*MEDIA), None) is not None

    @cached_property
    def extent(self) -> tuple[int, int]:
        """Positions of the first and the last innermost node with text of the article."""
        inside = self.profile.subtree(self.position)
        rest = {at: self.own[at] for at in inside}
        for at in inside[1:]:
            rest[self.profile.parents[at]] -= self.own[at]
        places = [at for at in inside if rest[at] > 0]
        return (places[0], places[-1]) if places else (len(self.profile), -1)

    def children(self, *, reverse: bool) -> Sequence[Child]:
        """The container's children, counted from one end. Loose text between two children belongs to the child nearer
        to that end."""
        return self._children[reverse]

    @cached_property
    def _children(self) -> tuple[Sequence[Child], Sequence[Child]]:
        """The children from the beginning, and from the end."""
        profile = self.profile
        forwards: list[Child] = []
        backwards: list[Child] = []
        position, end = self.position + 1, profile.ends[self.position]
        before = self._loose(leading_text(profile.nodes[self.position]), is_foreign=False)
        while position < end:
            node = profile.nodes[position]
            after = self._loose(following_text(node), is_foreign=bool(self.foreign) and self.foreign[position])
            size, own = self.known[position], 0 if self.is_other(position) else self.own[position]
            forwards.append(Child(node, size + before[0], own + before[1]))
            backwards.append(Child(node, size + after[0], own + after[1]))
            before = after
            position = profile.ends[position]
        return forwards, backwards[::-1]

    def _loose(self, raw: str, *, is_foreign: bool) -> tuple[int, int]:
        """Size of a loose text in characters: how much is known to be the article's or not, and how much is the
        article's."""
        text = fold(raw)
        verdict = None if not text else False if is_foreign else self.holds(text)
        return (0, 0) if verdict is None else (len(text), len(text) if verdict else 0)


class Remains:
    """A container without what the cuts drop: the outermost nodes that hold only other content."""

    def __init__(self, container: Container, cuts: Sequence[Exclusion], *, is_guessed: bool) -> None:
        self.container = container
        self.root = container.profile.nodes[container.position]
        #: characters of text in each outermost node of other content
        self.others: dict[int, int] = {}
        #: characters of the article's text in each node that holds some
        self._own: dict[HtmlElement, int] = {}
        self._gather({node for cut in cuts for node in reach(self.root, cut)}, KEPT if is_guessed else frozenset())
        if is_guessed:
            self._keep_amid()

    def own(self, xpath: str) -> int:
        """Characters of the article's text in the nodes that an expression selects."""
        return sum(self._own.get(node, 0) for node in select(self.root, xpath))

    def pieces(self, position: int) -> Iterator[str]:
        """The texts in a node."""
        profile = self.container.profile
        for at in profile.subtree(position):
            yield from profile.pieces[at]

    def is_section(self, position: int) -> bool:
        """True if a node's id repeats its heading, and the node is a heading or has a class that the article's text
        has."""
        node = self.container.profile.nodes[position]
        is_named = node.get("class") and (node.tag, node.get("class")) in self._kinds
        if not node.get("id") or not (is_named or node.tag in HEADINGS):
            return False
        heading = next(filter(None, map(fold, node.itertext())), "")
        return _letters(fold(node.get("id"))) == _letters(heading)

    def is_plain(self, position: int) -> bool:
        """True if a node is running text without links, and has no class that the article's text lacks."""
        node = self.container.profile.nodes[position]
        has_class = node.get("class") and (node.tag, node.get("class")) not in self._kinds
        return self._is_text(position) and not has_class

    def may_be_own(self, position: int) -> bool:
        """True if a node is amid the article's text, and holds a text or link text that no other page has."""
        holds, (first, last) = self.container.holds, self.container.extent
        return first < position < last and any(holds(piece) is not False for piece in self.pieces(position))

    @cached_property
    def _kinds(self) -> frozenset[tuple[str, str | None]]:
        """Tags and classes of the nodes that hold text of the article."""
        return frozenset((node.tag, node.get("class")) for node in self._own)

    def own_pieces(self) -> Iterator[str]:
        """The texts of the article."""
        profile, holds = self.container.profile, self.container.holds
        for at in profile.subtree(self.container.position):
            yield from filter(holds, profile.pieces[at])

    def _gather(self, gone: set[HtmlElement], kept: frozenset[str]) -> None:
        container = self.container
        profile, position = container.profile, container.position + 1
        kept_end = position
        while position < profile.ends[container.position]:
            node, size, own = profile.nodes[position], container.known[position], container.own[position]
            foreign = size > 0 and container.is_other(position)
            skip = node in gone
            if node.tag in kept:
                kept_end = max(kept_end, profile.ends[position])
            if foreign and not skip and position >= kept_end:
                self.others[position] = size
            elif not skip and own:
                self._own[node] = own
            position = profile.ends[position] if skip or foreign else position + 1

    def _is_text(self, position: int) -> bool:
        return self.container.profile.nodes[position].tag in TEXTS and not self.container.profile.link_sizes[position]

    def _keep_amid(self) -> None:
        """Count running text with text of the article before, behind and beside it as the article's."""
        profile, foreign, (first, last) = self.container.profile, self.container.foreign, self.container.extent
        around = {profile.parents[profile.positions[node]] for node in self._own}
        for at in [at for at in self.others if first < at < last and not (foreign and foreign[at])]:
            if self._is_text(at) and profile.parents[at] in around:
                self._own[profile.nodes[at]] = self.others.pop(at)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalize("NFKD", text)))
