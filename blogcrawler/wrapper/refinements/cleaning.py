"""Learn what is inside an article's container but not part of the article: share bars, bylines, tags, comments.

Each node in the containers of training pages holds text of the article (text that the feed has; or, with a feed of
summaries, text outside of links that no other page has), or other text, or both. A relative rule that selects only
nodes with other text, on several pages, is an exclusion. If the texts before and behind an article have no names (a
heading, then readers' paragraphs), a cut drops everything from one of the container's children to one of its ends.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from blogcrawler.dom.tags import BLOCKS, HEADINGS
from blogcrawler.wrapper.core.rules import NAMED, names_of, plain_name
from blogcrawler.wrapper.core.thresholds import MOST
from blogcrawler.wrapper.refinements.container import Container, Remains
from blogcrawler.wrapper.refinements.exclusions import (
    LOOSE,
    PARTS,
    SHAPE,
    Exclusion,
    Exclusions,
    Key,
    key_of,
    relative_rules,
)
from blogcrawler.wrapper.refinements.recurring import HEADING, has_number, phrase_of, recurring_phrases

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lxml.html import HtmlElement

LEAST = 0.1
"""Share of the pages, and at least two, on which a wording must recur to be dropped, if the feed shows that it is not
the article's."""
SAMPLED, SAMPLE_SUPPORT = 3, 0.2
"""Minimum number and share of a sample's posts in which a part must recur. Parts that are repeated word for word, or
that are in elements of articles, must recur in the share `MOST`: an author may repeat what fewer posts have."""
LOSS = 0.02
"""Maximum share of article text in all text that an exclusion drops on the training pages."""


def learn_exclusions(containers: Sequence[Container], *, support: float, is_guessed: bool) -> Exclusions:
    """Learn what to drop from the container on every page of the blog, if a share `support` of the pages shows it.
    O(n).

    If the article's text `is_guessed`, since no feed shows it, inline elements and what authors repeat are kept.
    """
    minimum = max(min(2, len(containers)), support * len(containers))
    cuts = [*learn_cut(containers, minimum, "after"), *learn_cut(containers, minimum, "before")]
    pages = [Remains(container, cuts, is_guessed=is_guessed) for container in containers]
    most = MOST * len(containers) if is_guessed else 0
    wording = minimum if is_guessed else max(2, LEAST * len(containers))
    terms = _Terms(minimum, is_guessed, wording, repeated=most)
    return _learn_nodes(pages, cuts, terms)


def learn_more_exclusions(known: Exclusions, sample: Sequence[Container], training: Sequence[Container]) -> Exclusions:
    """Learn further exclusions from posts that taught no rule. O(n) in the nodes of containers.

    The sample's articles are unknown. So only elements with names, and blocks by their wording, are dropped that recur
    on many posts and hold no text of the article on any page.
    """
    pages = [Remains(container, known.nodes, is_guessed=True) for container in (*sample, *training)]
    minimum, most = (max(SAMPLED, share * len(sample)) for share in (SAMPLE_SUPPORT, MOST))
    more = _learn_nodes(pages, (), _Terms(minimum, True, most, NAMED, most))
    # longer phrases are prose, such as that of a series
    short = (phrase for phrase in more.phrases if len(phrase) <= HEADING)
    return Exclusions((*known.nodes, *more.nodes), (*known.phrases, *short))


class _Terms(NamedTuple):
    #: minimum number of pages on which an exclusion drops something
    minimum: float
    #: whether no feed shows the article's text
    is_guessed: bool
    #: minimum number of pages with the same wording
    wording: float
    #: highest kind of expression
    kind: int = 99
    #: number of pages at or above which a part that is repeated word for word is the template's, not an author's
    repeated: float = 0


def _learn_nodes(pages: Sequence[Remains], cuts: Sequence[Exclusion], terms: _Terms) -> Exclusions:
    """Exclusions of single nodes, in addition to the cuts."""
    places_by_key: dict[Key, set[tuple[int, int]]] = defaultdict(set)
    for number, page in enumerate(pages):
        for position in page.others:
            node = page.container.profile.nodes[position]
            if not terms.is_guessed or node.tag in BLOCKS:
                is_section = page.is_section(position)
                for key in relative_rules(node, page.root):
                    if not (is_section and key.kind == 0) and (key.kind <= terms.kind or key.kind == SHAPE):
                        places_by_key[key].add((number, position))
    for key, places in list(places_by_key.items()):
        may_be_authors = terms.kind == NAMED or all(pages[number].is_plain(position) for number, position in places)
        if len(places) < terms.repeated and may_be_authors and _is_repeated(places, pages):
            del places_by_key[key]
    chosen = list(_choose(places_by_key, pages, terms))
    gone = {place for key in chosen for place in places_by_key[key]}
    return Exclusions((*cuts, *(Exclusion(key.xpath) for key in chosen)), _learn_phrases(pages, gone, terms))


