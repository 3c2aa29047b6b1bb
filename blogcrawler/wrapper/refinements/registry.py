"""Optional steps of learning that recognise wrong data in a feed, and replace it.

Each refinement is learned from the training pages as corrected by the earlier ones, if it is needed, and returns pages
with corrected entries. Everything that is learned afterwards uses these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from blogcrawler.dates import Moment
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.names import bare
from blogcrawler.wrapper.core.thresholds import SEVERAL
from blogcrawler.wrapper.fields.author import misnames_authors
from blogcrawler.wrapper.fields.tags import finds_more_tags
from blogcrawler.wrapper.refinements.affixes import Affixes, learn_affixes
from blogcrawler.wrapper.refinements.date_checks import better_days
from blogcrawler.wrapper.refinements.title_checks import are_misplaced, better_titles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import ProfiledPage
    from blogcrawler.wrapper.induction import Induction

MINUTE = len("2014-05-02T10:00")


@dataclass(frozen=True)
class Refinement(ABC):
    """Corrects the data of entries."""

    name: ClassVar[str]

    #: fields in which the feed is not trusted
    distrusted: tuple[str, ...] = ()

    @classmethod
    @abstractmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn the refinement if the pages show that it is needed; otherwise None."""

    def apply(self, page: ProfiledPage) -> ProfiledPage:
        """A page with a corrected entry, whose distrusted fields are empty."""
        return page.with_entry(**without(self.distrusted))


def without(fields: Iterable[str]) -> dict[str, Any]:
    """Empty values for these fields of an entry."""
    return {name: () if name in {"authors", "tags"} else None for name in fields}


class ConstantFields(Refinement):
    """The feed has the same value for all posts, such as the blog's name as title, or one time as date."""

    name = "distrusted"

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        entries = [page.entry for page in induction.pages]
        values_of_feed = {
            "title": {fold(entry.title or "") for entry in entries},
            "published": {(entry.published or "")[:MINUTE] for entry in entries},
        }
        constant = tuple(name for name, values in values_of_feed.items() if len(values) == 1 and values != {""})
        return cls(constant) if constant and len(entries) >= SEVERAL else None


@dataclass(frozen=True)
class BetterTitles(Refinement):
    """The feed has no titles although the pages do; or author's name and title are swapped, or the author's name,
    the day, or the article with or without its title is in place of the title."""

    name = "better_titles"
    titles: Mapping[HtmlElement, str | None] = field(default_factory=dict)

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        titles = better_titles(induction.pages)
        if titles is None:
            return None
        titles_by_page = {page.tree: title for page, title in zip(induction.pages, titles, strict=True)}
        swapped = [
            page for page in induction.pages if fold(titles_by_page[page.tree] or "") in map(fold, page.entry.authors)
        ]
        if 2 * len(swapped) > len(induction.pages):
            return cls(("title", "authors"), titles_by_page)
        values_of_feed = {page.title for page in induction.pages if page.title}
        is_wrong = 2 * len(values_of_feed) <= len(induction.pages) or are_misplaced(induction.pages, titles)
        return cls(("title",), titles_by_page) if is_wrong else None

    def apply(self, page: ProfiledPage) -> ProfiledPage:
        title_of_feed = page.entry.title
        authors = page.entry.authors if "authors" not in self.distrusted else (title_of_feed,) if title_of_feed else ()
        return page.with_entry(title=self.titles[page.tree], authors=authors)


@dataclass(frozen=True)
class TitleAffixes(Refinement):
    """The feed adds text to its titles."""

    name = "affixes"
    affixes: Affixes = field(default_factory=Affixes)

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        affixes = learn_affixes(induction.pages)
        return cls(affixes=affixes) if affixes else None

    def apply(self, page: ProfiledPage) -> ProfiledPage:
        return page.with_entry(title=self.affixes.strip(page.entry.title))


class CommonTags(Refinement):
    """The feed gives the same tags to all posts: these are the blog's."""

    name = "common_tags"

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        values_of_feed = [frozenset(page.entry.tags) for page in induction.pages if page.entry.tags]
        return cls() if len(values_of_feed) >= SEVERAL and len(set(values_of_feed)) == 1 else None

    def apply(self, page: ProfiledPage) -> ProfiledPage:
        return replace(page.with_entry(tags=()), common_tags=frozenset(map(bare, page.entry.tags)) - {""})


@dataclass(frozen=True)
class BetterDays(Refinement):
    """The feed dates its posts wrongly, and the pages date them rightly."""

    name = "better_days"
    days: Mapping[HtmlElement, str | None] = field(default_factory=dict)

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        values_of_feed = [Moment.parse_iso(page.example.entry.published) for page in induction.pages]
        days = better_days(induction.located, values_of_feed, induction.dates)
        trees = [page.tree for page in induction.pages]
        return cls(("published",), dict(zip(trees, days, strict=True))) if days is not None else None

    def apply(self, page: ProfiledPage) -> ProfiledPage:
        return page.with_entry(published=self.days[page.tree])


class MisnamedAuthors(Refinement):
    """The feed names other people than the authors, and the pages name better ones."""

    name = "misnames_authors"

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        return cls(("authors",)) if misnames_authors(induction.located) else None


class FewerTags(Refinement):
    """The feed gives the same tags to all posts, and the pages have others."""

    name = "fewer_tags"

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        has_common = any(page.common_tags for page in induction.pages)
        return cls(("tags",)) if has_common and finds_more_tags(induction.located, induction.tags) else None


REFINEMENTS: tuple[type[Refinement], ...] = (
    ConstantFields, BetterTitles, TitleAffixes, CommonTags, BetterDays, MisnamedAuthors, FewerTags,
)  # fmt: skip
"""All refinements, in the order in which they are learned."""
