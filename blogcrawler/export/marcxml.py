"""MARCXML: each post as a MARC 21 bibliographic record, a component part of its blog."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, BinaryIO
from xml.etree.ElementTree import tostring

from blogcrawler.export.format import TextFormat
from blogcrawler.export.text import beginning, encoded, xml_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pymarc import Field, Record

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection

_BEGINNING = b"<?xml version='1.0' encoding='UTF-8'?>\n<collection xmlns=\"http://www.loc.gov/MARC21/slim\">\n"
_END = b"</collection>\n"
_LEADER = "00000nab a2200000uu 4500"
"""Leader: new record; text; component part of a continuing resource; Unicode; machine-made description."""
_NO_TITLE = "[no title]"
_KINDS = (
    ("336", "text", "txt", "rdacontent"),
    ("337", "computer", "c", "rdamedia"),
    ("338", "online resource", "cr", "rdacarrier"),
)


def write(selection: Selection, stream: BinaryIO) -> None:
    """Write one collection of records, one after the other."""
    from pymarc import record_to_xml_node  # imported late to start faster

    stream.write(_BEGINNING)
    for blog in selection.blogs:
        nodes = (record_to_xml_node(_record(post, blog)) for post in selection.posts(blog))  # type: ignore[no-untyped-call]
        stream.writelines(encoded(tostring(node, encoding="unicode") + "\n") for node in nodes)
    stream.write(_END)


FORMAT = TextFormat("marcxml", write)


def _record(post: KeptPost, blog: BlogRow) -> Record:
    from pymarc import Field, Record

    control = [Field(tag, data=data) for tag, data in _control(post)]
    return Record(leader=_LEADER, fields=[*control, *_fields(post, blog)])


def _control(post: KeptPost) -> Iterator[tuple[str, str]]:
    yield "001", str(post.id)
    yield "005", f"{_utc(post.last_changed):%Y%m%d%H%M%S}.0"
    yield "007", "cr"
    day = (post.record.published or "")[:10].replace("-", "")
    published = f"e{day:8}" if day else "nuuuuuuuu"
    yield "008", f"{_utc(post.first_seen):%y%m%d}{published}xx {'|' * 22}"


def _fields(post: KeptPost, blog: BlogRow) -> Iterator[Field]:
    """Return the fields in the order of their tags."""
    record = post.record
    yield _field("024", "7 ", a=record.url, _2="uri")
    if record.guid and record.guid != record.url:
        yield _field("024", "8 ", a=record.guid)
    if record.language:
        yield _field("041", " 7", a=record.language, _2="rfc5646")
    for name in record.authors[:1]:
        yield _field("100", "0 ", a=name)
    yield _field("245", f"{int(bool(record.authors))}0", a=record.title or _NO_TITLE)
    if blog.title or record.published:
        yield _field("264", " 1", b=blog.title, c=record.published)
    for tag, words, code, vocabulary in _KINDS:
        yield _field(tag, "  ", a=words, b=code, _2=vocabulary)
    if record.content_text:
        yield _field("520", "  ", a=beginning(record.content_text))
    for name in record.tags:
        yield _field("653", "  ", a=name)
    for name in record.authors[1:]:
        yield _field("700", "0 ", a=name)
    yield _field("773", "0 ", t=blog.title, o=blog.home)
    yield _field("856", "40", u=record.url, q="text/html")
    for file in record.media:
        yield _field("856", "42", u=file.url, q=file.type)


def _field(tag: str, indicators: str, **values: str | None) -> Field:
    """Return a field with its non-empty subfields; the keyword "_2" means subfield 2."""
    from pymarc import Field, Indicators, Subfield

    subfields = [
        Subfield(code.strip("_"), " ".join(xml_text(value).split())) for code, value in values.items() if value
    ]
    return Field(tag, Indicators(*indicators), subfields)


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
