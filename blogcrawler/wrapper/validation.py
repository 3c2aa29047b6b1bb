"""Cross-validation: rules learned from half of the training pages are tested on the other half.

A field's confidence is the share of right answers, with the rule's score on its own pages counted as two further
answers. Without tests, it is the lower the fewer pages the rule was learned from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment
from blogcrawler.dom import inline_text
from blogcrawler.serialise import dump, load, register
from blogcrawler.similarity import fold, pairs, units
from blogcrawler.wrapper.contradiction import is_of_other_post, is_other_title
from blogcrawler.wrapper.core.names import bare
from blogcrawler.wrapper.core.thresholds import BELOW_PROOF

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.extraction import Extraction
    from blogcrawler.wrapper.core.training import ProfiledPage

TESTED = 4
"""Maximum number of training pages, and of test pages, in a test of rules."""
FEWEST = 4
"""Number of training pages below which none can be spared for tests."""
PRIOR = 2
"""Number of answers that the rule's own score counts as."""
UNTESTED = 2
"""Number of pages that outweigh the doubt about an untested rule."""
SAME = 0.9
"""F1 of the words of two articles, or of tags, at or above which they are the same."""
HELD = 0.8
"""Share of a summary's words that the article must hold."""


@dataclass(frozen=True)
class Validation:
    """The results of rules on entries from which they were not learned."""

    #: number of training pages
    pages: int = 0
    #: fields, sorted, each with the number of tests and of right answers
    answers: tuple[tuple[str, tuple[int, int]], ...] = ()
    #: highest confidence; lower if the entries were read from the pages themselves
    most: float = 1.0

    def confidence(self, name: str, standing: float) -> float:
        """The confidence in a field, 0 to 1; `standing` is the score of its rule on its own pages."""
        tests, right = dict(self.answers).get(name, (0, 0))
        if tests:
            return round(min(self.most, (right + PRIOR * standing) / (tests + PRIOR)), 3)
        return round(min(self.most, BELOW_PROOF, standing * (self.pages + 1) / (self.pages + UNTESTED)), 3)


register(
    Validation,
    lambda one: {"pages": one.pages, "answers": dump(dict(one.answers)), "most": one.most},
    lambda data: Validation(
        load(int, data["pages"]),
        tuple(sorted(load(dict[str, tuple[int, int]], data["answers"]).items())),
        load(float, data["most"]),
    ),
)


def halves(pages: Sequence[ProfiledPage]) -> tuple[Sequence[ProfiledPage], Sequence[ProfiledPage]]:
    """Pages to learn from and pages to test, alternating in the order of the feed; none if there are too few."""
    if len(pages) < FEWEST:
        return (), ()
    return pages[0::2][:TESTED], pages[1::2][:TESTED]


def validate(
    count: int, tests: Sequence[ProfiledPage], extract: Callable[[ProfiledPage], Extraction], *, summaries: bool
) -> Validation:
    """Compare the fields extracted from pages with their entries; a missing field is no answer. O(n)."""
    answered: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for page in tests:
        extraction = extract(page)
        for name, verdict in _verdicts(extraction, page, summaries=summaries).items():
            if verdict is not None:
                answered[name] += 1
                right[name] += verdict
    return Validation(count, tuple((name, (answered[name], right[name])) for name in sorted(answered)))


def _verdicts(extraction: Extraction, page: ProfiledPage, *, summaries: bool) -> dict[str, bool | None]:
    """For each field, True if it is right; None if there is nothing to compare."""
    entry = page.entry
    return {
        "title": _same_title(extraction.title, page) if extraction.title and entry.title else None,
        "authors": _same_authors(set(map(fold, extraction.authors)), set(map(fold, entry.authors)), page),
        "published": _same_day(extraction.published, entry.published),
        "tags": _same_tags(set(map(bare, extraction.tags)), set(map(bare, entry.tags)), page),
        "content": _same_article(extraction.article, page, summaries=summaries),
    }


def _same_title(title_found: str, page: ProfiledPage) -> bool | None:
    """A feed may add text to a title that no text of the page has; another post's title proves nothing."""
    title = fold(title_found)
    if title == page.title:
        return True
    if title in page.title and 2 * len(title) >= len(page.title):
        return not any(page.title in value.folded for value in page.values)
    return None if is_other_title(page.title, title_found, page.tree, page.url) else False


def _same_authors(names: set[str], expected: set[str], page: ProfiledPage) -> bool | None:
    """True if the authors are the expected ones. The first of several authors is enough, and authors that the page does
    not show are not required."""
    if not names or not expected:
        return None
    return expected <= names or (not names.isdisjoint(expected) and expected & page.counts.keys() <= names)


def _same_day(day_found: str | None, expected: str | None) -> bool | None:
    read = Moment.parse_iso(day_found)
    day = Moment.parse_iso(expected)
    return read.may_be_same_day(day) if read is not None and day is not None else None


def _same_tags(names: set[str], expected: set[str], page: ProfiledPage) -> bool | None:
    """True if the tags agree; tags of the feed that the page does not show are not required."""
    expected = expected & (page.shown | names)
    return 2 * len(names & expected) >= SAME * (len(names) + len(expected)) if names and expected else None


def _same_article(article: HtmlElement | None, page: ProfiledPage, *, summaries: bool) -> bool | None:
    """True if the articles agree; None if the feed's article is another post's, which proves nothing."""
    if article is None or not page.size:
        return None
    texts = inline_text(article), inline_text(page.entry_article)
    if texts[0] == texts[1]:
        return True
    got, wanted = (Counter(units(text)) for text in texts)
    common = (got & wanted).total()
    if summaries:  # the summary may have been written for the feed
        return True if wanted and common >= HELD * wanted.total() else None
    if 2 * common >= SAME * (got.total() + wanted.total()) > 0:
        return True
    page_pairs, feed_pairs = map(pairs, texts)
    return None if is_of_other_post(feed_pairs, page_pairs, page.tree) else False
