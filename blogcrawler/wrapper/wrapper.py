"""The wrapper of a blog: all its learned rules together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.errors import UnreadableRules
from blogcrawler.items import Entry, FieldSource
from blogcrawler.serialise import dump, load_whole
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.urls import identity, routed, same_site
from blogcrawler.wrapper.core.designs import Design, names_in
from blogcrawler.wrapper.core.extraction import Extraction
from blogcrawler.wrapper.core.lists import lists_posts, outside_lists
from blogcrawler.wrapper.core.metadata import is_marked_article, metadata_authors
from blogcrawler.wrapper.core.multi_value_rules import SeveralRule  # noqa: TC001  (serialise)
from blogcrawler.wrapper.core.rules import is_metadata, select
from blogcrawler.wrapper.core.thresholds import ASSUMED, BELOW_PROOF, GUESSED, LEAST, STATED
from blogcrawler.wrapper.core.training import Example, prepare
from blogcrawler.wrapper.corrections.element_values import Pin, element_value
from blogcrawler.wrapper.fallback.dates import find_date
from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.head_titles import NO_ENDS, Ends
from blogcrawler.wrapper.fallback.model import NO_LINES, OwnLines
from blogcrawler.wrapper.fallback.titles import find_title
from blogcrawler.wrapper.fields.article import Article, drop_title, is_empty
from blogcrawler.wrapper.fields.author import Authors, guess_author
from blogcrawler.wrapper.fields.date import Dates
from blogcrawler.wrapper.fields.language import Languages
from blogcrawler.wrapper.fields.tags import extract_tags
from blogcrawler.wrapper.fields.text import TextRule  # noqa: TC001  (serialise)
from blogcrawler.wrapper.fields.title import find_title_by, title_link
from blogcrawler.wrapper.refinements.affixes import Affixes
from blogcrawler.wrapper.validation import Validation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.induce import Learned
    from blogcrawler.wrapper.fallback.ranking import Fact

VERSION = 19
"""Version of the stored form of wrappers."""
PINNED_CONFIDENCE = 1.0
MAX_ARTICLES = 3
"""Maximum number of nodes that the article's rule may select on the page of one post: photographs may have
their own."""


@dataclass(frozen=True)
class Wrapper:
    """The rules for each field of a blog's posts. Compares, prints and serialises by value."""

    article: Article
    title: tuple[TextRule, ...] = ()
    authors: Authors = field(default_factory=Authors)
    dates: Dates = field(default_factory=Dates)
    tags: tuple[SeveralRule, ...] = ()
    languages: Languages = field(default_factory=Languages)
    #: whether the article's rule selects exactly one node on every training page; it may select comments, too
    one_article: bool = True
    #: whether training pages' titles that are links lead to the page itself
    titles_link_to_themselves: bool = True
    #: fields that nearly every training page showed: a page without them is no post
    required: tuple[str, ...] = ()
    #: designs of the training pages: no rule is applied to a page of another design; none if they are unknown
    designs: tuple[Design, ...] = ()
    #: lines that the blog's pages share, for pages that no rule fits
    lines: OwnLines = NO_LINES
    #: rules of each template, if the blog has several; the first one whose article rule fits a page reads it
    templates: tuple[Wrapper, ...] = ()
    #: results of rules on entries from which they were not learned
    validation: Validation = field(default_factory=Validation)
    #: fields in which the feed is not trusted
    distrusted: tuple[str, ...] = ()
    #: whether the blog's posts have no titles
    untitled: bool = False
    #: text that the feed adds to its titles
    affixes: Affixes = field(default_factory=Affixes)
    #: recurring parts of the titles in the heads of the blog's pages, for pages that no rule fits
    ends: Ends = NO_ENDS
    #: rules of templates that no entry of the feed shows, for pages that no other rules fit
    older: tuple[Wrapper, ...] = ()
    #: a person's corrections of single pages
    pins: tuple[Pin, ...] = ()
    #: version of the stored form
    version: int = VERSION

    def extract(self, tree: HtmlElement, url: str | None = None, fetched: datetime | None = None) -> Extraction:
        """The fields of the post in a page; a person's corrections come before all rules. O(n) in the page.

        "3 days ago" is relative to the time of fetching, and no date without it. If no rule finds the article, it is
        taken from the page's lines, and title and date from its metadata or as a guess.
        """
        extraction = self._extract(tree, url, fetched)
        for pin in self._pins_of(url):
            self._put(extraction, pin, tree)
        return extraction

    def article_in(self, tree: HtmlElement, url: str, fetched: datetime | None = None) -> HtmlElement | None:
        """The article that `extract` finds, in a fraction of the time if a rule finds it. O(n) in the page."""
        extraction = Extraction()
        if not self._pins_of(url):
            if (template := self._template_of(tree)) is not None:
                return template.article_in(tree, url, fetched)
            self._extract_article(tree, url, extraction)
        is_found = extraction.article is not None and not is_empty(extraction.article)
        return extraction.article if is_found else self.extract(tree, url, fetched).article

    def pinned(self, url: str) -> frozenset[str]:
        """The fields of the post at a URL that a person has corrected."""
        return frozenset(pin.correction.field for pin in self._pins_of(url))

    def _pins_of(self, url: str | None) -> list[Pin]:
        key = identity(routed(url)) if url and self.pins else None
        return [pin for pin in self.pins if pin.key == key] if key else []

    def _put(self, extraction: Extraction, pin: Pin, tree: HtmlElement) -> None:
        """Replace an extracted value by that of the element that a person marked."""
        node, field = pin.node(tree), pin.correction.field
        value_by_field = element_value(node, field, self.dates, pin.correction.words) if node is not None else None
        if node is None or value_by_field is None:
            return
        if field == "content":
            extraction.article = self.article.clean_copy(node)
        elif not (node.tag == "a" and _has_all(getattr(extraction, field), value_by_field[field])):
            value = value_by_field[field]
            setattr(extraction, field, list(value) if isinstance(value, tuple) else value)
        extraction.sources[field] = FieldSource("rule", pin.correction.path, PINNED_CONFIDENCE)

    def _extract(self, tree: HtmlElement, url: str | None, fetched: datetime | None) -> Extraction:
        template = self._template_of(tree)
        if template is not None:
            return template._extract(tree, url, fetched)
        extraction = Extraction()
        container = self._extract_article(tree, url, extraction)
        self._extract_people(tree, container, extraction)
        self._extract_dates(tree, url, fetched, container, extraction)
        extraction.tags = extract_tags(tree, self.tags, container)
        if extraction.tags:
            extraction.sources["tags"] = self._source("tags", self.tags[0].learned)
        spoken = self.languages.extract(tree)
        if spoken:
            extraction.language, extraction.sources["language"] = spoken
        if (extraction.article is None or is_empty(extraction.article)) and self._guess(tree, url, extraction):
            return extraction
        if container is not None:
            has_titles, is_dated = (
                "title" in self.required or self.untitled,
                bool(self.dates.rules or self.dates.in_url),
            )
            self._fill_gaps(tree, url, container, extraction, has_titles=has_titles, is_dated=is_dated)
        else:
            self._fill_gaps(tree, url, None, extraction, has_titles=self.untitled, is_dated=False)
        return extraction

    def _extract_article(self, tree: HtmlElement, url: str | None, extraction: Extraction) -> HtmlElement | None:
        """The container of the article; the article and its title, as rules find them, are stored in `extraction`."""
        located = self.article.locate(tree)
        if located:
            extraction.article = self.article.extract(tree, located[0])
            source = self._source("content", located[1], LEAST)
            most = BELOW_PROOF if self.article.is_whole_page else 1.0
            extraction.sources["content"] = replace(source, confidence=min(most, source.confidence))
        container = located[0] if located else None
        self._extract_title(tree, url, container, extraction)
        if extraction.article is not None and self.article.begins_below_title:
            drop_title(extraction.article, extraction.title)
        return container

    def _guess(self, tree: HtmlElement, url: str | None, extraction: Extraction) -> bool:
        """Extract the article from the page's lines, and fields that no rule has found from metadata or as a guess;
        False if there is no main text."""
        text = extract_main_text(tree, self.lines)
        if text is None or (url is not None and not is_marked_article(tree) and lists_posts(text.container, url)):
            return False
        source = FieldSource("fallback", "lines", max(LEAST, text.confidence))
        extraction.article, extraction.sources["content"] = text.article, source
        self._fill_gaps(tree, url, text.container, extraction, has_titles=self.untitled, is_dated=False)
        drop_title(text.article, extraction.title)
        if not extraction.authors and (name := _guess_author(tree, text.container, extraction.title)):
            extraction.authors, extraction.sources["authors"] = [name], FieldSource("fallback", "byline", GUESSED)
        return True

    def _fill_gaps(
        self,
        tree: HtmlElement,
        url: str | None,
        article: HtmlElement | None,
        extraction: Extraction,
        *,
        has_titles: bool,
        is_dated: bool,
    ) -> None:
        """Fill fields that no rule has found from metadata or as a guess.

        A post has no title if rules find most titles but not its own (`is_told`). A date is not guessed if there are
        rules for it (`is_dated`), or if the feed disproved guesses on training pages, unless the page is unlike them.
        Without an `article`, a heading may be that of an error, and is no title.
        """
        title = find_title(tree, url, article, self.ends) if extraction.title is None and not has_titles else None
        if title is not None and (article is not None or title.source.source == "metadata"):
            extraction.title, extraction.sources["title"] = title
        content = extraction.sources.get("content")
        if extraction.published is None and (
            self.dates.trusts_guess or content is None or content.source == "fallback"
        ):
            trusted = url if self.dates.trusts_url or not self.dates.in_url else None
            date = self._guess_date(tree, trusted, extraction.title)
            if date is not None and (date.source.source == "metadata" or not is_dated):
                extraction.published, extraction.sources["published"] = date

    def is_other_post(self, tree: HtmlElement, url: str, *, is_linked: bool = False) -> bool | None:
        """True if a page at a post's address has another template than the training pages, such as an older design.

        It has a reliable main text and a title, and it states a date or that it is an article, or it is linked among
        posts (`is_linked`). None if it has only the text, so that more pages are needed to decide. O(n).
        """
        if self.fits(tree):
            return False
        text = extract_main_text(tree, self.lines)
        if text is None or text.expected < ASSUMED or lists_posts(text.container, url):
            return False
        title = find_title(tree, url, text.container, self.ends)
        if title is None:
            return None
        if is_linked or is_marked_article(tree):
            return True
        date = self._guess_date(tree, url, title.value)
        if date is None or (date.source.source == "fallback" and not self.dates.is_tested):
            return None
        return True if date.source.confidence >= GUESSED else None

    def _guess_date(self, tree: HtmlElement, url: str | None, title: str | None) -> Fact | None:
        dates = self.dates
        return find_date(tree, url, title, dates.languages, dates.order, dates.of_site)

    def is_post(
        self, tree: HtmlElement, url: str | None = None, fetched: datetime | None = None, *, is_permalink: bool = False
    ) -> bool:
        """True if a page has the properties of the blog's posts. O(n) in the page.

        A page with several articles, or whose title links to another page, is a list of posts. A page without a date or
        title, if posts have them, is no post. At a post's address (`is_permalink`) the title may be missing; so may the
        article if no rule for articles could be learned, as for films.
        """
        template = self._template_of(tree)
        if template is not None:
            return template.is_post(tree, url, fetched, is_permalink=is_permalink)
        if not self.article.rules and not (is_permalink and {"title", "published"}.issubset(self.required)):
            return False
        if self.article.rules and not self._holds_one_article(tree):
            return False
        is_dated = self.dates.shows_date(tree, url, fetched)
        if "published" in self.required and not is_dated:
            return False
        may_lack_title = "title" not in self.required or (is_permalink and is_dated)
        if not may_lack_title and not any(find_title_by(rule, tree) for rule in self.title):
            return False
        return not (url and self.titles_link_to_themselves and self.title_leads_away(tree, url))

    def _holds_one_article(self, tree: HtmlElement) -> bool:
        located = self.article.locate(tree)
        return located is not None and not (
            self.one_article and len(select(tree, located[1].rule.xpath)) > MAX_ARTICLES
        )

    def holds_several(self, tree: HtmlElement) -> bool:
        """True if a page holds several articles although training pages hold one."""
        template = self._template_of(tree)
        if template is not None:
            return template.holds_several(tree)
        located = self.article.locate(tree) if self.one_article else None
        return located is not None and len(select(tree, located[1].rule.xpath)) > 1

    def _template_of(self, tree: HtmlElement) -> Wrapper | None:
        """The rules for a page instead of these: those of its template, or none at all for an unknown design."""
        template = next((template for template in self.templates if template.locate(tree) is not None), None)
        is_known = template is not None or self._knows_design(tree)
        if template is not None or (is_known and (not self.older or self.article.locate(tree) is not None)):
            return template
        older = next((template for template in self.older if template.fits(tree)), None)
        return older if older is not None or is_known else self._without_rules

    def _knows_design(self, tree: HtmlElement) -> bool:
        return not self.designs or any(map(partial(Design.fits, names=names_in(tree)), self.designs))

    @cached_property
    def _without_rules(self) -> Wrapper:
        """What holds for pages of all designs: metadata outlive a redesign."""
        tags = tuple(rule for rule in self.tags if is_metadata(rule.learned.rule))
        dates, authors = replace(self.dates, rules=()), replace(self.authors, rules=())
        nothing: dict[str, Any] = dict.fromkeys(("title", "required", "designs", "templates", "older"), ())
        return replace(self, article=Article(()), dates=dates, authors=authors, tags=tags, **nothing)

    def locate(self, tree: HtmlElement) -> tuple[HtmlElement, Learned] | None:
        """The container of the article in a page of a known design, and its rule. O(n)."""
        located = self.article.locate(tree)
        return located if located is not None and self._knows_design(tree) else None

    def fits(self, tree: HtmlElement) -> bool:
        """True if any rule finds the article of a page. O(n)."""
        template = self._template_of(tree)
        return self.article.locate(tree) is not None if template is None else template.fits(tree)

    def each(self, change: Callable[[Wrapper], Wrapper]) -> Wrapper:
        """The wrapper with its own rules changed, and those of each template in it."""
        templates, older = (tuple(one.each(change) for one in nested) for nested in (self.templates, self.older))
        return replace(change(self), templates=templates, older=older)

    def title_leads_away(self, tree: HtmlElement, url: str) -> bool:
        """True if the title of a page is a link to another page of the site."""
        target = next(filter(None, (title_link(tree, rule, url) for rule in self.title)), None)
        return target is not None and same_site(target, url) and identity(target) != identity(url)

    def to_dict(self) -> dict[str, Any]:
        """The wrapper as JSON types."""
        data: dict[str, Any] = dump(self)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore a wrapper from `to_dict`. Raises UnreadableRules if it is of another version or damaged."""
        version = data.get("version")
        if version != VERSION:
            raise UnreadableRules(
                f"The rules of the blog were saved by another version of blogcrawler (form {version!r}, and not "
                f"{VERSION!r}); crawl the blog again to learn new ones."
            )
        try:
            return load_whole(cls, data)
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableRules(
                f"The rules of the blog are damaged ({type(error).__name__}: {error}); "
                "crawl the blog again to learn new ones."
            ) from error

    def _source(self, name: str, learned: Learned, least: float = 0.0) -> FieldSource:
        confidence = max(least, self.validation.confidence(name, learned.confidence))
        return FieldSource("rule", str(learned.rule), confidence)

    def _extract_title(
        self, tree: HtmlElement, url: str | None, article: HtmlElement | None, extraction: Extraction
    ) -> None:
        for rule in self.title:
            title = find_title_by(rule, tree, article, url)
            if title:
                extraction.title, extraction.sources["title"] = title, self._source("title", rule.learned, LEAST)
                return

    def _extract_dates(
        self,
        tree: HtmlElement,
        url: str | None,
        fetched: datetime | None,
        article: HtmlElement | None,
        extraction: Extraction,
    ) -> None:
        dated = self.dates.extract(tree, url, fetched, article)
        if dated is None:
            return
        published, rule = dated
        extraction.published = published.isoformat()
        url_confidence = self.dates.url_confidence
        extraction.sources["published"] = (
            self._source("published", rule) if rule else FieldSource("url", None, url_confidence)
        )
        changed = self.dates.extract_updated(tree, published, fetched)
        if changed is not None:
            updated, where = changed
            extraction.updated = updated.isoformat()
            if isinstance(where, str):
                extraction.sources["updated"] = FieldSource("metadata", where, STATED)
            else:
                extraction.sources["updated"] = self._source("updated", where)

    def _extract_people(self, tree: HtmlElement, article: HtmlElement | None, extraction: Extraction) -> None:
        extraction.authors, rule = self.authors.extract(tree, article)
        if rule:
            extraction.sources["authors"] = self._source("authors", rule.learned)
            if not self.authors.proven:
                extraction.sources["authors"].confidence = min(STATED, extraction.sources["authors"].confidence)
        elif extraction.authors:
            extraction.sources["authors"] = FieldSource("feed", None, ASSUMED)
        if not extraction.authors and (metadata := metadata_authors(tree)):
            names, expression = metadata
            extraction.authors = list(names)
            extraction.sources["authors"] = FieldSource("metadata", expression, STATED)
        if not extraction.authors and article is not None and self.authors.may_be_named(tree):
            name = _guess_author(tree, article, extraction.title) or ""
            if fold(name) in self.authors.known:
                extraction.authors, extraction.sources["authors"] = [name], FieldSource("fallback", "byline", GUESSED)


def _guess_author(tree: HtmlElement, article: HtmlElement, title: str | None) -> str | None:
    """The name in the byline nearest to an article, if only the page can show it. O(n) in the page."""
    page = prepare(Example(tree, Entry("", title=title)), Alphabet()).located(article)
    return guess_author(page, partial(outside_lists, post=article))


def _has_all(values: object, marked_values: object) -> bool:
    """True if the values of a marked link are among several values that were found."""
    return (
        isinstance(values, list)
        and isinstance(marked_values, tuple)
        and set(map(fold, marked_values)) <= set(map(fold, values))
    )
