"""Learn the rules of training pages that are taken to be of one template."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from blogcrawler.wrapper.core.rules import NAMED
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL
from blogcrawler.wrapper.core.training import DateReader, LocatedPage, ProfiledPage, languages_of
from blogcrawler.wrapper.fields.article import Article, learn_article, locate, nearest_to_article
from blogcrawler.wrapper.fields.author import Authors, learn_authors
from blogcrawler.wrapper.fields.date import Dates, learn_dates
from blogcrawler.wrapper.fields.evidence import Evidence, gather_evidence
from blogcrawler.wrapper.fields.tags import learn_tags
from blogcrawler.wrapper.fields.title import learn_title
from blogcrawler.wrapper.refinements.date_checks import try_guesses
from blogcrawler.wrapper.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.multi_value_rules import SeveralRule


class Induction:
    """Training pages and the rules learned from them; each field is learned when it is requested."""

    def __init__(
        self, pages: Sequence[ProfiledPage], reader: DateReader | None = None, evidence: Evidence | None = None
    ) -> None:
        """If `pages` are only a part of the training pages, `reader` and `evidence` are those of all training pages."""
        self.pages = pages
        self.reader = reader or DateReader(languages_of(pages))
        self._evidence = evidence

    @cached_property
    def evidence(self) -> Evidence:
        """Scores of how well the nodes of the pages match their entries."""
        return self._evidence or gather_evidence(self.pages, self.reader)

    @cached_property
    def article(self) -> Article:
        """The rules for the article's container, and what to drop from it."""
        return learn_article(self.pages, self.evidence)

    @cached_property
    def located(self) -> list[LocatedPage]:
        """The pages with their articles."""
        return locate(self.pages, self.article)

    @cached_property
    def dates(self) -> Dates:
        return try_guesses(self.located, learn_dates(self.located, self.reader))

    @cached_property
    def authors(self) -> Authors:
        return learn_authors(self.located)

    @cached_property
    def tags(self) -> tuple[SeveralRule, ...]:
        return learn_tags(self.located)

    @cached_property
    def rules(self) -> Wrapper:
        return Wrapper(self.article, learn_title(self.located), self.authors, self.dates, self.tags)

    @cached_property
    def wrapper(self) -> Wrapper:
        """The rules, and the properties of all posts of the template."""
        count, rules = len(self.pages), self.rules
        away = sum(rules.title_leads_away(page.tree, page.url) for page in self.pages)
        dated = sum(rules.dates.extract(page.tree, None) is not None for page in self.pages)
        titled = sum(any(rule.extract(page.tree) for rule in rules.title) for page in self.pages)
        return replace(
            rules,
            one_article=all(len(page.lookup.select(page.rule.rule.xpath)) == 1 for page in self.located if page.rule),
            titles_link_to_themselves=count - away >= NEARLY_ALL * count,
            required=tuple(
                name for name, shown in (("published", dated), ("title", titled)) if shown >= NEARLY_ALL * count
            ),
        )

    @cached_property
    def nearest(self) -> dict[ProfiledPage, HtmlElement]:
        """The element of each page that is most similar to the article, whichever rule finds it."""
        nodes = ((page, nearest_to_article(self.evidence.scores.get(page), self.article.rules)) for page in self.pages)
        return {page: node for page, node in nodes if node is not None}

    @property
    def is_of_one_template(self) -> bool:
        """True if the element most similar to the article has the same name on nearly all pages."""
        named = [learned.rule.xpath for learned in self.article.rules[:1] if learned.rule.kind <= NAMED]
        same = sum(self.nearest.get(page) in page.lookup.select(xpath)[:1] for xpath in named for page in self.pages)
        return bool(named) and same >= NEARLY_ALL * len(self.pages)
