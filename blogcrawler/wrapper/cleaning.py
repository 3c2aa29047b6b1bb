"""What is inside an article's container and is not the article: share bars, bylines, tags, comments.

Each node in the containers of training pages holds text of the article (text that the feed has; or, where the feed has
summaries, text that is no link and is on no other page), or other text, or both. A relative rule that selects only
nodes with other text, on several pages, is an exclusion. Where what comes before and after an article has no names (a
heading, then paragraphs by readers), a cut drops all from one of the container's children on, to one of its ends.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from blogcrawler.dom.tags import BLOCKS, HEADINGS
from blogcrawler.wrapper.container import Container, Remains
from blogcrawler.wrapper.exclusions import LOOSE, PARTS, SHAPE, Exclusion, Exclusions, Key, key_of, relative_rules
from blogcrawler.wrapper.recurring import HEADING, has_number, phrase_of, recurring_phrases
from blogcrawler.wrapper.rules import NAMED, names_of, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

LEAST = 2, 0.1
"""Number and share of the pages on which a wording recurs, where the feed tells that it is none of the article's."""
SAMPLED, SAMPLE_SUPPORT, NEARLY_ALL = 3, 0.2, 0.8
"""Number and share of a sample's posts on which something recurs, and the share that has what the template repeats
word for word: what fewer have, an author may repeat."""
KEPT = frozenset(["pre", "table"])
"""Elements that are an article's own as a whole, where no feed tells that they are not."""
LOSS = 0.02
"""Share of article text among all that an exclusion drops on the training pages, at most."""
UNTOLD = 0.8
"""Share of the pages on which the place of such an element as articles have must drop something."""


def learn_exclusions(
    containers: Sequence[Container], *, support: float, inline: bool, keep_headings: bool = False
) -> Exclusions:
    """What to drop from the container on every page of the blog, as the share `support` of the pages shows. O(n).

    Without `inline`, elements within a line of text stay; with `keep_headings`, recurring headings of one post's text.
    """
    minimum = max(min(2, len(containers)), support * len(containers))
    cuts = [*learn_cut(containers, minimum, "after"), *learn_cut(containers, minimum, "before")]
    pages = [Remains(container, cuts, keeps_amid=keep_headings) for container in containers]
    most = NEARLY_ALL * len(containers) if keep_headings else 0
    terms = _Terms(minimum, inline, keep_headings, (minimum, 0) if keep_headings else LEAST, repeated=most)
    return _learn_nodes(pages, cuts, terms)


def learn_more_exclusions(known: Exclusions, sample: Sequence[Container], training: Sequence[Container]) -> Exclusions:
    """What to drop besides, by posts that taught no rule. O(n) in the nodes of containers.

    The sample's articles are not known: so only elements with names, and blocks by their wording, are dropped that
    recur on many posts, and hold no text of the article on any page.
    """
    pages = [Remains(container, known.nodes, keeps_amid=True) for container in (*sample, *training)]
    minimum, most = (max(SAMPLED, share * len(sample)) for share in (SAMPLE_SUPPORT, NEARLY_ALL))
    more = _learn_nodes(pages, (), _Terms(minimum, False, True, (most, 0), NAMED, most))
    short = (phrase for phrase in more.phrases if len(phrase) <= HEADING)  # longer ones are prose, as of a series
    return Exclusions((*known.nodes, *more.nodes), (*known.phrases, *short), (*known.headings, *more.headings))


class _Terms(NamedTuple):
    #: pages on which it drops something
    minimum: float
    #: whether elements within a line are dropped, too
    inline: bool
    keep_headings: bool
    #: number and share of the pages on which a wording recurs
    wording: tuple[float, float]
    #: highest kind of expression
    kind: int = 99
    #: pages from which the template has what they repeat word for word; on fewer an author may
    repeated: float = 0


def _learn_nodes(pages: Sequence[Remains], cuts: Sequence[Exclusion], terms: _Terms) -> Exclusions:
    """Exclusions of single nodes, behind the cuts that were made."""
    found: dict[Key, set[tuple[int, int]]] = defaultdict(set)
    for number, page in enumerate(pages):
        for position in page.others:
            node = page.container.profile.nodes[position]
            if terms.inline or node.tag in BLOCKS:
                if terms.keep_headings and _is_of_listing_or_table(node, page.root):
                    continue  # posts of one blog show the same code and have the same columns
                is_section = page.is_section(position)
                for key in relative_rules(node, page.root):
                    if not (is_section and key.kind == 0) and (key.kind <= terms.kind or key.kind == SHAPE):
                        found[key].add((number, position))
    for key, places in list(found.items()):
        may_be_authors = terms.kind == NAMED or all(pages[number].is_plain(position) for number, position in places)
        if len(places) < terms.repeated and may_be_authors and _is_repeated(places, pages):
            del found[key]
    chosen = list(_choose(found, pages, terms))
    gone = {place for key in chosen for place in found[key]}
    phrases, headings = (_learn_phrases(pages, gone, terms, headings=which) for which in (False, True))
    return Exclusions((*cuts, *(Exclusion(key.xpath) for key in chosen)), phrases, headings)


