"""Renders a post with its comments as one self-contained HTML page."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TYPE_CHECKING

from lxml import etree, html
from markupsafe import Markup

from blogcrawler.export.text import encoded, plain
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Template

    from blogcrawler.items import Comment, Record


def page(record: Record, blog_title: str | None, names: Mapping[str, str]) -> bytes:
    """Render the page. `names` maps URLs to the names of files in the same folder. The record's HTML is already
    sanitised."""
    return encoded(
        _template().render(record=record, blog_title=blog_title, content=lambda item: Markup(_content(item, names)))  # noqa: S704
    )


@cache
def _template() -> Template:
    templates = templates_of("blogcrawler.deposit")
    templates.finalize = templates.filters["text"] = lambda value: (
        value if isinstance(value, Markup) else Markup(_text(value))  # noqa: S704 - escaped
    )
    return templates.get_template("post.html")


def _content(item: Record | Comment, names: Mapping[str, str]) -> str:
    """HTML of a post or comment, with links to the files in the same folder; escaped text if it has no HTML."""
    markup = item.content_html
    if not markup:
        return "\n".join(f"<p>{_text(part)}</p>" for part in (item.content_text or "").split("\n\n") if part.strip())
    if not any(url in markup or _text(url) in markup for url in names):
        return plain(markup)
    try:
        tree = html.fragment_fromstring(plain(markup), create_parent="div")
    except (etree.ParserError, ValueError):
        return plain(markup)
    for element in tree.iter():
        for name in ("src", "href", "poster"):
            value = element.get(name) if isinstance(element.tag, str) else None
            if value is not None and value in names:
                element.set(name, names[value])
                element.attrib.pop("srcset", None)
    return str(html.tostring(tree, encoding="unicode"))


def _text(text: str) -> str:
    return escape(plain(text))
