"""The article: rules for the container of the text that a feed entry brings, and for what to drop from it.

A picture may be outside of the container, as on photographers' blogs; its place is learned like that of a title.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import lxml.html

from blogcrawler.dom import clean_listings, drop_permalinks, inline_text, is_dialog
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.serialise import INLINE
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.induce import TOLERANCE, Learned, NodeScores, induce
from blogcrawler.wrapper.core.rules import select
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL
from blogcrawler.wrapper.core.training import SHOWN, DateReader, file_name, languages_of
from blogcrawler.wrapper.fields.evidence import best_node
from blogcrawler.wrapper.refinements.captions import MEDIA, files_of, illustrate
from blogcrawler.wrapper.refinements.cleaning import learn_exclusions, learn_more_exclusions
from blogcrawler.wrapper.refinements.container import Container
from blogcrawler.wrapper.refinements.exclusions import Exclusions, clean
from blogcrawler.wrapper.refinements.own_text import Mode, PageComparison, compare_pages, own_sizes, own_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import LocatedPage, ProfiledPage
    from blogcrawler.wrapper.fields.evidence import Evidence

MINIMUM = 0.3
"""Score of a page's best element below which the page does not show the article."""
SUPPORT: dict[Mode, float] = {"full": 0.2, "spread": 0.2, "summary": 0.5}
"""Share of the pages on which a part must be found to be dropped from the container."""
MOST_PAGES = 0.5
"""Share of all pages that must have media outside of the container."""
FEWEST_PAGES = 2
"""Minimum number of pages with such media."""


@dataclass(frozen=True)
class Article:
    """How to extract the article from a page: rules for its container, and what to drop from it."""

    rules: tuple[Learned, ...]
    exclusions: Exclusions = field(default_factory=Exclusions, metadata=INLINE)
    mode: Mode = "full"
    #: rule for what all posts show outside of the container
    picture: Learned | None = None
    #: whether the container has all text of the pages, so that it does not locate the article
    is_whole_page: bool = False
    #: whether a heading with the title is not part of articles, as a feed with articles shows
    begins_below_title: bool = True

    def locate(self, tree: HtmlElement) -> tuple[HtmlElement, Learned] | None:
        """The container in a page, and its rule; or else the picture."""
        located = _first_container(self.rules, partial(select, tree))
        if located is not None:
            return located
        picture = find_picture(tree, self.picture)
        return (picture, self.picture) if picture is not None and self.picture else None

    def extract(self, tree: HtmlElement, container: HtmlElement) -> HtmlElement:
        """The article of a page with this container; the page is not changed."""
        is_picture = container is find_picture(tree, self.picture)
        article = lxml.html.Element("div") if is_picture else self.clean_copy(container)
        return add_picture(article, tree, self.picture)

    def clean_copy(self, container: HtmlElement) -> HtmlElement:
        """A copy of the container with only the article; the page is not changed."""
        copy: HtmlElement = deepcopy(container)
        copy.tail = None
        clean(copy, self.exclusions)
        for dialog in [node for node in copy.iterdescendants("*") if is_dialog(node)]:
            dialog.drop_tree()
        clean_listings(copy)
        drop_permalinks(copy)
        return copy


def _first_container(
    rules: Sequence[Learned], select_in: Callable[[str], Sequence[HtmlElement]]
) -> tuple[HtmlElement, Learned] | None:
    """The first element with text, or else with media, that rules select in a page, and its rule."""
    for holds in (_has_text, _has_media):
        for learned in rules:
            for node in select_in(learned.rule.xpath):
                if holds(node):
                    return node, learned
    return None


def drop_title(article: HtmlElement, title: str | None) -> None:
    """Remove, in place, a heading from the start of an article that only repeats the post's title."""
    heading = next((node for node in article.iter(*HEADINGS) if node is not article), None)
    said = inline_text(heading) if heading is not None and title else ""
    if heading is not None and said and fold(said) == fold(title or "") and inline_text(article).startswith(said):
        heading.drop_tree()


def learn_article(pages: Sequence[ProfiledPage], evidence: Evidence) -> Article:
    """Learn container and exclusions. O(n) in the size of the pages and entries."""
    rules = induce([evidence.scores[page] for page in pages if page in evidence.scores], MINIMUM)
    if not rules:
        return Article(())
    containers = _containers(pages, Article(rules), evidence.mode, evidence.comparison)
    is_summary = evidence.mode == "summary"
    support = SUPPORT[evidence.mode]
    gone = learn_exclusions(containers, support=support, is_guessed=is_summary)
    is_below = evidence.mode != "full" or 2 * sum(page.title in page.shingles for page in pages) < len(pages)
    picture = None if is_summary else learn_picture(locate(pages, Article(rules)))
    return Article(rules, gone, evidence.mode, picture, _are_whole_pages(containers, evidence.mode), is_below)


def locate(pages: Sequence[ProfiledPage], article: Article) -> list[LocatedPage]:
    """The pages with the container of the article that one of the rules finds."""
    located = ((page, _first_container(article.rules, page.lookup.select)) for page in pages)
    return [page.located(*container) if container else page.located(None) for page, container in located]


