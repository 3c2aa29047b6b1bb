"""Reads the export of Medium: an HTML page for each story, with the microformat h-entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import html as lxml_html

from blogcrawler.dom import fragment, inline_text, parse
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.errors import NotAWebPage
from blogcrawler.feeds.dates import iso_date
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.texts import distinct, person_name
from blogcrawler.items import Entry

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def read_story(body: bytes, home: str) -> list[Entry | None]:
    """The story of a page; None for a draft, which has no date or no address. Empty for other pages."""
    try:
        root = parse(body)
    except NotAWebPage:
        return []
    names = ("e-content", "p-name", "p-author", "dt-published", "p-canonical")
    content, title, author, time, link = (next(iter(root.find_class(name)), None) for name in names)
    if content is None or title is None or not root.find_class("h-entry"):
        return []
    published = iso_date(time.get("datetime")) if time is not None else None
    url = LinkBase(home).absolute(link.get("href")) if link is not None else None
    if url is None or published is None:
        return [None]
    authors = distinct([person_name(inline_text(author))] if author is not None else [])
    name = inline_text(title).strip()
    return [Entry(url, title=name, authors=authors, published=published, content_html=_article(content, name))]


def _article(content: HtmlElement, title: str) -> str:
    """The article without its first heading if that repeats the title."""
    root = fragment("".join(lxml_html.tostring(child, encoding="unicode") for child in content))
    heading = next(root.iter(*HEADINGS), None)
    if heading is not None and inline_text(heading).strip() == title:
        heading.drop_tree()
    return str(lxml_html.tostring(root, encoding="unicode"))
