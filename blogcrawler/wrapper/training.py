"""Training pages: what a feed entry says, set against the page that it links to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import islice
from operator import and_, or_
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from blogcrawler.dates import count_back, find_dates
from blogcrawler.dom import fragment, inline_text
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.urls import leads_back
from blogcrawler.wrapper.containment import Shingles
from blogcrawler.wrapper.linked import linked_data
from blogcrawler.wrapper.lookup import Lookup
from blogcrawler.wrapper.names import bare, has_parts, parts_of, strip
from blogcrawler.wrapper.profile import Outline, Profile
from blogcrawler.wrapper.rules import LINKED
from blogcrawler.wrapper.values import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.dates import Counted, DateSpan, Moment
    from blogcrawler.items import Entry
    from blogcrawler.wrapper.induce import Learned

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True)
class Example:
    """A post's page and what the feed says of the post: what a wrapper is learned from."""

    #: root of the page, see `blogcrawler.dom.parse`
    tree: HtmlElement
    entry: Entry
    #: of the page, after redirects; the entry's where it is not known
    url: str | None = None
    #: when the page was fetched, which dates such as "3 days ago" count from
    fetched: datetime | None = None


SHOWN = frozenset(["img", "iframe", "video", "audio", "source", "embed", "object"])
"""Elements that show a picture or film, or let one hear a sound."""


def file_name(media: HtmlElement) -> str:
    """The last part of the address of a picture, film or sound, with a player's questions where it has no such part."""
    address, _, query = str(media.get("src") or media.get("data") or "").partition("?")
    return address.rpartition("/")[2] or (query if media.tag != "img" else "")


TOO_MANY_ALIKE = 4
"""Entries with one title, or published in one minute, from which the feed does not tell these things."""