def _are_whole_pages(containers: Sequence[Container], mode: Mode) -> bool:
    """True if containers hold all text of most pages; nearly all is enough if no entry has the whole article."""
    least = 1.0 if mode == "full" else NEARLY_ALL
    whole = sum(
        container.profile.sizes[container.position] >= least * container.profile.sizes[0] for container in containers
    )
    return 2 * whole > len(containers)


def refine_article(article: Article, pages: Sequence[ProfiledPage], sample: Sequence[ProfiledPage]) -> Article:
    """Learn further exclusions from posts that the feed does not have; `pages` are those of the feed. O(n). As with a
    feed of summaries, the sample's text is compared between pages to find that of the template and of readers."""
    comparison = compare_pages([*pages, *sample], DateReader(languages_of(pages)))
    training = _containers(pages, article, article.mode, comparison)
    others = _containers(sample, article, "summary", comparison)
    return replace(article, exclusions=learn_more_exclusions(article.exclusions, others, training))


def _containers(
    pages: Sequence[ProfiledPage], article: Article, mode: Mode, comparison: PageComparison
) -> list[Container]:
    """The article's containers on the pages that have one, with the article's pictures."""
    containers = [(page, container) for page in pages if (container := _container(page, article, mode, comparison))]
    return illustrate(
        [one for _, one in containers], [files_of(page.entry_article.iter("*")) for page, _ in containers]
    )


def _container(page: ProfiledPage, article: Article, mode: Mode, comparison: PageComparison) -> Container | None:
    """The article's container on a page, with the sizes of the article's text in it."""
    located = _first_container(article.rules, page.lookup.select) or article.locate(page.tree)
    return page.once(_measured, located[0], mode, comparison) if located is not None else None


def _measured(page: ProfiledPage, node: HtmlElement, mode: Mode, comparison: PageComparison) -> Container:
    position = page.profile.positions[node]
    holds, foreign = own_text(page, mode, comparison), comparison.foreign.get(page, [])
    own, known = own_sizes(page.profile, holds, page.shingles if mode == "summary" else "names", foreign, position)
    return Container(page.profile, position, own, known, holds, foreign)


def nearest_to_article(scores: NodeScores | None, rules: Sequence[Learned]) -> HtmlElement | None:
    """The element most similar to the article; of several equally similar ones, the one that the first rule selects."""
    if scores is None or scores.best < MINIMUM or not rules:
        return None
    nodes = scores.lookup.select(rules[0].rule.xpath)[:1]
    is_as_good = scores.score(rules[0].rule) >= scores.best - TOLERANCE
    return nodes[0] if nodes and is_as_good else best_node(scores)


def is_empty(node: HtmlElement) -> bool:
    """True if an element holds neither text nor media."""
    return not _has_text(node) and not _has_media(node)


def _has_text(node: HtmlElement) -> bool:
    return any(text.strip() for text in node.itertext())


def _has_media(node: HtmlElement) -> bool:
    return next(node.iter(*MEDIA), None) is not None


def learn_picture(pages: Sequence[LocatedPage]) -> Learned | None:
    """The rule for the element with all media of the entries, if the container has none of them. O(n) in the pages."""
    places_by_page = {page: places for page in pages if (places := _places(page))}
    apart = [
        page for page, places in places_by_page.items() if not any(map(_container_range(page).__contains__, places))
    ]
    if len(apart) < max(FEWEST_PAGES, NEARLY_ALL * len(places_by_page)) or len(apart) <= MOST_PAGES * len(pages):
        return None
    rules = induce([_scores(page, places_by_page[page]) for page in apart], NEARLY_ALL)
    return rules[0] if rules and rules[0].support >= NEARLY_ALL else None


def find_picture(tree: HtmlElement, learned: Learned | None) -> HtmlElement | None:
    """The element with the media that a post shows outside of its text; None if there is none."""
    nodes = select(tree, learned.rule.xpath) if learned else []
    return next((node for node in nodes[:1] if next(node.iter(*SHOWN), None) is not None), None)


def add_picture(article: HtmlElement, tree: HtmlElement, learned: Learned | None) -> HtmlElement:
    """An article with the media outside of its text inserted first, in place. O(n)."""
    picture = find_picture(tree, learned)
    if picture is None or {*map(file_name, picture.iter(*SHOWN))} & {*map(file_name, article.iter(*SHOWN))}:
        return article
    copy = deepcopy(picture)
    copy.tail, article.text = article.text, None
    article.insert(0, copy)
    return article


def _places(page: ProfiledPage) -> list[int]:
    """Positions of the entry's media; empty unless the page has all of them."""
    nodes = enumerate(page.profile.nodes if page.media else ())
    places = {file_name(node): at for at, node in nodes if node.tag in SHOWN and file_name(node) in page.media}
    return list(places.values()) if len(places) == len(page.media) else []


def _container_range(page: LocatedPage) -> range:
    """Positions of the nodes in the article's container; empty without a container."""
    return page.profile.subtree(page.profile.positions[page.article]) if page.article is not None else range(0)


def _scores(page: ProfiledPage, places: Sequence[int]) -> NodeScores:
    """Score 1 for nodes that hold all of the media and no text."""
    profile = page.profile
    common = set(profile.around(places[0])).intersection(*map(profile.around, places[1:]))
    return NodeScores(page.lookup, {(profile.nodes[at], ""): 1.0 for at in common if not profile.sizes[at]})
