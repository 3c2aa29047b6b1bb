"""Pictures that stand outside of the element with the article's words, as photographers' blogs have them.

The entries show them, so their place is learned as that of a title is. A post without words is nothing but its picture.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from blogcrawler.wrapper.induce import NodeScores, induce
from blogcrawler.wrapper.rules import select
from blogcrawler.wrapper.training import SHOWN, file_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.induce import Learned
    from blogcrawler.wrapper.training import TrainingPage

NEARLY_ALL = 0.9
"""Share of the pages with media of their entries on which these must stand outside, and which the rule must explain."""
MOST = 0.5
"""Share of all pages that must have them."""
FEWEST = 2
"""Pages that must have them; one may be an accident."""


def learn_picture(pages: Sequence[TrainingPage]) -> Learned | None:
    """The rule for the element with all that entries show, where the container has none of it. O(n) in the pages."""
    shown = {page: places for page in pages if (places := _places(page))}
    apart = [page for page, places in shown.items() if not any(map(_container(page).__contains__, places))]
    if len(apart) < max(FEWEST, NEARLY_ALL * len(shown)) or len(apart) <= MOST * len(pages):
        return None
    rules = induce([_scores(page, shown[page]) for page in apart], NEARLY_ALL)
    return rules[0] if rules and rules[0].support >= NEARLY_ALL else None


def find_picture(tree: HtmlElement, learned: Learned | None) -> HtmlElement | None:
    """The element with what a post shows outside of its text; None where there is none."""
    nodes = select(tree, learned.rule.xpath) if learned else []
    return next((node for node in nodes[:1] if next(node.iter(*SHOWN), None) is not None), None)


def add_picture(article: HtmlElement, tree: HtmlElement, learned: Learned | None) -> HtmlElement:
    """An article, which is changed, with what the page shows outside of its text; it comes first. O(n)."""
    picture = find_picture(tree, learned)
    if picture is None or {*map(file_name, picture.iter(*SHOWN))} & {*map(file_name, article.iter(*SHOWN))}:
        return article
    copy = deepcopy(picture)
    copy.tail, article.text = article.text, None
    article.insert(0, copy)
    return article


def _places(page: TrainingPage) -> list[int]:
    """Positions of what the entry shows; none where the page does not have all of it."""
    nodes = enumerate(page.profile.nodes if page.media else ())
    places = {file_name(node): at for at, node in nodes if node.tag in SHOWN and file_name(node) in page.media}
    return list(places.values()) if len(places) == len(page.media) else []


def _container(page: TrainingPage) -> range:
    """Positions of the nodes of the article's container; none where the page has no text for one."""
    return page.profile.subtree(page.profile.positions[page.article[0]]) if page.article else range(0)


def _scores(page: TrainingPage, places: Sequence[int]) -> NodeScores:
    """Scores of the nodes that hold all of the media and no text: 1."""
    profile = page.profile
    common = set(profile.around(places[0])).intersection(*map(profile.around, places[1:]))
    return NodeScores(page.lookup, {(profile.nodes[at], ""): 1.0 for at in common if not profile.sizes[at]})