def _is_repeated(places: set[tuple[int, int]], pages: Sequence[Remains]) -> bool:
    return len(places) > 1 and len({" ".join(pages[number].pieces(position)) for number, position in places}) == 1


def _learn_phrases(pages: Sequence[Remains], gone: set[tuple[int, int]], terms: _Terms) -> tuple[str, ...]:
    """The wording of recurring texts that no exclusion drops."""
    remaining = [
        [
            piece
            for at in page.others
            if (number, at) not in gone and not (terms.is_guessed and page.may_be_own(at))
            for piece in page.pieces(at)
        ]
        for number, page in enumerate(pages)
    ]
    own = (piece for page in pages for piece in page.own_pieces())
    phrases = recurring_phrases(remaining, terms.wording, own)
    if not terms.is_guessed:
        return phrases
    sure = recurring_phrases(remaining, max(terms.wording, MOST * len(pages)))
    plain = {phrase_of(piece) for page in pages for at in page.others if page.is_plain(at) for piece in page.pieces(at)}
    sure_parts = {
        phrase for phrase in phrases if len(phrase) <= HEADING and (phrase not in plain or has_number(phrase))
    }
    return tuple(phrase for phrase in phrases if phrase in sure_parts.union(sure))  # an author may repeat the rest


def _choose(places_by_key: dict[Key, set[tuple[int, int]]], pages: Sequence[Remains], terms: _Terms) -> Iterator[Key]:
    """The expressions that drop most, as long as each drops something new and hardly any text of the article."""
    gains = {
        key: sum(pages[number].others[position] for number, position in dropped)
        for key, dropped in places_by_key.items()
    }
    gone: set[tuple[int, int]] = set()
    for key in sorted(places_by_key, key=lambda key: (-gains[key], key)):
        fresh = places_by_key[key] - gone
        if len({number for number, _ in fresh}) >= terms.minimum:
            own = sum(page.own(key.xpath) for page in pages)
            if own <= LOSS * (own + gains[key]):
                yield key
                gone |= fresh


def learn_cut(containers: Sequence[Container], minimum: float, extent: Literal["after", "before"]) -> list[Exclusion]:
    """The cut that drops most; None if there is none. It begins at the first or last of the container's children with a
    name or tag. For elements that an article may have itself, it must be at the container's end on nearly all pages."""
    #: characters of other text, and of the article's text, that a cut drops from each container
    dropped: dict[Key, dict[int, tuple[int, int]]] = defaultdict(dict)
    near, far = ("[last()]", "[1]") if extent == "after" else ("[1]", "[last()]")
    for number, container in enumerate(containers):
        other = own = 0
        first: set[str] = set()
        for child, text, held in container.children(reverse=extent == "after"):
            other, own = other + text - held, own + held
            for kind, step in _cut_steps(child) if container.shows(child) else ():
                if step not in first:
                    dropped[key_of(kind, f"(./{step}){near}")][number] = other, own
                    first.add(step)
                if not _is_doubtful(step):
                    dropped[key_of(kind, f"(./{step}){far}")][number] = other, own
    most = max(minimum, MOST * len(containers))
    gains = {
        key: _gain(parts.values(), most if _is_doubtful(key.xpath[3:].partition(")")[0]) else minimum)
        for key, parts in dropped.items()
    }
    best = min(gains, key=lambda key: (-gains[key], key), default=None)
    return [Exclusion(best.xpath, extent)] if best is not None and gains[best] else []


def _is_doubtful(step: str) -> bool:
    """True for the mere tag of an element that an article may have itself."""
    return step in HEADINGS or step in PARTS


def _gain(parts: Collection[tuple[int, int]], minimum: float) -> int:
    """Number of characters that a cut drops; 0 if it drops something on too few pages, or too much of the article."""
    gain, loss = map(sum, zip(*parts, strict=True))
    is_frequent = sum(other > 0 for other, _ in parts) >= minimum
    return gain if is_frequent and loss <= LOSS * (loss + gain) else 0


def _cut_steps(node: HtmlElement) -> Iterator[tuple[int, str]]:
    if plain_name(node.tag):
        yield from names_of(node)
        if node.tag not in LOOSE:
            yield 4, node.tag
