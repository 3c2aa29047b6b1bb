"""Dublin Core (oai_dc): each post as a record in the format of OAI-PMH."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, BinaryIO

from lxml import etree

from blogcrawler.export.format import TextFormat
from blogcrawler.export.text import beginning, xml_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection

_OAI = "http://www.openarchives.org/OAI/2.0/"
_OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
_DC = "http://purl.org/dc/elements/1.1/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMA = f"{_OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
_PREFIXES = {"oai_dc": _OAI_DC, "dc": _DC, "xsi": _XSI}


def write(selection: Selection, stream: BinaryIO) -> None:
    """Write one list of records, one after the other."""
    with etree.xmlfile(stream, encoding="UTF-8") as file:
        file.write_declaration()
        with file.element(f"{{{_OAI}}}ListRecords", nsmap={None: _OAI}):
            file.write("\n")
            for blog in selection.blogs:
                for post in selection.posts(blog):
                    file.write(_record(post, blog))
                    file.write("\n")
    stream.write(b"\n")


FORMAT = TextFormat("dc", write)


def _record(post: KeptPost, blog: BlogRow) -> etree._Element:
    record = etree.Element(f"{{{_OAI}}}record", nsmap={None: _OAI})  # type: ignore[dict-item]
    header = etree.SubElement(record, f"{{{_OAI}}}header")
    etree.SubElement(header, f"{{{_OAI}}}identifier").text = xml_text(post.record.url)
    etree.SubElement(header, f"{{{_OAI}}}datestamp").text = _stamp(post.last_changed)
    etree.SubElement(record, f"{{{_OAI}}}metadata").append(described(post, blog))
    return record


def described(post: KeptPost, blog: BlogRow) -> etree._Element:
    """A post in simple Dublin Core."""
    described = etree.Element(f"{{{_OAI_DC}}}dc", nsmap=_PREFIXES)
    described.set(f"{{{_XSI}}}schemaLocation", _SCHEMA)
    for name, value in _elements(post, blog):
        if value:
            etree.SubElement(described, f"{{{_DC}}}{name}").text = xml_text(value)
    return described


def _elements(post: KeptPost, blog: BlogRow) -> Iterator[tuple[str, str | None]]:
    """Return the Dublin Core elements of a post with their values."""
    record = post.record
    yield "title", record.title
    yield from (("creator", name) for name in record.authors)
    yield from (("subject", tag) for tag in record.tags)
    yield "description", beginning(record.content_text)
    yield "publisher", blog.title
    yield "date", record.published
    yield "type", "Text"
    yield "format", "text/html"
    yield "identifier", record.url
    yield "identifier", record.guid if record.guid != record.url else None
    yield "language", record.language
    yield "relation", record.blog
    yield from (("relation", file.url) for file in record.media)


def _stamp(moment: datetime) -> str:
    """Return a time in the format of OAI-PMH."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
