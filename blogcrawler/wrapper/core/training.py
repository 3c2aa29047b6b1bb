"""Training pages: a feed entry's data compared with the page that it links to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from itertools import islice
from operator import and_, or_
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, cast

from blogcrawler.dates import count_back, find_dates
from blogcrawler.dom import fragment, inline_text
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.urls import leads_back
from blogcrawler.wrapper.core.containment import Shingles
from blogcrawler.wrapper.core.json_ld import linked_data
from blogcrawler.wrapper.core.lookup import Lookup
from blogcrawler.wrapper.core.names import bare, has_parts, parts_of, strip
from blogcrawler.wrapper.core.prefixes import learn_prefixes
from blogcrawler.wrapper.core.profile import Outline, Profile
from blogcrawler.wrapper.core.rules import LINKED
from blogcrawler.wrapper.core.values import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.dates import Counted, DateSpan, Moment
    from blogcrawler.items import Entry
    from blogcrawler.wrapper.core.induce import Learned
    from blogcrawler.wrapper.core.values import Value

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True)
class Example:
    """A post's page and its feed entry, from which a wrapper is learned."""

    #: root of the page, see `blogcrawler.dom.parse`
    tree: HtmlElement
    entry: Entry
    #: address of the page, after redirects; None for the entry's address
    url: str | None = None
    #: when the page was fetched; dates such as "3 days ago" are relative to it
    fetched: datetime | None = None


SHOWN = frozenset(["img", "iframe", "video", "audio", "source", "embed", "object"])
"""Elements with a picture, film or sound."""


def file_name(media: HtmlElement) -> str:
    """The last part of the address of a picture, film or sound; the query of a player's address without such a part."""
    address, _, query = str(media.get("src") or media.get("data") or "").partition("?")
    return address.rpartition("/")[2] or (query if media.tag != "img" else "")


def training_pages(examples: Sequence[Example], alphabet: Alphabet | None = None) -> list[ProfiledPage]:
    """The training pages of examples. O(n)."""
    alphabet = alphabet or Alphabet()
    pages = [prepare(example, alphabet, Outline(_without_endings(example))) for example in examples]
    common = reduce(and_, (page.counts for page in pages)) if pages else Counter[str]()
    prefixes = learn_prefixes(page.tree for page in pages)
    return [replace(page, shown=frozenset(page.counts - common), lookup=Lookup(page.tree, prefixes)) for page in pages]


PARAGRAPHS = frozenset(["p", "li", "pre", "div"])
"""Blocks that hold an article's text."""
ENDING, ENDINGS = 40, 3
"""Length, in characters, below which the text outside of links at an entry's end is no sentence; maximum number of such
endings."""


def _without_endings(example: Example) -> HtmlElement:
    """An entry's article without links to the post at its end: "Read more", "The post X appeared on Y". O(n)."""
    article, url = fragment(example.entry.content_html or ""), example.url or example.entry.url
    # targets of notes, which link to each other
    places = {one.get("id") or one.get("name") for one in article.iter("*")}
    for _ in range(ENDINGS):
        ending = _last_link(article)
        hrefs = [link.get("href") or "" for link in ending.iter("a")] if ending is not None else []
        if ending is None or not any(leads_back(url, href) and href.partition("#")[2] not in places for href in hrefs):
            break
        before, _, behind = inline_text(article).rpartition(inline_text(ending))
        if any(map(str.isalnum, behind)) or not any(map(str.isalnum, before)):
            break
        while (line := ending.getprevious()) is not None and line.tag == "br" and not (line.tail or "").strip():
            line.drop_tree()
        ending.drop_tree()
    return article


def _last_link(article: HtmlElement) -> HtmlElement | None:
    """The last link of an entry's article, with the elements around it that say hardly more; None for a picture."""
    ending = next(iter(article.xpath("(.//a)[last()]")), None)
    for above in islice(ending.iterancestors(), 3) if ending is not None else ():
        beside = len(inline_text(above)) - sum(len(inline_text(link)) for link in above.iter("a"))
        if above is article or beside >= ENDING:
            break
        ending = above
    has_words = ending is not None and inline_text(ending) and next(ending.iter(*SHOWN), None) is None
    return ending if has_words else None


