"""The Atom feed of a site, with the newest posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.export.text import xml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.backend import BlogRow
    from blogcrawler.export.chronology import Chronology, Listed
    from blogcrawler.export.site.files import Places

_ATOM = "http://www.w3.org/2005/Atom"
_NEVER = "1970-01-01T00:00:00+00:00"
"""Modification date of a blog without posts."""


def feed(blog: BlogRow, name: str, posts: Sequence[Listed], chronology: Chronology, places: Places) -> bytes:
    """Return the feed of a blog; each entry links to the page of the site and to the original."""
    root = etree.Element(f"{{{_ATOM}}}feed", nsmap={None: _ATOM})  # type: ignore[dict-item]
    _add(root, "id", blog.home)
    _add(root, "title", name)
    _add(root, "updated", max((post.changed for post in posts), default=_NEVER))
    _link(root, "index.html", "alternate")
    _link(root, "feed.xml", "self")
    for post in posts:
        entry = etree.SubElement(root, f"{{{_ATOM}}}entry")
        _add(entry, "id", post.url)
        _add(entry, "title", post.title)
        _add(entry, "updated", post.changed)
        authors = [author.name for author in chronology.labels_of(post.id, "author")]
        for author in authors or [name]:
            _add(etree.SubElement(entry, f"{{{_ATOM}}}author"), "name", author)
        _link(entry, places.post(post).removeprefix(places.folders[blog.id]), "alternate")
        _link(entry, post.url, "via")
        _add(entry, "summary", post.excerpt)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{_ATOM}}}{name}").text = xml_text(text)


def _link(parent: etree._Element, url: str, relation: str) -> None:
    etree.SubElement(parent, f"{{{_ATOM}}}link", rel=relation, href=xml_text(url))
