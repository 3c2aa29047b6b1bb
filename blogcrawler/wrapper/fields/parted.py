"""Articles that lie in several elements of one container, the second only on some posts: an extract and the rest.

The pages whose article is in one element outvote the others then, and half of an article is lost. Such pages show it:
text of the entry, or of the post, stands on them outside of the element that the rules select.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.similarity import units
from blogcrawler.wrapper.fields.evidence import best_node, spread_scores
from blogcrawler.wrapper.induce import induce
from blogcrawler.wrapper.own_text import own_sizes, own_text
from blogcrawler.wrapper.profile import Outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fields.evidence import Evidence
    from blogcrawler.wrapper.induce import Learned
    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["lacks_text", "likeness", "parted_pages", "rules_of_whole"]

LACKING = 0.1
"""Share of an entry's text that an element must lack to lack a part of the article."""
WORSE = 0.8
"""Times the best score of a page that an element must have at least to hold the article, where a summary tells."""
FEWEST, SHARE = 2, 0.1
"""Number and share of the training pages that must show it; one may be an accident."""
MINIMUM = 0.3
"""A page whose best element scores less does not show the article."""


def lacks_text(page: TrainingPage) -> bool:
    """Does the article's container lack text of the entry that the page has elsewhere? O(n) in the page."""
    if page.article is None:
        return False
    position = page.profile.positions[page.article[0]]
    if page.rest and page.rest.position not in page.profile.subtree(position):
        return True
    if page.size - page.profile.sizes[position] <= LACKING * page.size:
        return False
    own, _ = own_sizes(page.profile, page.shingles.hold, "text")
    return own[0] - own[position] > LACKING * page.size


def parted_pages(pages: Sequence[TrainingPage], evidence: Evidence) -> list[TrainingPage]:
    """The pages whose container holds but a part of the article; none where they are too few. O(n) in the pages."""
    is_parted = _scores_worse if evidence.mode == "summary" else _lacks_text
    found = [page for page in pages if page.article and is_parted(page, evidence)]
    return found if len(found) >= max(FEWEST, SHARE * len(pages)) else []


def _lacks_text(page: TrainingPage, _: Evidence) -> bool:
    return lacks_text(page)


def _scores_worse(page: TrainingPage, evidence: Evidence) -> bool:
    scores = evidence.scores.get(page)
    return (
        scores is not None
        and page.article is not None
        and scores.of.get((page.article[0], ""), 0) < WORSE * scores.best
    )


def rules_of_whole(parted: Sequence[TrainingPage], evidence: Evidence) -> tuple[Learned, ...]:
    """Rules for the elements that hold all of the articles, of pages whose article has several parts."""
    if evidence.mode == "summary":
        return induce([evidence.scores[page] for page in parted], MINIMUM)
    return induce([spread_scores(page) for page in parted], MINIMUM)


def likeness(page: TrainingPage, article: HtmlElement, evidence: Evidence) -> float:
    """F1 of the words of an article and of its entry; of a summary's post, of the text that is its own. O(n)."""
    if evidence.mode == "summary":
        return _share_of_own(page, article, evidence)
    got, wanted = (Counter(units(text)) for text in (inline_text(article), page.whole_text()))
    total = got.total() + wanted.total()
    return 2 * (got & wanted).total() / total if total else 0.0


def _share_of_own(page: TrainingPage, article: HtmlElement, evidence: Evidence) -> float:
    """F1 of the post's own text in an article, and in the element of the page that scores best."""
    scores = evidence.scores.get(page)
    if scores is None or not scores.of:
        return 0.0
    profile, foreign = page.profile, evidence.told.foreign[page]
    holds = own_text(page, "summary", evidence.told)
    wanted = own_sizes(profile, holds, "none", foreign)[0][profile.positions[best_node(scores)]]
    others = {piece for position in compress(range(len(profile)), foreign) for piece in profile.pieces[position]}
    pieces = [profile.alphabet.read(run)[0] for run in Outline(article).runs if run and not run.isspace()]
    own = sum(len(piece) for piece in pieces if piece not in others and holds(piece))
    total = sum(map(len, pieces)) + wanted
    return 2 * min(own, wanted) / total if total else 0.0
