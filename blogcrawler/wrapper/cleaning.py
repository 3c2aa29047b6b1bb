"""What stands inside an article's container and is not the article: share bars, bylines, tags, comments.

Training pages tell it. Each node in the container either holds text of the article (text that the feed has; or, where
the feed has summaries, text that is no link and stands on no other page), or other text, or both. A relative rule that
selects only nodes of the second sort, on several pages, is an exclusion. Where an article has no container of its own,
what comes before and after it may have no names at all (a heading, then paragraphs by readers). Then the exclusion
reaches from the node that it selects to the container's end, or to its beginning.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self
from unicodedata import normalize

from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import fold
from blogcrawler.wrapper.profile import following_text, leading_text
from blogcrawler.wrapper.recurring import drop_heading, drop_phrases, has_number, phrase_of, recurring_phrases
from blogcrawler.wrapper.rules import NAMED, names_of, plain_name, select
from blogcrawler.wrapper.signs import DATED, Signs, common_signs, edge_signs, find_edge, last_run, shown_by, signs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.profile import Profile

__all__ = ["Container", "Exclusion", "Exclusions", "clean", "learn_exclusions", "learn_more_exclusions"]

OTHER = 0.25
"""A node with at most this share of article text in it is something else."""
LOSS = 0.02
"""Share of article text among all that an exclusion drops on the training pages, at most."""
LEAST = {False: (2, 0.1), True: (3, 0.2)}
"""Number and share of the pages on which a wording recurs, by whether headings are kept."""
HEADING = 60
"""Characters of a heading, at most."""
SAMPLED, SAMPLE_SUPPORT = 3, 0.2
"""Number and share of a sample's posts on which something recurs."""
COMPOUND = frozenset(["div", "section", "article"])
"""Elements that what they are made of tells apart where they have no names."""
MOST_PARTS = 4
SHAPE = 10
"""Kind of an expression that names an element's parts."""
DEEPEST = 4
"""Levels below the container to which paths of places lead."""
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
KEPT = frozenset(["pre", "table"])
"""Elements that are an article's own as a whole, where no feed tells that they are not."""
PLACED = 0.5
"""Share of the pages on which the mere place of such an element as articles are made of must drop something."""
UNTOLD = 0.8
"""The same of a heading's place, where no wording tells that it is the template's."""
PREFERENCE = 1.1
"""So many times as much must a cut drop that no wording tells as one that is told by it."""
LOOSE = frozenset(
    [
        "p",
        "div",
        "span",
        "section",
        "article",
        "blockquote",
        "ul",
        "ol",
        "pre",
        "table",
        "figure",
        "br",
        "a",
        "b",
        "strong",
        "i",
        "em",
        "code",
    ]
)
"""Elements of which articles are made: their mere tag excludes nothing."""
RUNS = frozenset(["p", "div", "section", "article", "blockquote", "ul"])
"""Elements of which a box may have several at the end, and no element around them."""
PARTS = LOOSE | frozenset(
    ["hr", "li", "dl", "dt", "dd", "tbody", "tr", "td", "th", "caption", "figcaption", "details", "summary", "center",
     "font", "small", "cite", "q", "sub", "sup", "u", "s"]
)  # fmt: skip
"""These and others that articles may have: where only tag or place tell them, their text must, too."""


