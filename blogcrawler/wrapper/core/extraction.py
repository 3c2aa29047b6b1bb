"""The fields of a post, as a wrapper finds them in its page."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml.html import HtmlElement  # noqa: TC002  (serialise)

from blogcrawler.items import FieldSource  # noqa: TC001  (serialise)


@dataclass
class Extraction:
    """What a wrapper found in a page. Unknown is None, or []."""

    #: a copy of the article's container, with nothing in it but the article
    article: HtmlElement | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    #: ISO 8601, as precise as the page says
    published: str | None = None
    #: ISO 8601; None where the post was not changed after it was published
    updated: str | None = None
    tags: list[str] = field(default_factory=list)
    language: str | None = None
    #: where each field that is not empty came from
    sources: dict[str, FieldSource] = field(default_factory=dict)
