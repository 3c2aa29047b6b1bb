"""The article: the container of the text that a feed entry brings, whole or as a summary.

There are three cases, told apart by what the entries turn out to be:

- `full`: entries hold complete articles, and on most pages one element holds the same text. Its score is Dice's, as in
  the paper, times the agreement of the lengths.
- `spread`: entries hold complete articles, but no element holds just that: the article lies loose between the title and
  the readers' comments. The element with all of it and least besides is taken, and cleaning does the rest.
- `summary`: entries hold the beginning of an article, or a description of it. The element is taken that holds the
  summary and most text that is this page's own: no link, and not on other pages.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import takewhile
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, Self

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.dom import clean_listings, drop_permalinks
from blogcrawler.dom.tags import SILENT
from blogcrawler.similarity import dice, fold
from blogcrawler.wrapper.cleaning import (
    Container,
    Exclusion,
    Exclusions,
    clean,
    learn_exclusions,
    learn_more_exclusions,
)
from blogcrawler.wrapper.discussion import discussions
from blogcrawler.wrapper.induce import TOLERANCE, Learned, NodeScores, induce
from blogcrawler.wrapper.recurring import template_form
from blogcrawler.wrapper.rules import names_of, select
from blogcrawler.wrapper.teasers import teasers
from blogcrawler.wrapper.training import DateReader, file_name, languages_of
from blogcrawler.wrapper.undated import form_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.profile import Profile
    from blogcrawler.wrapper.training import TrainingPage

__all__ = [
    "Article",
    "Evidence",
    "full_scores",
    "gather_evidence",
    "is_empty",
    "learn_article",
    "refine_article",
    "spread_scores",
    "summary_scores",
]

Mode = Literal["full", "spread", "summary"]

NO_ARTICLE = (
    frozenset(
        [
            "a",
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "li",
            "ul",
            "ol",
            "pre",
            "blockquote",
            "figure",
            "span",
            "em",
            "strong",
            "b",
            "i",
            "time",
            "html",
            "title",
            "img",
        ]
    )
    | SILENT
)
"""An article is in no such element; one that seems to be is a part of it (AdaptivePost, section III-D2)."""
MEDIA = ("img", "iframe", "video", "audio", "embed", "object")
FULL = 0.8
"""Score from which an element holds the same as the entry."""
WHOLE = 0.85
"""Score from which an element holds all of the entry."""
WORDS = 40
"""Characters from which the text of a link is more than a name or title."""
MINIMUM = 0.3
"""A page whose best element scores less does not show the article."""
FOUND = 0.8
"""Share of a summary's bigrams that a container of the article must hold."""
JUNK = 1.5
"""Weight of text that recurs on other pages, or is a link, against text that is this page's own."""
BYLINE = 80
"""Characters of a text that says when and by whom a post was written."""
DATED = 5
"""Words of a date: with weekday and time."""
BESIDE = 4
"""Words of a byline besides names and date."""
LONG = 3
"""Blocks of an entry that is more than a summary."""
MORE = 2.0
"""So many times as long as what an entry brings is the article of which that is but a part, at least."""
FEWEST_PARTS = 2
"""Pages that must show it, where there are more."""
MARKS = " /|\\<>«»‹›·•→:-–—"
"""What stands between the steps of a trail of links to a page."""
SIGNS = 8
"""Characters of them."""
SHELL = 0.005
"""An element around one that holds the same text is a little worse than that one."""
NEAR = 0.03
"""Containers within this share of the best are as good; the smallest of them wins."""
SUPPORT: dict[Mode, float] = {"full": 0.2, "spread": 0.2, "summary": 0.5}
"""Share of pages on which what is to be dropped from the container must be found."""


