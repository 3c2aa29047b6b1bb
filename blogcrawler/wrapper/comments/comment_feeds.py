"""Find the comments of a post's comment feed in the post's page, with or without a day.

Candidates without a day are sibling structures; those with fewer nodes than the feed has comments are dropped
(Blanvillain et al., "BlogForever Crawler", section 3.5). Of candidates with the same texts, the largest elements are
comments.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom import fragment, inline_text
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.wrapper.comments.feed_matching import MOST, match
from blogcrawler.wrapper.comments.lists import DatedList
from blogcrawler.wrapper.comments.region import Region
from blogcrawler.wrapper.comments.units import Form
from blogcrawler.wrapper.comments.view import context_of, day_line, form_of
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.items import Comment
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

BEGINNING = 40
"""Number of leading characters by which a comment is recognised in a page."""
SHORTEST = 4
MATCHED = 0.6
"""Mean similarity, or share, at or above which parts of pages are the comments of their feeds."""
LEVELS = 16


class FeedMatcher:
    """Compares candidates with the comment feeds of some pages."""

    def __init__(self, comments_of_pages: Sequence[Sequence[Comment] | None]) -> None:
        self._alphabet = Alphabet()
        self.texts = [
            None if comments is None else [_text_of_comment(comment) for comment in comments]
            for comments in comments_of_pages
        ]
        read = self._alphabet.read
        self._bigrams = [None if texts is None else [read(text)[1] for text in texts] for texts in self.texts]

    @property
    def knows(self) -> bool:
        """True if any feed has a comment."""
        return any(self._bigrams)

    def score(self, views: Sequence[View], units: Sequence[Sequence[Unit]]) -> float:
        """How well parts of the pages match the feeds' comments, 0 to 1; 0 if there are too few parts on most pages.

        Candidates on pages with empty feeds lower the score. O(n) apart from the matching.
        """
        scores, short = [], 0
        for view, page_units, fed in zip(views, units, self._bigrams, strict=True):
            if fed is None or (not fed and not page_units):
                continue
            if len(page_units) < len(fed):
                short += 1
                scores.append(0.0)
                continue
            texts = [self._alphabet.read(_text_of_unit(view, unit))[1] for unit in page_units[: 2 * MOST]]
            pairs = match(texts, fed) if fed else []
            scores.append(sum(weight for *_, weight in pairs) / max(1, len(fed)))
        return 0.0 if not scores or 2 * short > len(scores) else sum(scores) / len(scores)


def _text_of_comment(comment: Comment) -> str:
    return comment.content_text or inline_text(fragment(comment.content_html or ""))


def _text_of_unit(view: View, unit: Unit) -> str:
    line = day_line(view, unit.anchor) if unit.anchor is not None else ()
    return " ".join(text for number, (_, _, text) in Region(view, unit).numbered if number not in line)


class _Key(NamedTuple):
    form: str
    #: empty for elements with a class or id, since these may be anywhere: replies may be in another element's list
    context: str


def find_undated(
    views: Sequence[View], texts_of_pages: Sequence[Sequence[str] | None]
) -> tuple[Form, list[DatedList]] | None:
    """Find elements of one form that each hold one of the feeds' texts (`texts_of_pages`): the form, and these elements
    grouped by parent; None if there are none. O(n)."""
    apart: Counter[_Key] = Counter()
    depths: dict[_Key, int] = {}
    places: dict[_Key, dict[int, list[int]]] = defaultdict(dict)
    wanted = several = 0
    for number, (view, texts) in enumerate(zip(views, texts_of_pages, strict=True)):
        ancestors = [list(view.around(at))[:LEVELS] for at in _located(view, texts or ())]
        wanted += len(texts or ())
        several = max(several, len(ancestors))
        for key, nodes in _innermost_by_kind(view, ancestors).items():
            if len(set(nodes)) == len(ancestors):
                apart[key] += len(ancestors)
                depths[key] = max(depths.get(key, 0), sum(1 for _ in view.around(nodes[0])))
                places[key][number] = sorted(set(nodes))
    likely = [key for key, count in apart.items() if count >= NEARLY_ALL * max(apart.values())]
    if several < 2 or not likely or apart[likely[0]] < MATCHED * wanted:
        return None
    best = min(likely, key=lambda key: (depths[key], key))
    tag, _, name = best.form.partition(".")
    lists: dict[tuple[int, int], DatedList] = {}
    for page, nodes in places[best].items():
        for at in nodes:
            parent = views[page].parents[at]
            dated_list = lists.setdefault((page, parent), DatedList(page, parent, [], []))
            dated_list.units.append(at)
            dated_list.anchors.append(at)
    contexts = frozenset(context_of(views[page], parent) for page, parent in lists)
    form = Form((tag,), contexts, (frozenset([name] if name else []),), is_dated=False)
    return form, list(lists.values())


def _located(view: View, texts: Sequence[str]) -> Iterator[int]:
    """The nodes in which the feed's texts begin, one for each text."""
    folded = [(number, text) for number, run in enumerate(view.runs) if run and (text := fold(run))]
    taken: set[int] = set()
    for comment_text in texts:
        beginning = fold(comment_text[: 2 * BEGINNING])[:BEGINNING]
        fitting = (at for at, text in folded if at not in taken and beginning in text)
        run = next(fitting, None) if len(beginning) >= SHORTEST else None
        if run is not None:
            taken.add(run)
            yield run // 2 if run % 2 == 0 else view.parents[run // 2]


def _innermost_by_kind(view: View, ancestors: Sequence[Sequence[int]]) -> dict[_Key, list[int]]:
    """For each kind of element, the innermost one around each text."""
    held: dict[_Key, list[int]] = defaultdict(list)
    for around in ancestors:
        inner: dict[_Key, int] = {}
        for position in around:
            if view.parents[position] >= 0:
                form = form_of(view.nodes[position])
                inner.setdefault(
                    _Key(form, context_of(view, view.parents[position]) if "." not in form else ""), position
                )
        for key, position in inner.items():
            held[key].append(position)
    return {key: nodes for key, nodes in held.items() if len(nodes) == len(ancestors)}