def _count_blocks(article: Outline) -> int:
    """Number of blocks of an article that have words of their own and are no headings."""
    block: list[int] = []
    for position, (node, parent) in enumerate(zip(article.nodes, article.parents, strict=True)):
        block.append(position if parent < 0 or node.tag in BLOCKS else block[parent])
    worded = {block[article.holder(at)] for at, run in enumerate(article.runs) if any(map(str.isalnum, run))}
    lines = (node.tail or "" for node in article.nodes if node.tag == "br")
    return sum(article.nodes[at].tag in PARAGRAPHS for at in worded) + sum(
        any(map(str.isalnum, line)) for line in lines
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ProfiledPage:
    """An example with the page's profile, and the entry's article in the same alphabet."""

    example: Example
    #: the feed's entry, with the values that are trusted
    entry: Entry
    profile: Profile
    lookup: Lookup
    values: Sequence[Value]
    #: number of occurrences of each short value and of its parts between commas, written as by `names.bare`
    counts: Counter[str]
    #: values of `counts` that this page has more often than another page, so that they are not only in a menu
    shown: frozenset[str] = frozenset()
    #: tags that the feed gives to all posts, written as by `names.bare`; they are not counted as the entry's
    common_tags: frozenset[str] = frozenset()
    #: the entry's article
    entry_article: HtmlElement
    #: bigrams and characters of the entry's article
    bigrams: int
    size: int
    #: blocks of text in the entry; an excerpt cut by a feed generator has one
    blocks: int
    #: names of the files that the entry shows
    media: frozenset[str]
    shingles: Shingles
    #: cached results of `once`
    answers: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def tree(self) -> HtmlElement:
        return self.example.tree

    @property
    def url(self) -> str:
        return self.example.url or self.entry.url

    @property
    def fetched(self) -> datetime | None:
        return self.example.fetched

    @cached_property
    def title(self) -> str:
        """The entry's title, folded."""
        return fold(self.entry.title or "")

    def with_entry(self, **changes: Any) -> Self:  # noqa: ANN401
        """The page with other values of its entry; the same page if nothing differs."""
        entry = replace(self.entry, **changes)
        return self if entry == self.entry else replace(self, entry=entry, answers={})

    def located(self, article: HtmlElement | None, rule: Learned | None = None) -> LocatedPage:
        """The page with its article, once it is known, and the rule that finds it."""
        values = {field.name: getattr(self, field.name) for field in fields(ProfiledPage)}
        values["answers"] = self.answers.setdefault(("located", article), {})
        return LocatedPage(**values, article=article, rule=rule)

    def once(self, ask: Callable[Concatenate[Self, _P], _T], *more: _P.args, **named: _P.kwargs) -> _T:
        """The cached result of `ask` for this page; it is computed again only if another element is found as the
        article.

        Rules are learned from some pages to test them on the others, then from all pages, then from those of one
        template.
        """
        key = (ask, more, *named.items())
        if key not in self.answers:
            self.answers[key] = ask(self, *more, **named)
        return cast("_T", self.answers[key])

    def text(self, node: HtmlElement) -> str:
        """The text of a node, from the profile if it is short."""
        position = self.profile.positions.get(node)
        known = self.profile.texts[position] if position is not None else None
        return known if known is not None else inline_text(node)


@dataclass(frozen=True, eq=False, kw_only=True)
class LocatedPage(ProfiledPage):
    """A training page whose article is located."""

    #: the article's container; None if no rule finds it
    article: HtmlElement | None
    #: the rule that finds it
    rule: Learned | None

    @cached_property
    def distances(self) -> Sequence[int]:
        """Edges between each node and the article's container, or the root if there is no container."""
        return self.once(_distances)


def _distances(page: LocatedPage) -> list[int]:
    return page.profile.distances(page.profile.positions[page.article] if page.article is not None else 0)


def prepare(example: Example, alphabet: Alphabet, article: Outline | None = None) -> ProfiledPage:
    """An example as a training page; `article` is the entry's article, as far as it is trusted. O(n)."""
    article = article or Outline(fragment(example.entry.content_html or ""))
    profile = Profile(example.tree, alphabet)
    values = list(values_of(profile))
    texts = [alphabet.read(run) for run in article.runs if run]
    return ProfiledPage(
        example=example,
        entry=example.entry,
        profile=profile,
        lookup=Lookup(example.tree),
        values=values,
        counts=_counts(example.tree, values),
        entry_article=article.nodes[0],
        bigrams=reduce(or_, (bigrams for _, bigrams in texts), 0),
        size=sum(len(text) for text, _ in texts),
        blocks=_count_blocks(article),
        media=frozenset(filter(None, (file_name(node) for node in article.nodes if node.tag in SHOWN))),
        shingles=Shingles(text for text, _ in texts if text),
    )


def _counts(tree: HtmlElement, values: Sequence[Value]) -> Counter[str]:
    texts = [value.folded for value in values]
    if values and values[-1].attribute.startswith(LINKED):
        texts += [bare(item) for items in linked_data(tree).values() for item in items]
    parts = [part for text in texts if has_parts(text) for part in parts_of(text)]
    return Counter(map(strip, [*texts, *parts]))


class DateReader:
    """Reads the dates of a blog's pages; with `months`, also months without a day."""

    def __init__(self, languages: Sequence[str], *, months: bool = False) -> None:
        self.languages, self.months = tuple(languages), months

    def spans(self, text: str) -> tuple[DateSpan, ...]:
        """The dates in a text, each with all its possible readings."""
        return tuple(find_dates(text, self.languages, months=self.months))

    def moments(self, text: str) -> tuple[Moment, ...]:
        """The possible readings of the first date in a text; empty if there is none."""
        spans = self.spans(text)
        return tuple(reading.moment for reading in spans[0].readings) if spans else ()

    def counted(self, text: str) -> Counted | None:
        """What a text such as "3 days ago" counts from the time of fetching."""
        return count_back(text, self.languages)


def languages_of(pages: Iterable[ProfiledPage | Example]) -> tuple[str, ...]:
    """The languages that pages and entries declare, the most frequent three first."""
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update(filter(None, (page.tree.get("lang"), page.entry.language)))
    return tuple(name for name, _ in counts.most_common(3))
