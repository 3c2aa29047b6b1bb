"""What a feed tells wrongly of its posts, and what is believed instead: the optional steps of learning.

Each refinement is learned of the training pages as those before it have left them, where it is needed, and gives pages
whose entries say what is to be believed. All that is learned after it is learned of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from blogcrawler.dates import Moment
from blogcrawler.similarity import fold
from blogcrawler.wrapper.affixes import Affixes, learn_affixes
from blogcrawler.wrapper.date_checks import better_days
from blogcrawler.wrapper.fields.author import misnames_authors
from blogcrawler.wrapper.fields.tags import tells_more_tags
from blogcrawler.wrapper.names import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.induction import Induction
    from blogcrawler.wrapper.training import TrainingPage

TOO_MANY_ALIKE = 4
"""Entries with one title, or published in one minute, from which the feed does not tell these things."""
MINUTE = len("2014-05-02T10:00")


class Refinement(Protocol):
    """What is believed of entries in the place of what the feed says."""

    name: ClassVar[str]

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """The refinement that the pages show to be needed; None where they do not."""

    @property
    def distrusted(self) -> tuple[str, ...]:
        """Fields in which the feed is not to be believed."""

    def apply(self, page: TrainingPage) -> TrainingPage:
        """A page with an entry that says what is believed."""


def without(fields: Iterable[str]) -> dict[str, Any]:
    """The values of some fields of an entry that does not tell them."""
    return {name: () if name in {"authors", "tags"} else None for name in fields}


@dataclass(frozen=True)
class ConstantFields:
    """A feed says the same of all posts, as the blog's name as title, or one time as date."""

    distrusted: tuple[str, ...]
    name: ClassVar[str] = "distrusted"

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn which fields these are."""
        entries = [page.entry for page in induction.pages]
        told = {
            "title": {fold(entry.title or "") for entry in entries},
            "published": {(entry.published or "")[:MINUTE] for entry in entries},
        }
        constant = tuple(name for name, values in told.items() if len(values) == 1 and values != {""})
        return cls(constant) if constant and len(entries) >= TOO_MANY_ALIKE else None

    def apply(self, page: TrainingPage) -> TrainingPage:
        """Leave these fields out."""
        return page.believing(**without(self.distrusted))


@dataclass(frozen=True)
class TitleAffixes:
    """A feed puts something around its titles."""

    affixes: Affixes
    name: ClassVar[str] = "affixes"
    distrusted: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn what that is."""
        affixes = learn_affixes(induction.pages)
        return cls(affixes) if affixes else None

    def apply(self, page: TrainingPage) -> TrainingPage:
        """Strip it."""
        return page.believing(title=self.affixes.strip(page.entry.title))


@dataclass(frozen=True)
class CommonTags:
    """A feed gives all posts the same tags."""

    name: ClassVar[str] = "common_tags"
    distrusted: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn whether it does."""
        told = [frozenset(page.entry.tags) for page in induction.pages if page.entry.tags]
        return cls() if len(told) >= TOO_MANY_ALIKE and len(set(told)) == 1 else None

    def apply(self, page: TrainingPage) -> TrainingPage:
        """Take them for the blog's."""
        return page.believing(tags=()).knowing(frozenset(map(bare, page.entry.tags)) - {""})


@dataclass(frozen=True)
class BetterDays:
    """A feed dates its posts wrongly, and pages rightly."""

    days: Mapping[HtmlElement, str | None]
    name: ClassVar[str] = "better_days"
    distrusted: ClassVar[tuple[str, ...]] = ("published",)

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn the days that the pages say."""
        told = [Moment.parse_iso(page.example.entry.published) for page in induction.pages]
        days = better_days(induction.located, told, induction.dates)
        trees = [page.tree for page in induction.pages]
        return cls(dict(zip(trees, days, strict=True))) if days is not None else None

    def apply(self, page: TrainingPage) -> TrainingPage:
        """Believe the page."""
        return page.believing(published=self.days[page.tree])


@dataclass(frozen=True)
class MisnamedAuthors:
    """A feed names others than the authors."""

    name: ClassVar[str] = "misnames_authors"
    distrusted: ClassVar[tuple[str, ...]] = ("authors",)

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn whether the pages name better ones."""
        return cls() if misnames_authors(induction.located) else None

    def apply(self, page: TrainingPage) -> TrainingPage:
        """Leave the authors to the pages."""
        return page.believing(**without(self.distrusted))


@dataclass(frozen=True)
class FewerTags:
    """A feed gives all posts the same tags, and the pages have others."""

    name: ClassVar[str] = "fewer_tags"
    distrusted: ClassVar[tuple[str, ...]] = ("tags",)

    @classmethod
    def learn(cls, induction: Induction) -> Self | None:
        """Learn whether they have, once common tags are known."""
        has_common = any(page.common_tags for page in induction.pages)
        return cls() if has_common and tells_more_tags(induction.located, induction.tags) else None

    def apply(self, page: TrainingPage) -> TrainingPage:
        """Leave the page as it is: its tags are not the entry's any more."""
        return page


REFINEMENTS: tuple[type[Refinement], ...] = (
    ConstantFields,
    TitleAffixes,
    CommonTags,
    BetterDays,
    MisnamedAuthors,
    FewerTags,
)
"""All refinements, in the order in which they are learned."""