def distrusted(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Fields in which a feed says the same of all posts, as the blog's name as title, or one time as date."""
    if len(entries) < TOO_MANY_ALIKE:
        return ()
    told = {
        "title": {fold(entry.title or "") for entry in entries},
        "published": {(entry.published or "")[:MINUTE] for entry in entries},
    }
    return tuple(name for name, values in told.items() if len(values) == 1 and values != {""})


def have_common_tags(entries: Iterable[Entry]) -> bool:
    """True if a feed gives all posts the same tags."""
    told = [frozenset(entry.tags) for entry in entries if entry.tags]
    return len(told) >= TOO_MANY_ALIKE and len(set(told)) == 1


MINUTE = len("2014-05-02T10:00")


def believed(example: Example, lies: Sequence[str]) -> Example:
    """An example without what its feed does not tell."""
    changes: dict[str, Any] = {name: () if name in {"authors", "tags"} else None for name in lies}
    return replace(example, entry=replace(example.entry, **changes)) if lies else example


def training_pages(examples: Sequence[Example], alphabet: Alphabet) -> list[TrainingPage]:
    """The pages of examples. O(n)."""
    pages = [TrainingPage(example, alphabet, Outline(_without_endings(example))) for example in examples]
    common = reduce(and_, (page.counts for page in pages)) if pages else Counter[str]()
    for page in pages:
        page.shown = frozenset(page.counts - common)
    return pages


PARAGRAPHS = frozenset(["p", "li", "pre", "div"])
"""Blocks that hold an article's text."""
ENDING, ENDINGS = 40, 3
"""Characters beside links, at an entry's end, that are less than a sentence of its author's; how many such endings."""


def _without_endings(example: Example) -> HtmlElement:
    """An entry's article without what leads to the post at its end: "Read more", "The post X appeared on Y". O(n)."""
    article, url = fragment(example.entry.content_html or ""), example.url or example.entry.url
    places = {one.get("id") or one.get("name") for one in article.iter("*")}  # those of notes, which link to each other
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
    """The last link of an entry's article, with what is around it and says hardly more; None for a picture."""
    ending = next(iter(article.xpath("(.//a)[last()]")), None)
    for above in islice(ending.iterancestors(), 3) if ending is not None else ():
        beside = len(inline_text(above)) - sum(len(inline_text(link)) for link in above.iter("a"))
        if above is article or beside >= ENDING:
            break
        ending = above
    has_words = ending is not None and inline_text(ending) and next(ending.iter(*SHOWN), None) is None
    return ending if has_words else None


def _count_blocks(article: Outline) -> int:
    """Blocks of an article that have words of their own, and are no headings."""
    block: list[int] = []
    for position, (node, parent) in enumerate(zip(article.nodes, article.parents, strict=True)):
        block.append(position if parent < 0 or node.tag in BLOCKS else block[parent])
    worded = {block[article.holder(at)] for at, run in enumerate(article.runs) if any(map(str.isalnum, run))}
    lines = (node.tail or "" for node in article.nodes if node.tag == "br")
    return sum(article.nodes[at].tag in PARAGRAPHS for at in worded) + sum(
        any(map(str.isalnum, line)) for line in lines
    )


class TrainingPage:
    """An example, prepared: the page's profile, and the entry's article in the same alphabet."""

    def __init__(self, example: Example, alphabet: Alphabet, article: Outline | None = None) -> None:
        article = article or Outline(fragment(example.entry.content_html or ""))
        self.entry = example.entry
        self.tree = example.tree
        self.fetched = example.fetched
        self.url = example.url or example.entry.url
        self.profile = Profile(example.tree, alphabet)
        #: the entry's article
        self.told = article.nodes[0]
        texts = [alphabet.read(run) for run in article.runs if run]
        self.lookup = Lookup(self.profile.positions)
        #: bigrams and characters of the entry's article
        self.bigrams, self.size = reduce(or_, (bigrams for _, bigrams in texts), 0), sum(len(text) for text, _ in texts)
        #: blocks of text in the entry: an excerpt that a feed generator cut has one
        self.blocks = _count_blocks(article)
        #: names of the files that the entry shows
        self.media = frozenset(filter(None, (file_name(node) for node in article.nodes if node.tag in SHOWN)))
        self.shingles = Shingles(text for text, _ in texts if text)
        self.title = fold(example.entry.title or "")
        #: tags that the feed gives all posts, as `names.bare` writes them; they are not the entry's then
        self.common_tags: frozenset[str] = frozenset()
        self.values = list(values_of(self.profile))
        #: of `counts`, what the page has oftener than another page, so it does not stand in a menu alone
        self.shown: frozenset[str] = frozenset()
        #: edges between each node and the article's container; from the root until that is known
        self.distances = self.profile.distances(0)
        #: the article's container and the rule that finds it, once that is known
        self.article: tuple[HtmlElement, Learned] | None = None
        #: the element most like the article, whichever rule finds it
        self.nearest: HtmlElement | None = None
        self._once: dict[Hashable, Any] = {}

    def retitle(self, title: str | None) -> None:
        """Believe another title of the post than the feed's."""
        self.entry, self.title = replace(self.entry, title=title), fold(title or "")

    def disregard_tags(self) -> None:
        """Take the feed's tags for those that it gives all posts."""
        self.common_tags = frozenset(map(bare, self.entry.tags)) - {""}
        self.entry = replace(self.entry, tags=())

    @cached_property
    def counts(self) -> Counter[str]:
        """How often the page has each short value, and what is between its commas, as `names.bare` writes them."""
        texts = [value.folded for value in self.values]
        if self.values and self.values[-1].attribute.startswith(LINKED):
            texts += [bare(item) for items in linked_data(self.tree).values() for item in items]
        parts = [part for text in texts if has_parts(text) for part in parts_of(text)]
        return Counter(map(strip, [*texts, *parts]))

    def set_article(self, container: HtmlElement, learned: Learned) -> None:
        """Tell where the article is, so that distances are measured from there."""
        if self.article is None or self.article[0] is not container:
            self._once.clear()
            self.distances = self.profile.distances(self.profile.positions[container])
        self.article = container, learned

    def once(self, ask: Callable[Concatenate[TrainingPage, _P], _T], *more: _P.args, **named: _P.kwargs) -> _T:
        """What `ask` says of the page; it is asked anew only where the article turns out to be elsewhere.

        Rules are learned of some of the pages to test them on the others, then of all, then of those of one template.
        """
        key = (ask, more, *named.items())
        if key not in self._once:
            self._once[key] = ask(self, *more, **named)
        return cast("_T", self._once[key])

    def text(self, node: HtmlElement) -> str:
        """The text of a node, from the profile where it is short."""
        position = self.profile.positions.get(node)
        known = self.profile.texts[position] if position is not None else None
        return known if known is not None else inline_text(node)


class DateReader:
    """Reads the dates of a blog's pages, `months` alone too."""

    def __init__(self, languages: Sequence[str], *, months: bool = False) -> None:
        self.languages, self.months = tuple(languages), months
        self._counted: dict[str, Counted | None] = {}

    def spans(self, text: str) -> tuple[DateSpan, ...]:
        """The dates in a text, each with all that it may mean."""
        return tuple(find_dates(text, self.languages, months=self.months))

    def moments(self, text: str) -> tuple[Moment, ...]:
        """What the first date in a text may mean; empty where there is none."""
        spans = self.spans(text)
        return tuple(reading.moment for reading in spans[0].readings) if spans else ()

    def counted(self, text: str) -> Counted | None:
        """What a text such as "3 days ago" counts from the time of fetching."""
        if text not in self._counted:
            self._counted[text] = count_back(text, self.languages)
        return self._counted[text]


def languages_of(pages: Iterable[TrainingPage | Example]) -> tuple[str, ...]:
    """The languages that pages and entries say they are in, the most frequent three first."""
    told: Counter[str] = Counter()
    for page in pages:
        told.update(filter(None, (page.tree.get("lang"), page.entry.language)))
    return tuple(name for name, _ in told.most_common(3))