@dataclass(frozen=True)
class Exclusion:
    """Nodes to drop from a container: those that a relative XPath expression selects, and what its extent adds."""

    xpath: str
    #: node: each selected node; after: the first one and all that follows it among its siblings;
    #: before: the last one and all that stands before it; last: those with which the container ends
    extent: Literal["node", "after", "before", "last"] = "node"
    #: what the node must show on the page besides; None where its names tell enough
    signs: Signs | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        data: dict[str, Any] = {"xpath": self.xpath, "extent": self.extent}
        return data if self.signs is None else {**data, "signs": [sorted(column) for column in self.signs]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        signs = data.get("signs")
        return cls(data["xpath"], data["extent"], Signs(*map(frozenset, signs)) if signs else None)


@dataclass(frozen=True)
class Container:
    """An article's container on a training page."""

    profile: Profile
    position: int
    #: characters of the article's text in each node's subtree
    own: Sequence[int]
    #: characters of text in each node's subtree of which it is known whether they are the article's
    known: Sequence[int]
    #: is a folded piece of text, that is no link, the article's? None where that cannot be told
    holds: Callable[[str], bool | None]
    #: for each node, is it, and what follows it, not the article's for another reason? Empty where none is
    foreign: Sequence[bool] = ()
    #: for each node, does it show a picture or film of the article? Empty where none does
    illustrated: Sequence[bool] = ()

    def is_other(self, position: int) -> bool:
        """Is a node's text something else than the article's, and does it show nothing of the article?"""
        if self.illustrated and self.illustrated[position]:
            return False
        return self.own[position] <= OTHER * self.known[position]


class Exclusions(NamedTuple):
    """What to drop from a container: nodes by their names and places, then blocks by their wording."""

    nodes: tuple[Exclusion, ...] = ()
    phrases: tuple[str, ...] = ()
    #: wording of headings, which go with what is below them
    headings: tuple[str, ...] = ()


class _Part(NamedTuple):
    """What a cut drops of a container: characters of other text, and of the article's."""

    other: int
    own: int


class _Key(NamedTuple):
    """A relative XPath expression, ordered by preference: its kind, its length."""

    kind: int
    length: int
    xpath: str


def _letters(text: str) -> str:
    """The letters of a text without their accents."""
    return "".join(filter(str.isalnum, normalize("NFKD", text)))


def _key(kind: int, xpath: str) -> _Key:
    return _Key(kind, len(xpath), xpath)


class _Remains:
    """A container without what the cuts reach: the outermost nodes that are wholly something else."""

    def __init__(self, container: Container, cuts: Sequence[Exclusion]) -> None:
        self.container = container
        self.root = container.profile.nodes[container.position]
        #: characters of text in each outermost node that is something else
        self.others: dict[int, int] = {}
        #: nodes that hold text of the article
        self._own: dict[HtmlElement, int] = {}
        self._gather({node for cut in cuts for node in _reach(self.root, cut)})

    def own(self, xpath: str, signs: Signs | None) -> int:
        """Characters of the article's text in the nodes that an expression selects, and that show some signs."""
        held = ((node, self._own.get(node, 0)) for node in select(self.root, xpath))
        return sum(own for node, own in held if own and (signs is None or shown_by(node, signs)))

    @cached_property
    def signs(self) -> dict[int, Signs]:
        """The signs of each outermost node that is something else."""
        return {position: signs_of(self.container.profile.nodes[position]) for position in self.others}

    def pieces(self, position: int) -> Iterator[str]:
        """The texts of a node."""
        profile = self.container.profile
        for at in profile.subtree(position):
            yield from profile.pieces[at]

    def may_head(self, position: int) -> bool:
        """Is a node a heading by its element, or short and without links, with something below it?"""
        profile = self.container.profile
        node, end = profile.nodes[position], profile.ends[position]
        if node.tag in HEADINGS:
            return any(profile.sizes[end : profile.ends[self.container.position]])
        is_short = profile.sizes[position] <= HEADING and not profile.link_sizes[position]
        return is_short and node.getnext() is not None and not any(map(has_number, self.pieces(position)))

    def is_section(self, position: int) -> bool:
        """Is a node one of the article's sections: of a class that its text has, with its heading for an identifier?"""
        node = self.container.profile.nodes[position]
        if not node.get("id") or not node.get("class"):
            return False
        heading = next(filter(None, map(fold, node.itertext())), "")
        name = fold(node.get("id"))
        return (node.tag, node.get("class")) in self._kinds and _letters(name) == _letters(heading)

    def may_be_own(self, position: int) -> bool:
        """Does a node stand amid the article's text, and hold a text that recurs nowhere (that of a link)?"""
        holds, (first, last) = self.container.holds, self._extent
        return first < position < last and any(holds(piece) is not False for piece in self.pieces(position))

    @cached_property
    def _kinds(self) -> frozenset[tuple[str, str | None]]:
        """Tags and classes of the nodes that hold text of the article."""
        return frozenset((node.tag, node.get("class")) for node in self._own)

    @cached_property
    def _extent(self) -> tuple[int, int]:
        """Positions of the first and last node with text of the article in itself."""
        profile, holds = self.container.profile, self.container.holds
        positions = sorted(profile.positions[node] for node in self._own)
        first = next((at for at in positions if any(map(holds, profile.pieces[at]))), len(profile))
        return first, positions[-1] if positions else -1

    def own_pieces(self) -> Iterator[str]:
        """The texts of the article."""
        profile, holds = self.container.profile, self.container.holds
        for at in profile.subtree(self.container.position):
            yield from filter(holds, profile.pieces[at])

    def _gather(self, gone: set[HtmlElement]) -> None:
        container = self.container
        profile, position = container.profile, container.position + 1
        while position < profile.ends[container.position]:
            node, size, own = profile.nodes[position], container.known[position], container.own[position]
            foreign = size > 0 and container.is_other(position)
            skip = node in gone
            if foreign and not skip:
                self.others[position] = size
            elif not skip and own:
                self._own[node] = own
            position = profile.ends[position] if skip or foreign else position + 1


def learn_exclusions(
    containers: Sequence[Container], *, support: float, inline: bool, keep_headings: bool = False
) -> Exclusions:
    """What to drop from the container on every page of the blog.

    An exclusion must have dropped something on the share `support` of the pages. Without `inline`, elements within a
    line of text are left alone; with `keep_headings`, recurring headings of what only one post says. O(n) in the
    containers' nodes.
    """
    minimum = max(min(2, len(containers)), support * len(containers))
    ends = _learn_cut(containers, minimum, "after") or _learn_run(containers, max(minimum, PLACED * len(containers)))
    cuts = [*ends, *_learn_cut(containers, minimum, "before")]
    pages = [_Remains(container, cuts) for container in containers]
    return _learn_nodes(pages, cuts, _Terms(minimum, inline, keep_headings, LEAST[keep_headings]))


def learn_more_exclusions(known: Exclusions, sample: Sequence[Container], training: Sequence[Container]) -> Exclusions:
    """What to drop besides, which posts show that the rules were not learned from; no more than that.

    Of the sample's posts nobody has told the article: so only elements with names, and blocks by their wording, are
    dropped that recur on many of them and hold no text of the article on any page. O(n) in the containers' nodes.
    """
    pages = [_Remains(container, known.nodes) for container in (*sample, *training)]
    minimum = max(SAMPLED, SAMPLE_SUPPORT * len(sample))
    more = _learn_nodes(pages, (), _Terms(minimum, False, True, (SAMPLED, SAMPLE_SUPPORT), NAMED))
    return Exclusions((*known.nodes, *more.nodes), (*known.phrases, *more.phrases), (*known.headings, *more.headings))


class _Terms(NamedTuple):
    """What an exclusion must fulfil."""

    #: pages on which it drops something
    minimum: float
    #: elements within a line, too?
    inline: bool
    keep_headings: bool
    #: number and share of the pages on which a wording recurs
    wording: tuple[int, float]
    #: highest kind of expression
    kind: int = 99


def _learn_nodes(pages: Sequence[_Remains], cuts: Sequence[Exclusion], terms: _Terms) -> Exclusions:
    """Exclusions of single nodes, behind the cuts that were made."""
    found: dict[_Key, set[tuple[int, int]]] = defaultdict(set)
    for number, page in enumerate(pages):
        places = _Places(page.root) if page.others else None
        for position in page.others:
            node = page.container.profile.nodes[position]
            if places is not None and (terms.inline or node.tag in BLOCKS):
                if terms.keep_headings and _is_of_listing_or_table(node, page.root):
                    continue  # posts of one blog show the same code and have the same columns
                is_section = page.is_section(position)
                may_be_own = terms.keep_headings and (page.may_head(position) or page.may_be_own(position))
                for key in _relative_rules(node, places):
                    if (is_section and key.kind == 0) or (may_be_own and _may_select_own(key)):
                        continue
                    if key.kind <= terms.kind or key.kind == SHAPE:
                        found[key].add((number, position))
    signs = _learn_signs(found, pages)
    chosen = list(_choose(found, pages, terms.minimum, signs))
    gone = {place for key in chosen for place in found[key]}
    phrases, headings = (_learn_phrases(pages, gone, terms, headings=which) for which in (False, True))
    return Exclusions((*cuts, *(Exclusion(key.xpath, signs=signs.get(key)) for key in chosen)), phrases, headings)


def _learn_signs(found: dict[_Key, set[tuple[int, int]]], pages: Sequence[_Remains]) -> dict[_Key, Signs]:
    """The signs that go with expressions that might select an article's own; nodes that show none are not found."""
    doubtful = [key for key in found if _may_select_own(key)]
    own = frozenset(filter(None, map(phrase_of, _own_pieces(pages)))) if doubtful else frozenset()
    signs = {}
    for key in doubtful:
        shown: dict[int, list[Signs]] = defaultdict(list)
        for number, position in found[key]:
            shown[number].append(pages[number].signs[position])
        signs[key] = common_signs(list(shown.values()), own)
        found[key] = {place for place in found[key] if pages[place[0]].signs[place[1]].meet(signs[key])}
    return signs


def _own_pieces(pages: Sequence[_Remains]) -> Iterator[str]:
    return (piece for page in pages for piece in page.own_pieces())


def _may_select_own(key: _Key) -> bool:
    """Might an expression select the article's own on other pages? One by a tag that articles have, or by its place."""
    last = key.xpath.rpartition("/")[2]
    tag = last.partition("[")[0]
    if "@" in last or key.kind == SHAPE:
        return False
    return tag in PARTS or (tag in HEADINGS and tag == last)


def _is_of_listing_or_table(node: HtmlElement, root: HtmlElement) -> bool:
    """Is a node a listing or table of the article, or a part of one?"""
    for element in (node, *node.iterancestors()):
        if element is root:
            return False
        if element.tag in KEPT:
            return True
    return False


def _learn_phrases(
    pages: Sequence[_Remains], gone: set[tuple[int, int]], terms: _Terms, *, headings: bool
) -> tuple[str, ...]:
    """The wording of what recurs and is not gone: of headings that are to be kept with what is below them, or not."""
    left = [
        [
            piece
            for at in page.others
            if (number, at) not in gone and (terms.keep_headings and page.may_head(at)) == headings
            if not (terms.keep_headings and page.may_be_own(at))
            for piece in page.pieces(at)
        ]
        for number, page in enumerate(pages)
    ]
    least, share = terms.wording
    return recurring_phrases(left, max(least, share * len(pages)), _own_pieces(pages))


def clean(container: HtmlElement, exclusions: Exclusions) -> None:
    """Drop from a container, which is changed, all that is excluded. Places are those in the container as it was."""
    reached = [(exclusion, _reach(container, exclusion)) for exclusion in exclusions.nodes]
    headings = frozenset(exclusions.headings)
    for exclusion, nodes in reached:
        if exclusion.extent == "before" and nodes:
            container.text = nodes[-1].tail
        for node in nodes:
            if exclusion.extent != "node":
                node.tail = None
            if node.getparent() is not None:
                drop_heading(node, headings)
                node.drop_tree()
    if exclusions.phrases:
        drop_phrases(container, frozenset(exclusions.phrases), headings)


def _reach(container: HtmlElement, exclusion: Exclusion) -> list[HtmlElement]:
    """The nodes that an exclusion drops, in document order."""
    nodes = [node for node in select(container, exclusion.xpath) if node is not container]
    signs = exclusion.signs
    if exclusion.extent == "node":
        return nodes if signs is None else [node for node in nodes if shown_by(node, signs)]
    if exclusion.extent == "last":
        return last_run(nodes, signs)
    if signs is not None and nodes:
        nodes = find_edge(nodes, signs, backwards=exclusion.extent == "before")
    if not nodes:
        return nodes
    edge = nodes[0]
    if exclusion.extent == "after":
        return [edge, *edge.itersiblings()]
    return [*reversed(list(edge.itersiblings(preceding=True))), edge]


def _relative_rules(node: HtmlElement, places: _Places) -> Iterator[_Key]:
    """Rules that might select a node from its container: by its names, its parent's names, its tag, its place."""
    if not plain_name(node.tag):
        return
    for kind, step in names_of(node):
        yield _key(kind, f".//{step}")
    parts = list(dict.fromkeys(child.tag for child in node.iterchildren("*")))
    if node.tag in COMPOUND and not node.attrib and 1 < len(parts) <= MOST_PARTS and all(map(plain_name, parts)):
        yield _key(SHAPE, f".//{node.tag}[not(@*)]" + "".join(f"[{tag}]" for tag in parts))
    parent = node.getparent()
    steps = places.steps.get(node, [])
    if node.tag not in LOOSE:
        yield _key(9, f".//{node.tag}")
        steps = [*steps, (4, node.tag)]
    path = places.paths.get(parent)
    for kind, step in steps:
        if path is not None:
            yield _key(kind + path.count("/"), f"{path}/{step}")
        for _, name in names_of(parent) if path != "." else ():
            yield _key(kind + 3, f".//{name}/{step}")


class _Places:
    """Where the nodes of a container stand in it. O(n) in its nodes."""

    def __init__(self, container: HtmlElement) -> None:
        #: for the first two and last two of the same tag among the children of an element: (kind, step)
        self.steps: dict[HtmlElement, list[tuple[int, str]]] = defaultdict(list)
        #: for the container and elements at most `DEEPEST` below it, the path to them
        self.paths: dict[HtmlElement | None, str] = {container: "."}
        for parent in container.iter("*"):
            twins: dict[str, list[HtmlElement]] = defaultdict(list)
            for child in parent.iterchildren("*"):
                twins[child.tag].append(child)
            for tag, nodes in twins.items():
                self._place(tag, nodes, self.paths.get(parent))

    def _place(self, tag: str, nodes: Sequence[HtmlElement], path: str | None) -> None:
        for number, node in enumerate(nodes[:2], start=1):
            self.steps[node].append((5, f"{tag}[{number}]"))
        for behind, node in enumerate(reversed(nodes[-2:])):
            self.steps[node].append((6, f"{tag}[last()-{behind}]" if behind else f"{tag}[last()]"))
        if path is not None and path.count("/") < DEEPEST and plain_name(tag):
            for number, node in enumerate(nodes, start=1):
                self.paths[node] = f"{path}/{tag}[{number}]"


def _choose(
    found: dict[_Key, set[tuple[int, int]]], pages: Sequence[_Remains], minimum: float, signs: dict[_Key, Signs]
) -> Iterator[_Key]:
    """The expressions that drop most, as long as each drops something new and next to nothing of the article."""
    gains = {key: sum(pages[number].others[position] for number, position in dropped) for key, dropped in found.items()}
    gone: set[tuple[int, int]] = set()
    for key in sorted(found, key=lambda key: (-gains[key], key)):
        fresh = found[key] - gone
        least = max(minimum, _least_share(key) * len(pages))
        if len({number for number, _ in fresh}) >= least:
            own = sum(page.own(key.xpath, signs.get(key)) for page in pages)
            if own <= LOSS * (own + gains[key]):
                yield key
                gone |= fresh


def _least_share(key: _Key) -> float:
    """Share of the pages on which an expression must drop something.

    What other posts have at the mere place of what articles are made of may be the article's.
    """
    last = key.xpath.rpartition("/")[2]
    tag = last.partition("[")[0]
    if "@" in last or key.kind == SHAPE:
        return 0
    return PLACED if tag in LOOSE else UNTOLD if tag in HEADINGS and tag != last else 0


def _learn_cut(containers: Sequence[Container], minimum: float, extent: Literal["after", "before"]) -> list[Exclusion]:
    """The one cut that drops most, if any: at the first or last of the container's children with a name or tag.

    Where an article may have elements of that tag itself, the cut is where the wording or links tell it, or, where
    nothing does, at the one that is next to the container's end.
    """
    dropped: dict[_Key, dict[int, _Part]] = defaultdict(dict)
    #: for each tag that an article may have, and each page, what a cut at its elements drops, from that end on
    doubtful: dict[str, dict[int, dict[HtmlElement, _Part]]] = defaultdict(lambda: defaultdict(dict))
    near, far = ("[last()]", "[1]") if extent == "after" else ("[1]", "[last()]")
    for number, container in enumerate(containers):
        other = own = 0
        first: set[str] = set()
        for child, text, held in _children(container, reverse=extent == "after"):
            other, own = other + text - held, own + held
            part = _Part(other, own)
            for kind, step in _cut_steps(child):
                if step not in first:
                    dropped[_key(kind, f"(./{step}){near}")][number] = part
                    first.add(step)
                if step in HEADINGS or step in PARTS:
                    doubtful[step][number][child] = part
                else:
                    dropped[_key(kind, f"(./{step}){far}")][number] = part
    chosen: list[tuple[float, _Key, Exclusion]] = []
    for key, parts in dropped.items():
        is_doubtful = key.xpath[3:].partition(")")[0] in doubtful
        least = max(minimum, UNTOLD * len(containers)) if is_doubtful else minimum
        if gain := _gain(parts, least):
            chosen.append((-gain / PREFERENCE if is_doubtful else -gain, key, Exclusion(key.xpath, extent)))
    for tag, pages in doubtful.items():
        cut, parts = _told_cut(tag, pages, extent)
        if gain := _gain(parts, minimum):
            chosen.append((-gain, _key(4, cut.xpath), cut))
    return [min(chosen, key=lambda item: item[:2])[2]] if chosen else []


def _gain(parts: dict[int, _Part], minimum: float) -> int:
    """Characters that a cut drops; 0 where it does so on too few pages, or drops too much of the article."""
    gain, loss = sum(part.other for part in parts.values()), sum(part.own for part in parts.values())
    is_frequent = sum(part.other > 0 for part in parts.values()) >= minimum
    return gain if is_frequent and loss <= LOSS * (loss + gain) else 0


def _told_cut(
    tag: str, pages: dict[int, dict[HtmlElement, _Part]], extent: Literal["after", "before"]
) -> tuple[Exclusion, dict[int, _Part]]:
    """The cut at those elements of a tag that show what recurs, and what it drops of each page."""
    backwards = extent == "before"
    order = {number: list(parts) if backwards else [*reversed(parts)] for number, parts in pages.items()}
    signs = common_signs([[edge_signs(nodes, backwards=backwards)] for nodes in order.values()])
    found = {}
    for number, parts in pages.items():
        for edge in find_edge(order[number], signs, backwards=backwards):
            found[number] = parts[edge]
    return Exclusion(f"./{tag}", extent, signs), found


def _learn_run(containers: Sequence[Container], minimum: float) -> list[Exclusion]:
    """The elements without names with which containers end, one after another, that drop most, if any."""
    ends: dict[str, dict[int, dict[HtmlElement, _Part]]] = defaultdict(dict)
    for number, container in enumerate(containers):
        found: dict[str, dict[HtmlElement, _Part]] = defaultdict(dict)
        for child, text, held in _children(container, reverse=True):
            if child.tag in RUNS:
                found[child.tag][child] = _Part(text - held, held)
        for tag, parts in found.items():
            ends[tag][number] = parts
    chosen: list[tuple[int, _Key, Exclusion]] = []
    for tag, pages in ends.items():
        cut, dropped = _told_run(tag, pages)
        if gain := _gain(dropped, minimum):
            chosen.append((-gain, _key(4, cut.xpath), cut))
    return [min(chosen, key=lambda item: item[:2])[2]] if chosen else []


def _told_run(tag: str, pages: dict[int, dict[HtmlElement, _Part]]) -> tuple[Exclusion, dict[int, _Part]]:
    """Those elements of a tag that show what recurs, and what they drop of each page."""
    others = [
        list(takewhile(lambda node, parts=parts: not parts[node].own, last_run(list(parts))))  # type: ignore[misc]
        for parts in pages.values()
    ]
    signs = Signs(sorts=common_signs([list(map(signs_of, nodes)) for nodes in others]).sorts - {DATED})
    runs = {number: [parts[node] for node in last_run(list(parts), signs)] for number, parts in pages.items()}
    dropped = {number: _Part(*map(sum, zip(*run, strict=True))) for number, run in runs.items() if len(run) > 1}
    return Exclusion(f"./{tag}", "last", signs), dropped


def _cut_steps(node: HtmlElement) -> Iterator[tuple[int, str]]:
    if plain_name(node.tag):
        yield from names_of(node)
        if node.tag not in LOOSE:
            yield 4, node.tag


def _children(container: Container, *, reverse: bool) -> Iterator[tuple[HtmlElement, int, int]]:
    """The container's children from one end, each with the characters of all text and of the article's.

    That is the text in it, and the loose text beside it on that end's side.
    """
    profile = container.profile
    children: list[tuple[HtmlElement, int, int]] = []
    position, end = container.position + 1, profile.ends[container.position]
    before, foreign_before = fold(leading_text(profile.nodes[container.position])), False
    while position < end:
        node = profile.nodes[position]
        tail, foreign = fold(following_text(node)), bool(container.foreign) and container.foreign[position]
        text, is_foreign = (tail, foreign) if reverse else (before, foreign_before)
        verdict = None if not text else False if is_foreign else container.holds(text)
        size, own = container.known[position], container.own[position]
        own = 0 if container.is_other(position) else own
        loose = 0 if verdict is None else len(text)
        children.append((node, size + loose, own + (loose if verdict else 0)))
        before, foreign_before = tail, foreign
        position = profile.ends[position]
    return reversed(children) if reverse else iter(children)
