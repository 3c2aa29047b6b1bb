"""The fields of a post that a wrapper extracts from its page."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement  # noqa: TC002  (serialise)

from blogcrawler.items import FieldSource  # noqa: TC001  (serialise)


@dataclass
class Extraction:
    """The values that a wrapper extracted from a page. Unknown values are None or []."""

    #: a copy of the article's container that holds nothing but the article
    article: HtmlElement | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    #: ISO 8601, as precise as on the page
    published: str | None = None
    #: ISO 8601; None if the post was not changed after its publication
    updated: str | None = None
    tags: list[str] = field(default_factory=list)
    language: str | None = None
    #: the source of each field that is not empty
    sources: dict[str, FieldSource] = field(default_factory=dict)
