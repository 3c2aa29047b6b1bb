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

    from .model import BlogExport


def read_story(body: bytes, home: str, export: BlogExport) -> bool:
    """Add a story, which is a draft if it has no date or address; False for other pages."""
    try:
        root = parse(body)
    except NotAWebPage:
        return False
    story = _first(root, "h-entry")
    content = _first(story, "e-content")
    if story is None or content is None:
        return False
    time, link, title = _first(story, "dt-published"), _first(story, "p-canonical"), _text(story, "p-name")
    published = iso_date(time.get("datetime")) if time is not None else None
    url = LinkBase(home).absolute(link.get("href")) if link is not None else None
    if url is None or published is None:
        export.left_out += 1
        return True
    author = distinct([person_name(_text(story, "p-author"))])
    export.entries.append(
        Entry(url, title=title or None, authors=author, published=published, content_html=_article(content, title))
    )
    return True


def _article(content: HtmlElement, title: str) -> str:
    """The article without its first heading if that repeats the title."""
    root = fragment("".join(lxml_html.tostring(child, encoding="unicode") for child in content))
    heading = next((element for element in root.iter(*HEADINGS)), None)
    if heading is not None and inline_text(heading) == title:
        heading.drop_tree()
    article: str = lxml_html.tostring(root, encoding="unicode")
    return article


def _first(root: HtmlElement | None, name: str) -> HtmlElement | None:
    """The first element with a class."""
    return next(iter(root.find_class(name)), None) if root is not None else None


def _text(root: HtmlElement, name: str) -> str:
    found = _first(root, name)
    return inline_text(found).strip() if found is not None else ""