@dataclass(frozen=True)
class Article:
    """How to get the article from a page: rules for its container, and what to drop from it."""

    rules: tuple[Learned, ...]
    exclusions: Exclusions = field(default_factory=Exclusions)
    mode: Mode = "full"

    def locate(self, tree: HtmlElement) -> tuple[HtmlElement, Learned] | None:
        """The container in a page, and the rule that found it: the first that selects one with text, or with media."""
        for holds in (_has_text, _has_media):
            for learned in self.rules:
                for node in select(tree, learned.rule.xpath):
                    if holds(node):
                        return node, learned
        return None

    def clean_copy(self, container: HtmlElement) -> HtmlElement:
        """The container without what is not the article; the page is left as it is."""
        copy: HtmlElement = deepcopy(container)
        copy.tail = None
        clean(copy, self.exclusions)
        clean_listings(copy)
        drop_permalinks(copy)
        return copy

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        return {
            "rules": [learned.to_dict() for learned in self.rules],
            "exclusions": [{"xpath": item.xpath, "extent": item.extent} for item in self.exclusions.nodes],
            "phrases": list(self.exclusions.phrases),
            "headings": list(self.exclusions.headings),
            "mode": self.mode,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        return cls(
            tuple(Learned.from_dict(item) for item in data["rules"]),
            Exclusions(
                tuple(Exclusion(**item) for item in data["exclusions"]),
                tuple(data["phrases"]),
                tuple(data["headings"]),
            ),
            data["mode"],
        )


def learn_article(pages: Sequence[TrainingPage], evidence: Evidence) -> Article:
    """Learn container and exclusions, and tell each page where its article is; pages that the evidence was gathered of.

    O(n) in the size of the pages and entries.
    """
    mode, told = evidence.mode, evidence.told
    rules = induce([evidence.scores[page] for page in pages if page in evidence.scores], MINIMUM)
    if not rules:
        return Article(())
    for page in pages:
        page.nearest = _nearest(evidence.scores.get(page), rules)
    containers = [container for page in pages if (container := _container(page, Article(rules), mode, told))]
    is_summary = mode == "summary"
    gone = learn_exclusions(containers, support=SUPPORT[mode], inline=not is_summary, keep_headings=is_summary)
    return Article(rules, gone, mode)


def refine_article(article: Article, pages: Sequence[TrainingPage], sample: Sequence[TrainingPage]) -> Article:
    """Learn what more to drop from posts that the feed does not have; `pages` are those of the feed.

    What their text is nobody tells: it is told from the template's and the readers' as where a feed has summaries.
    O(n) in the size of the pages.
    """
    told = _tell([*pages, *sample], DateReader(languages_of(pages)))
    training = [found for page in pages if (found := _container(page, article, article.mode, told))]
    others = [found for page in sample if (found := _container(page, article, "summary", told))]
    return replace(article, exclusions=learn_more_exclusions(article.exclusions, others, training))


def _container(page: TrainingPage, article: Article, mode: Mode, told: _Told) -> Container | None:
    """The article's container on a page, which is told, and what in it is the article's."""
    found = article.locate(page.tree)
    if found is None:
        return None
    page.set_article(*found)
    position = page.profile.positions[found[0]]
    holds, foreign = _own_text(page, mode, told), told.foreign.get(page, [])
    own, known = _own_sizes(page.profile, holds, "none" if mode == "summary" else "names", foreign, position)
    return Container(page.profile, position, own, known, holds, foreign)


def _nearest(scores: NodeScores | None, rules: Sequence[Learned]) -> HtmlElement | None:
    """The element that is most like the article; of several that are alike, the one that the first rule selects."""
    if scores is None or scores.best < MINIMUM:
        return None
    nodes = scores.lookup.select(rules[0].rule.xpath)[:1]
    is_as_good = scores.score(rules[0].rule) >= scores.best - TOLERANCE
    return nodes[0] if nodes and is_as_good else _best(scores)


def _best(scores: NodeScores) -> HtmlElement:
    return max(scores.of, key=scores.of.__getitem__)[0]


def _is_whole(page: TrainingPage, scores: NodeScores) -> bool:
    """Does the best element hold the entry's text, and not just one as long with the same letters?"""
    if scores.best < FULL:
        return False
    node = _best(scores)
    pieces = (piece for at in page.profile.subtree(page.position(node) or 0) for piece in page.profile.pieces[at])
    return 2 * sum(len(piece) for piece in pieces if page.shingles.hold(piece)) > page.size


@dataclass(frozen=True)
class _Told:
    """What pages tell of each other where a summary tells too little."""

    #: pieces of text that are the template's
    shared: frozenset[str] = frozenset()
    #: for each page, pieces of text that say when and by whom the post was written
    bylines: Mapping[TrainingPage, frozenset[str]] = field(default_factory=dict)
    #: for each page, its nodes that stand where readers discuss the post
    foreign: Mapping[TrainingPage, Sequence[bool]] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """What pages show of their articles, before rules are learned of all or some of them."""

    mode: Mode
    #: of the pages whose entries bring text; of all where they bring summaries
    scores: Mapping[TrainingPage, NodeScores]
    told: _Told


def gather_evidence(pages: Sequence[TrainingPage], reader: DateReader) -> Evidence:
    """How well the nodes of each page match its entry. O(n) in the size of the pages and entries."""
    with_text = [page for page in pages if page.size]
    full = {page: full_scores(page) for page in with_text}
    silent = sum(not page.size and not page.images for page in pages)
    told = None
    if len(with_text) > silent:
        whole = [page for page, scores in full.items() if _is_whole(page, scores)]
        if 2 * len(whole) > len(full):
            if not _bring_parts(whole, full, None):
                return Evidence("full", full, _Told())
            told = _tell(pages, reader)
            if not _bring_parts(whole, full, told):
                return Evidence("full", full, _Told())
        elif median(page.blocks for page in with_text) >= LONG:
            spread = {page: spread_scores(page) for page in with_text}
            if median(scores.best for scores in spread.values()) > WHOLE:
                return Evidence("spread", spread, _Told())
    told = told or _tell(pages, reader)
    return Evidence("summary", {page: summary_scores(page, told) for page in pages}, told)


def _bring_parts(pages: Sequence[TrainingPage], scores: Mapping[TrainingPage, NodeScores], told: _Told | None) -> bool:
    """Do entries bring but a part of the article, for which the pages have an element of its own?

    There is more text of the post in other elements of the same form; or, where the entries bring short summaries,
    around it. Pages where it is alone in an element do not tell. Without `told` all text that is no link passes for
    the post's. O(n) in the pages.
    """
    are_short = median(page.blocks for page in pages) < LONG
    parts = telling = 0
    for page in pages:
        position = page.profile.positions[_best(scores[page])]
        telling += not _is_alone(page.profile, position)
        gains, own = _gains(page, told)
        is_part = _text_alike(page.profile, position, own) > MORE * own[position]
        if not is_part and are_short and page.entry.is_summary:
            is_part = max(gains[at] for at in page.profile.around(position)) > MORE * own[position]
        parts += is_part
    return 2 * parts > telling and parts >= min(len(pages), FEWEST_PARTS)


def _is_alone(profile: Profile, position: int) -> bool:
    """Has a node the same text as its parent, or as its first child?"""
    return profile.sizes[profile.parents[position]] == profile.sizes[position] or profile.is_shell(position)


def _text_alike(profile: Profile, position: int, own: Sequence[int]) -> int:
    """Characters of the post's text in all nodes of the form of one; of nodes in each other, in the outermost."""
    form, size, at = form_of(profile, position), 0, 1
    while at < len(profile):
        is_alike = form_of(profile, at) == form
        size += own[at] if is_alike else 0
        at = profile.ends[at] if is_alike else at + 1
    return size


def _tell(pages: Sequence[TrainingPage], reader: DateReader) -> _Told:
    shared = shared_pieces([page.profile for page in pages])
    bylines = {page: byline_pieces(page, reader) for page in pages}
    told = _Told(shared, bylines)

    def is_own(page: TrainingPage, piece: str) -> bool:
        return _is_own(page, piece, told)

    foreign = dict(zip(pages, discussions(pages, reader, is_own), strict=True))
    for page, spans in zip(pages, teasers(pages, is_own), strict=True):
        for start, end in spans:
            foreign[page][start:end] = [True] * (end - start)
    return _Told(shared, bylines, foreign)


def _own_text(page: TrainingPage, mode: Mode, told: _Told) -> Callable[[str], bool | None]:
    if mode != "summary":
        return lambda piece: False if _is_heading(page, piece) else page.shingles.hold(piece)
    return lambda piece: _is_own(page, piece, told)


def _is_own(page: TrainingPage, piece: str, told: _Told) -> bool:
    """Is a piece of text neither the template's nor what the feed says of the post besides its text?"""
    if not piece or piece in told.bylines[page] or _is_title(piece, page.title):
        return False
    return template_form(piece) not in told.shared


def _is_title(piece: str, title: str) -> bool:
    """Is a text the title, as it is or with signs around it, at the end of a trail of links to the page?"""
    return piece == title or (len(piece) <= len(title) + SIGNS and piece.strip(MARKS) == title.strip(MARKS) != "")


def _is_heading(page: TrainingPage, piece: str) -> bool:
    """Is a piece of text the post's title, and no part of the article, however much its words occur there?"""
    return piece == page.title and piece not in page.shingles


def _own_sizes(
    profile: Profile,
    holds: Callable[[str], bool | None],
    links: Literal["text", "names", "none"],
    foreign: Sequence[bool] = (),
    top: int = 0,
) -> tuple[list[int], list[int]]:
    """For each node, characters in its subtree: of the article's text, and of all text that is known to be that or not.

    Nodes that are not below `top` are not read.

    Text in links counts as other text does, or as `names`, which tell nothing where they are short and the article has
    them too (they may be tags), or is never (`none`) the article's. That of `foreign` nodes never is. Lines of code
    that are not known to be the article's tell nothing with `none`, since posts of one blog show the same code.
    """
    own, known = [0] * len(profile), [0] * len(profile)
    in_listings = _inside(profile, "pre", top) if links == "none" else [False] * len(profile)
    for position, in_link, in_listing in zip(
        profile.subtree(top), _inside(profile, "a", top), in_listings, strict=False
    ):
        never = (in_link and links == "none") or (foreign and foreign[position])
        for piece in profile.pieces[position]:
            verdict = False if never else holds(piece)
            if verdict and in_link and links == "names" and len(piece) < WORDS:
                verdict = None
            if not verdict and not never and in_listing:
                verdict = None
            if verdict is not None:
                known[position] += len(piece)
                own[position] += len(piece) if verdict else 0
    for position in reversed(profile.subtree(top)[1:]):
        parent = profile.parents[position]
        own[parent] += own[position]
        known[parent] += known[position]
    return own, known


def _inside(profile: Profile, tag: str, top: int) -> list[bool]:
    """For each node below `top`, is it in an element with a tag, or such an element?"""
    inside: list[bool] = []
    for position in profile.subtree(top):
        parent = profile.parents[position] - top
        inside.append(profile.nodes[position].tag == tag or (parent >= 0 and inside[parent]))
    return inside


def agreement(first: int, second: int) -> float:
    """How alike two lengths are, 0 to 1."""
    return min(first, second) / max(first, second) if first and second else 0.0


def full_scores(page: TrainingPage) -> NodeScores:
    """Scores against a complete article: Dice similarity, and agreement of the lengths.

    Sets of bigrams do not count how often one occurs, so long texts of one language are all alike; the length tells an
    article from the page around it.
    """
    profile, found = page.profile, {}
    for position, node in enumerate(profile.nodes):
        size = profile.sizes[position]
        if size * 3 < page.size or node.tag in NO_ARTICLE:
            continue
        likeness = dice(profile.bigrams[position], page.bigrams) * (0.5 + 0.5 * agreement(size, page.size))
        found[node, ""] = likeness - SHELL * profile.is_shell(position)
    return NodeScores(page.lookup, found)


def spread_scores(page: TrainingPage) -> NodeScores:
    """Scores of the nodes that hold all of a complete article: the less they hold besides the better."""
    profile, found = page.profile, {}
    own, known = _own_sizes(profile, page.shingles.hold, "text")
    for position, node in enumerate(profile.nodes):
        if own[position] * 2 >= page.size and node.tag not in NO_ARTICLE and own[position]:
            recall = min(1.0, own[position] / page.size)
            share = own[position] / known[position]
            found[node, ""] = recall * (0.8 + 0.2 * share) - SHELL * profile.is_shell(position)
    return NodeScores(page.lookup, found)


def shared_pieces(profiles: Sequence[Profile]) -> frozenset[str]:
    """Pieces of text that stand on more than one page, as `template_form` writes them: the template's, not a post's."""
    pages: Counter[str] = Counter()
    for profile in profiles:
        pages.update({template_form(piece) for pieces in profile.pieces for piece in pieces})
    return frozenset(piece for piece, count in pages.items() if count > 1)


def byline_pieces(page: TrainingPage, reader: DateReader) -> frozenset[str]:
    """Pieces of text that hold the entry's author or date, and little besides."""
    names = [name for name in map(fold, page.entry.authors) if name]
    published = Moment.parse_iso(page.entry.published) if page.entry.published else None
    found = set()
    for piece in {piece for pieces in page.profile.pieces for piece in pieces if len(piece) <= BYLINE}:
        rest = piece
        for name in names:
            rest = rest.replace(name, " ")
        if rest != piece and len(rest.split()) <= BESIDE:
            found.add(piece)
        elif published is not None and could_be_date(rest) and len(rest.split()) <= DATED + BESIDE:
            days = [abs((moment.date - published.date).days) for moment in reader.moments(rest)]
            if min(days, default=2) <= 1:
                found.add(piece)
    return frozenset(found)


def summary_scores(page: TrainingPage, told: _Told) -> NodeScores:
    """Scores of the nodes that hold the summary, by the text of the post that they hold besides.

    Of containers that are nearly as good the smallest is taken, so it scores highest, and next those with its text.
    """
    profile, found = page.profile, {}
    gains, _ = _gains(page, told)
    holders = _holders(page)
    best = max((gains[position] for position in holders), default=0.0)
    if best <= 0:
        return media_scores(page)
    near = [position for position in holders if gains[position] >= (1 - NEAR) * best]
    smallest = _around_nameless(profile, min(near, key=lambda position: (profile.sizes[position], -position)))
    for position in holders:
        share = max(0.0, gains[position] / best)
        found[profile.nodes[position], ""] = 0.97 * share
    for level, position in enumerate(_with_same_text(profile, smallest)):
        found[profile.nodes[position], ""] = 1 - SHELL * level
    return NodeScores(page.lookup, found)


def _with_same_text(profile: Profile, position: int) -> Iterator[int]:
    """A node and those that hold nothing besides it, the innermost first: other pages tell which is the container."""
    size = profile.sizes[position]
    return takewhile(lambda at: profile.sizes[at] == size, profile.around(position))


def _around_nameless(profile: Profile, position: int) -> int:
    """A container, or the one with a name that holds just the same: an editor, not the template, put in the other."""
    parent = profile.parents[position]
    whole = parent > 0 and profile.sizes[parent] == profile.sizes[position]
    names = any(True for _ in names_of(profile.nodes[position]))
    if whole and not names and any(True for _ in names_of(profile.nodes[parent])):
        return parent
    return position


def media_scores(page: TrainingPage) -> NodeScores:
    """Scores of the nodes that hold all images of an entry without text: the smaller the better."""
    shown = [node for node in page.profile.nodes if node.tag == "img" and file_name(node) in page.images]
    first: dict[str, HtmlElement] = {}
    for node in shown:
        first.setdefault(file_name(node), node)
    if not first or len(first) < len(page.images):
        return NodeScores(page.lookup, {})
    above = [set(node.iterancestors()) for node in first.values()]
    common = [node for node in next(iter(first.values())).iterancestors() if all(node in others for others in above)]
    holders = [node for node in common if node.tag not in NO_ARTICLE and node.tag != "body"]
    return NodeScores(page.lookup, {(node, ""): 1 - SHELL * level for level, node in enumerate(holders)})


def _holders(page: TrainingPage) -> list[int]:
    """Nodes that hold the summary; all nodes where there is none to be found."""
    profile, wanted = page.profile, page.bigrams.bit_count()
    recalls = [(bigrams & page.bigrams).bit_count() / wanted if wanted else 1.0 for bigrams in profile.bigrams]
    limit = FOUND * max(recalls)
    return [
        position
        for position, node in enumerate(profile.nodes)
        if recalls[position] >= limit and node.tag not in NO_ARTICLE
    ]


def _gains(page: TrainingPage, told: _Told | None) -> tuple[list[float], list[int]]:
    """For each node, characters of the page's own text in its subtree less the weighted rest, and without that."""
    profile = page.profile
    holds = _own_text(page, "summary", told) if told else bool
    own, known = _own_sizes(profile, holds, "none", told.foreign[page] if told else ())
    return [held - JUNK * (size - held) for held, size in zip(own, known, strict=True)], own


def is_empty(node: HtmlElement) -> bool:
    """Does an element hold neither text nor media?"""
    return not _has_text(node) and not _has_media(node)


def _has_text(node: HtmlElement) -> bool:
    return any(text.strip() for text in node.itertext())


def _has_media(node: HtmlElement) -> bool:
    return next(node.iter(*MEDIA), None) is not None
