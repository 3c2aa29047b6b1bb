"""The wrapper of a blog: all its learned rules together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.errors import UnreadableRules
from blogcrawler.items import Entry, FieldSource
from blogcrawler.serialise import dump, load_whole
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.urls import identity, routed, same_site
from blogcrawler.wrapper.core.extraction import Extraction
from blogcrawler.wrapper.core.lists import lists_posts, outside_lists
from blogcrawler.wrapper.core.metadata import is_marked_article, metadata_authors
from blogcrawler.wrapper.core.rules import select
from blogcrawler.wrapper.core.several import SeveralRule  # noqa: TC001  (serialise)
from blogcrawler.wrapper.core.shares import ASSUMED, BELOW_PROOF, GUESSED, LEAST, STATED
from blogcrawler.wrapper.core.training import Example, prepare
from blogcrawler.wrapper.corrections.pointing import Pin, told_by
from blogcrawler.wrapper.fallback.dates import find_date
from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.heads import NO_ENDS, Ends
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

VERSION = 18
"""Of the form that wrappers are kept in."""
PINNED_CONFIDENCE = 1.0
MAX_ARTICLES = 3
"""Nodes that the article's rule may select on a page that is one post: photographs may have their own."""


@dataclass(frozen=True)
class Wrapper:
    """The rules for each field of a blog's posts. Compares, prints and serialises by value."""

    article: Article
    title: tuple[TextRule, ...] = ()
    authors: Authors = field(default_factory=Authors)
    dates: Dates = field(default_factory=Dates)
    tags: tuple[SeveralRule, ...] = ()
    languages: Languages = field(default_factory=Languages)
    #: whether the article's rule selects just one node on every training page; it may select comments, too
    one_article: bool = True
    #: whether training pages' titles that are links lead to the page itself
    titles_link_to_themselves: bool = True
    #: fields that nearly every training page showed: a page without them is no post
    required: tuple[str, ...] = ()
    #: what the blog's pages tell of its lines, for pages that no rule fits
    lines: OwnLines = NO_LINES
    #: the rules of each template, where the blog has several; the first whose article rule fits a page reads it
    templates: tuple[Wrapper, ...] = ()
    #: how rules did on entries that had not taught them
    validation: Validation = field(default_factory=Validation)
    #: fields in which the feed is not to be believed
    distrusted: tuple[str, ...] = ()
    #: whether the blog's posts have no titles
    untitled: bool = False
    #: what the feed puts around its titles
    affixes: Affixes = field(default_factory=Affixes)
    #: what the titles in the heads of the blog's pages have in common, for pages that no rule fits
    ends: Ends = NO_ENDS
    #: rules of templates that no entry of the feed shows, for pages that none of the others fits
    older: tuple[Wrapper, ...] = ()
    #: what a person has said of single pages
    pins: tuple[Pin, ...] = ()
    #: of the form that it is stored in
    version: int = VERSION

    def extract(self, tree: HtmlElement, url: str | None = None, fetched: datetime | None = None) -> Extraction:
        """The fields of the post in a page; what a person has pointed out goes before all. O(n) in the page.

        "3 days ago" counts from the time when the page was fetched, and is no date without it. Where no rule finds the
        article, it is taken from the page's lines, title and date from its metadata, or as a guess.
        """
        found = self._extract(tree, url, fetched)
        for pin in self._pins_of(url):
            self._put(found, pin, tree)
        return found

    def article_in(self, tree: HtmlElement, url: str, fetched: datetime | None = None) -> HtmlElement | None:
        """The article that `extract` finds, in a part of its time where a rule finds it. O(n) in the page."""
        found = Extraction()
        if not self._pins_of(url):
            if (template := self._template_of(tree)) is not None:
                return template.article_in(tree, url, fetched)
            self._extract_article(tree, url, found)
        is_found = found.article is not None and not is_empty(found.article)
        return found.article if is_found else self.extract(tree, url, fetched).article

    def pinned(self, url: str) -> frozenset[str]:
        """The fields of the post at a URL that a person has pointed out."""
        return frozenset(pin.correction.field for pin in self._pins_of(url))

    def _pins_of(self, url: str | None) -> list[Pin]:
        key = identity(routed(url)) if url and self.pins else None
        return [pin for pin in self.pins if pin.key == key] if key else []

    def _put(self, found: Extraction, pin: Pin, tree: HtmlElement) -> None:
        """Put what an element says, which was pointed out, in the place of what was found."""
        node, field = pin.node(tree), pin.correction.field
        told = told_by(node, field, self.dates, pin.correction.words) if node is not None else None
        if node is None or told is None:
            return
        if field == "content":
            found.article = self.article.clean_copy(node)
        elif not (node.tag == "a" and _has_all(getattr(found, field), told[field])):
            value = told[field]
            setattr(found, field, list(value) if isinstance(value, tuple) else value)
        found.sources[field] = FieldSource("rule", pin.correction.path, PINNED_CONFIDENCE)

    def _extract(self, tree: HtmlElement, url: str | None, fetched: datetime | None) -> Extraction:
        template = self._template_of(tree)
        if template is not None:
            return template._extract(tree, url, fetched)
        found = Extraction()
        container = self._extract_article(tree, url, found)
        self._extract_people(tree, container, found)
        self._extract_dates(tree, url, fetched, container, found)
        found.tags = extract_tags(tree, self.tags, container)
        if found.tags:
            found.sources["tags"] = self._source("tags", self.tags[0].learned)
        spoken = self.languages.extract(tree)
        if spoken:
            found.language, found.sources["language"] = spoken
        if (found.article is None or is_empty(found.article)) and self._guess(tree, url, found):
            return found
        if container is not None:
            is_told, is_dated = "title" in self.required or self.untitled, bool(self.dates.rules or self.dates.in_url)
            self._fill_gaps(tree, url, container, found, is_told=is_told, is_dated=is_dated)
        else:
            self._fill_gaps(tree, url, None, found, is_told=self.untitled, is_dated=False)
        return found

    def _extract_article(self, tree: HtmlElement, url: str | None, found: Extraction) -> HtmlElement | None:
        """The container of the article; the article and its title, as rules find them, are put in what was found."""
        located = self.article.locate(tree)
        if located:
            found.article = self.article.extract(tree, located[0])
            source = self._source("content", located[1], LEAST)
            most = BELOW_PROOF if self.article.is_whole_page else 1.0
            found.sources["content"] = replace(source, confidence=min(most, source.confidence))
        container = located[0] if located else None
        self._extract_title(tree, url, container, found)
        if found.article is not None and self.article.begins_below_title:
            drop_title(found.article, found.title)
        return container

    def _guess(self, tree: HtmlElement, url: str | None, found: Extraction) -> bool:
        """The article from the page's lines, and what else no rule has found, from metadata or as a guess; False where
        there is no main text."""
        text = extract_main_text(tree, self.lines)
        if text is None or (url is not None and not is_marked_article(tree) and lists_posts(text.container, url)):
            return False
        source = FieldSource("fallback", "lines", max(LEAST, text.confidence))
        found.article, found.sources["content"] = text.article, source
        self._fill_gaps(tree, url, text.container, found, is_told=self.untitled, is_dated=False)
        drop_title(text.article, found.title)
        if not found.authors and (name := _guess_author(tree, text.container, found.title)):
            found.authors, found.sources["authors"] = [name], FieldSource("fallback", "byline", GUESSED)
        return True

    def _fill_gaps(
        self,
        tree: HtmlElement,
        url: str | None,
        article: HtmlElement | None,
        found: Extraction,
        *,
        is_told: bool,
        is_dated: bool,
    ) -> None:
        """What no rule has found, from metadata or as a guess.

        A post without a title has none where rules find most (`is_told`); a guess is no better than the rules of a date
        (`is_dated`), nor where the feed disproved it on training pages, but for pages that are unlike them. Where there
        is no `article`, a heading may be an error's, and is no title.
        """
        title = find_title(tree, url, article, self.ends) if found.title is None and not is_told else None
        if title is not None and (article is not None or title.source.source == "metadata"):
            found.title, found.sources["title"] = title
        content = found.sources.get("content")
        if found.published is None and (self.dates.trusts_guess or content is None or content.source == "fallback"):
            trusted = url if self.dates.trusts_url or not self.dates.in_url else None
            date = self._guess_date(tree, trusted, found.title)
            if date is not None and (date.source.source == "metadata" or not is_dated):
                found.published, found.sources["published"] = date

    def is_other_post(self, tree: HtmlElement, url: str, *, is_linked: bool = False) -> bool | None:
        """True if a page at a post's address is of another template than the training pages', as of an older design.

        It has a main text that is found with confidence and a title, and states a date or that it is an article, or is
        linked where posts are (`is_linked`). None where it has the text alone: other pages may tell more. O(n).
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
        """True if a page has what the posts of the blog have. O(n) in the page.

        A page with several articles, or whose title leads to another page, is a list of posts; one without a date or
        title, where posts have them, is none; at a post's address (`is_permalink`) it may lack the title, or, where no
        rule for articles could be learned, as of films, the article.
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
        """True if a page holds several articles where training pages hold one."""
        template = self._template_of(tree)
        if template is not None:
            return template.holds_several(tree)
        located = self.article.locate(tree) if self.one_article else None
        return located is not None and len(select(tree, located[1].rule.xpath)) > 1

    def _template_of(self, tree: HtmlElement) -> Wrapper | None:
        found = next((template for template in self.templates if template.article.locate(tree) is not None), None)
        if found is not None or not self.older or self.article.locate(tree) is not None:
            return found
        return next((template for template in self.older if template.fits(tree)), None)

    def fits(self, tree: HtmlElement) -> bool:
        """True if any rule finds the article of a page. O(n)."""
        return self.article.locate(tree) is not None or self._template_of(tree) is not None

    def each(self, change: Callable[[Wrapper], Wrapper]) -> Wrapper:
        """The wrapper with a change of its own rules, and of those of each template in it."""
        templates, older = (tuple(one.each(change) for one in nested) for nested in (self.templates, self.older))
        return replace(change(self), templates=templates, older=older)

    def title_leads_away(self, tree: HtmlElement, url: str) -> bool:
        """True if the title of a page is a link to another page of the site."""
        target = next(filter(None, (title_link(tree, rule, url) for rule in self.title)), None)
        return target is not None and same_site(target, url) and identity(target) != identity(url)

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        data: dict[str, Any] = dump(self)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The wrapper of `to_dict`. Raises UnreadableRules for one of another version, and for a damaged one."""
        version = data.get("version")
        if version != VERSION:
            raise UnreadableRules(
                f"The rules of the blog were kept by another version of blogcrawler (form {version!r}, and not "
                f"{VERSION!r}); crawl the blog again to learn them anew."
            )
        try:
            return load_whole(cls, data)
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableRules(
                f"The rules of the blog are damaged ({type(error).__name__}: {error}); "
                "crawl the blog again to learn them anew."
            ) from error

    def _source(self, name: str, learned: Learned, least: float = 0.0) -> FieldSource:
        confidence = max(least, self.validation.confidence(name, learned.confidence))
        return FieldSource("rule", str(learned.rule), confidence)

    def _extract_title(
        self, tree: HtmlElement, url: str | None, article: HtmlElement | None, found: Extraction
    ) -> None:
        for rule in self.title:
            title = find_title_by(rule, tree, article, url)
            if title:
                found.title, found.sources["title"] = title, self._source("title", rule.learned, LEAST)
                return

    def _extract_dates(
        self,
        tree: HtmlElement,
        url: str | None,
        fetched: datetime | None,
        article: HtmlElement | None,
        found: Extraction,
    ) -> None:
        dated = self.dates.extract(tree, url, fetched, article)
        if dated is None:
            return
        published, rule = dated
        found.published = published.isoformat()
        url_confidence = self.dates.url_confidence
        found.sources["published"] = (
            self._source("published", rule) if rule else FieldSource("url", None, url_confidence)
        )
        changed = self.dates.extract_updated(tree, published, fetched)
        if changed is not None:
            updated, where = changed
            found.updated = updated.isoformat()
            if isinstance(where, str):
                found.sources["updated"] = FieldSource("metadata", where, STATED)
            else:
                found.sources["updated"] = self._source("updated", where)

    def _extract_people(self, tree: HtmlElement, article: HtmlElement | None, found: Extraction) -> None:
        found.authors, rule = self.authors.extract(tree, article)
        if rule:
            found.sources["authors"] = self._source("authors", rule.learned)
            if not self.authors.proven:
                found.sources["authors"].confidence = min(STATED, found.sources["authors"].confidence)
        elif found.authors:
            found.sources["authors"] = FieldSource("feed", None, ASSUMED)
        if not found.authors and (told := metadata_authors(tree)):
            names, expression = told
            found.authors = list(names)
            found.sources["authors"] = FieldSource("metadata", expression, STATED)
        if not found.authors and article is not None and self.authors.may_be_named(tree):
            name = _guess_author(tree, article, found.title) or ""
            if fold(name) in self.authors.known:
                found.authors, found.sources["authors"] = [name], FieldSource("fallback", "byline", GUESSED)


def _guess_author(tree: HtmlElement, article: HtmlElement, title: str | None) -> str | None:
    """The name in the byline nearest to an article, where a page alone must tell it. O(n) in the page."""
    page = prepare(Example(tree, Entry("", title=title)), Alphabet()).located(article)
    return guess_author(page, partial(outside_lists, post=article))


def _has_all(found: object, told: object) -> bool:
    """True if the values of a link that was pointed out are among several that were found."""
    return isinstance(found, list) and isinstance(told, tuple) and set(map(fold, told)) <= set(map(fold, found))