def _is_repeated(places: set[tuple[int, int]], pages: Sequence[Remains]) -> bool:
    return len(places) > 1 and len({" ".join(pages[number].pieces(position)) for number, position in places}) == 1


def _is_of_listing_or_table(node: HtmlElement, root: HtmlElement) -> bool:
    """True if a node is a listing or table of the article, or a part of one."""
    for element in (node, *node.iterancestors()):
        if element is root:
            return False
        if element.tag in KEPT:
            return True
    return False


def _learn_phrases(
    pages: Sequence[Remains], gone: set[tuple[int, int]], terms: _Terms, *, headings: bool
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
    own = (piece for page in pages for piece in page.own_pieces())
    found = recurring_phrases(left, max(least, share * len(pages)), own)
    if not terms.keep_headings:
        return found
    sure = recurring_phrases(left, max(least, NEARLY_ALL * len(pages)))
    plain = {phrase_of(piece) for page in pages for at in page.others if page.is_plain(at) for piece in page.pieces(at)}
    told = {phrase for phrase in found if len(phrase) <= HEADING and (phrase not in plain or has_number(phrase))}
    return tuple(phrase for phrase in found if phrase in told.union(sure))  # an author may repeat the rest


def _choose(found: dict[Key, set[tuple[int, int]]], pages: Sequence[Remains], terms: _Terms) -> Iterator[Key]:
    """The expressions that drop most, as long as each drops something new and next to nothing of the article."""
    gains = {key: sum(pages[number].others[position] for number, position in dropped) for key, dropped in found.items()}
    gone: set[tuple[int, int]] = set()
    for key in sorted(found, key=lambda key: (-gains[key], key)):
        fresh = found[key] - gone
        if len({number for number, _ in fresh}) >= terms.minimum:
            own = sum(page.own(key.xpath) for page in pages)
            if own <= LOSS * (own + gains[key]):
                yield key
                gone |= fresh


class _Part(NamedTuple):
    """What a cut drops of a container: characters of other text, and of the article's."""

    other: int
    own: int


def learn_cut(containers: Sequence[Container], minimum: float, extent: Literal["after", "before"]) -> list[Exclusion]:
    """The one cut that drops most, if any: at the first or last of the container's children with a name or tag.

    Where an article may have such elements itself, it is the one at the container's end, on nearly all pages.
    """
    dropped: dict[Key, dict[int, _Part]] = defaultdict(dict)
    near, far = ("[last()]", "[1]") if extent == "after" else ("[1]", "[last()]")
    for number, container in enumerate(containers):
        other = own = 0
        first: set[str] = set()
        for child, text, held in container.children(reverse=extent == "after"):
            other, own = other + text - held, own + held
            part = _Part(other, own)
            for kind, step in _cut_steps(child) if container.shows(child) else ():
                if step not in first:
                    dropped[key_of(kind, f"(./{step}){near}")][number] = part
                    first.add(step)
                if not _is_doubtful(step):
                    dropped[key_of(kind, f"(./{step}){far}")][number] = part
    chosen: list[tuple[int, Key]] = []
    for key, parts in dropped.items():
        is_doubtful = _is_doubtful(key.xpath[3:].partition(")")[0])
        least = max(minimum, UNTOLD * len(containers)) if is_doubtful else minimum
        if gain := _gain(parts, least):
            chosen.append((-gain, key))
    return [Exclusion(min(chosen)[1].xpath, extent)] if chosen else []


def _is_doubtful(step: str) -> bool:
    """True for a mere tag of elements that an article may have itself."""
    return step in HEADINGS or step in PARTS


def _gain(parts: dict[int, _Part], minimum: float) -> int:
    """Characters that a cut drops; 0 where it does so on too few pages, or drops too much of the article."""
    gain, loss = sum(part.other for part in parts.values()), sum(part.own for part in parts.values())
    is_frequent = sum(part.other > 0 for part in parts.values()) >= minimum
    return gain if is_frequent and loss <= LOSS * (loss + gain) else 0


def _cut_steps(node: HtmlElement) -> Iterator[tuple[int, str]]:
    if plain_name(node.tag):
        yield from names_of(node)
        if node.tag not in LOOSE:
            yield 4, node.tag
