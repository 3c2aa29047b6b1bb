"""Learn where the comments of a blog's posts are in their pages, from pages and comment feeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates import Moment, order_of_languages, order_shown
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.authors import learn_authors
from blogcrawler.wrapper.comments.body import learn_content, template_texts
from blogcrawler.wrapper.comments.comment_feeds import FeedMatcher
from blogcrawler.wrapper.comments.content import learn_signs
from blogcrawler.wrapper.comments.counts import learn_count
from blogcrawler.wrapper.comments.features import Sample
from blogcrawler.wrapper.comments.feed_matching import ALIKE
from blogcrawler.wrapper.comments.group_model import calibrated
from blogcrawler.wrapper.comments.groups import CommentGroup, find_forms
from blogcrawler.wrapper.comments.ids import learn_id
from blogcrawler.wrapper.comments.lists import Key, dated_lists
from blogcrawler.wrapper.comments.pingbacks import is_bare_link, learn_sibling_forms
from blogcrawler.wrapper.comments.region import Region
from blogcrawler.wrapper.comments.rules import CommentRules, Kind
from blogcrawler.wrapper.comments.threads import are_boxed, learn_indent, learn_parent
from blogcrawler.wrapper.comments.view import View
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL
from blogcrawler.wrapper.core.training import DateReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.items import Comment
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.wrapper import Wrapper

LEAST_TEXT = 20
"""Minimum length of a text by which the article is recognised, in characters."""
FEW_PAGES = 10
FEW = 5
"""Number of comments on a few pages below which a name that is the same in all of them may belong to the template."""
MOST_REGIONS = 400
"""Maximum number of comments from which fields are learned."""


@dataclass(frozen=True)
class CommentExample:
    """A post's page, and what is known about its comments."""

    #: root of the page, see `blogcrawler.dom.parse`
    tree: HtmlElement
    #: address of the page, after redirects
    url: str
    #: when the post was published, ISO 8601
    published: str | None = None
    #: the comments of the post's comment feed; None if it has none
    comments: tuple[Comment, ...] | None = None
    #: when the page was fetched; dates such as "3 days ago" are relative to it
    fetched: datetime | None = None


def learn_comments(examples: Sequence[CommentExample], wrapper: Wrapper) -> CommentRules | None:
    """Learn the rules for the comments of a blog from pages of different posts; None if they show none. O(n)."""
    languages = _languages(examples, wrapper)
    samples = samples_of(examples, wrapper)
    matcher = FeedMatcher([example.comments for example in examples])
    groups = find_forms(samples, matcher)
    if not groups:
        return None
    people = {comment.author for example in examples for comment in example.comments or () if comment.author}
    read = ((group, _kind(samples, group, people)) for group in groups)
    views = [sample.view for sample in samples]
    kinds = tuple(
        kind
        for group, kind in read
        if not _is_doubtful(kind, group.units) or matcher.score(views, group.units) >= ALIKE
    )
    if not kinds:
        return None
    counts = [sum(len(group.units[number]) for group in groups) for number in range(len(views))]
    days = {
        region.day
        for group in groups
        for view, units in zip(views, group.units, strict=True)
        for region in (Region(view, unit) for unit in units)
    }
    order = order_shown(days) or wrapper.dates.order or order_of_languages(languages)
    return CommentRules(kinds, languages, order, wrapper.dates.trusts_offset, learn_count(views, counts))


class ShownDays(NamedTuple):
    """The places of a page that show a day."""

    #: number of places; each comment with a date adds one
    days: int
    #: size of the longest list of siblings with a date, by their form
    lists: Mapping[Key, int]


def dates_shown(tree: HtmlElement, url: str, wrapper: Wrapper, fetched: datetime | None = None) -> ShownDays:
    """The places of a page that show a day, as comments do. O(n)."""
    view = View(tree, url, DateReader(wrapper.dates.languages), fetched)
    lists: dict[Key, int] = {}
    for key, dated_list in dated_lists(0, view, are_lone=True):
        lists[key] = max(len(dated_list.units), lists.get(key, 0))
    return ShownDays(len(view.anchors), lists)


def _is_doubtful(kind: Kind, units: Sequence[Sequence[Unit]]) -> bool:
    """True if neither names nor ids identify the comments, as with tweets or photos; on few pages names are needed."""
    if kind.authors or kind.is_bare:
        return False
    return kind.identifier is None or (len(units) < FEW_PAGES and sum(map(len, units)) < FEW)


def _languages(examples: Sequence[CommentExample], wrapper: Wrapper) -> tuple[str, ...]:
    declared = [example.tree.get("lang") for example in examples[:1]]
    return tuple(dict.fromkeys(filter(None, [*wrapper.dates.languages, *declared])))


def samples_of(examples: Sequence[CommentExample], wrapper: Wrapper) -> list[Sample]:
    """The pages of examples, in the form in which groups are searched. O(n)."""
    reader = DateReader(_languages(examples, wrapper))
    return [_sample(example, wrapper, reader) for example in examples]


def _sample(example: CommentExample, wrapper: Wrapper, reader: DateReader) -> Sample:
    view = View(example.tree, example.url, reader, example.fetched)
    return Sample(view, Moment.parse_iso(example.published), partial(_texts_of_article, example, wrapper))


def _texts_of_article(example: CommentExample, wrapper: Wrapper) -> frozenset[str]:
    article = wrapper.article_in(example.tree, example.url, example.fetched)
    texts = article.itertext() if article is not None else ()
    return frozenset(fold(text) for text in texts if len(text) >= LEAST_TEXT)


def regions_of(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> list[list[Region]]:
    """The comments of each page that has some, until there are enough to learn from. O(n)."""
    pages: list[list[Region]] = []
    left = MOST_REGIONS
    for sample, page_units in zip(samples, units, strict=True):
        if page_units and left > 0:
            pages.append([Region(sample.view, unit) for unit in page_units])
            left -= len(page_units)
    return pages


def _kind(samples: Sequence[Sample], group: CommentGroup, people: Iterable[str]) -> Kind:
    pages = regions_of(samples, group.units)
    regions = [region for page in pages for region in page][:MOST_REGIONS]
    template = template_texts(regions)
    authors = learn_authors(regions, people)
    content = learn_content(regions, authors, template)
    if not content.path:
        content = replace(content, signs=learn_signs(regions, content, authors))
    identifier = learn_id(pages, content.path)
    parent = indent = None
    if identifier is not None:
        ids = [[identifier.extract(region) for region in page] for page in pages]
        parent = learn_parent(pages, ids, content.path)
        indent = None if parent else learn_indent(pages)
    kindred = learn_sibling_forms([sample.view for sample in samples], group.form, group.units)
    is_bare = sum(map(is_bare_link, regions)) >= NEARLY_ALL * len(regions)
    is_boxed = identifier is not None and indent is None and are_boxed(pages)
    confidence = calibrated(group.confidence)
    return Kind(group.form, authors, content, identifier, parent, indent, is_boxed, is_bare, *kindred, confidence)
