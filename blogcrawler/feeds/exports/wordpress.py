"""Reads WXR, "WordPress eXtended RSS" (wp-admin/includes/export.php of WordPress), versions 1.0 to 1.2."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import BLOCKS
from blogcrawler.feeds.comments.read import Item, comment_of
from blogcrawler.feeds.comments.threads import thread
from blogcrawler.feeds.dates import iso_date
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.quirks import local_name
from blogcrawler.feeds.texts import distinct, language_tag, person_name, title_text
from blogcrawler.items import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from blogcrawler.feeds.comments.read import FeedComment

_TAXONOMIES = frozenset({"category", "post_tag", "tag"})
_MAX_OFFSET = timedelta(hours=15)
_QUARTER = timedelta(minutes=15)
_TIME = "%Y-%m-%d %H:%M:%S"
_BLOCK = re.compile(rf"</?(?:{'|'.join(sorted(BLOCKS))}|script|style)\b|<!--", re.IGNORECASE)
_VERBATIM = re.compile(r"(<pre\b(?:(?!</pre\b).)*+(?:</pre\s*+>)?+)", re.IGNORECASE | re.DOTALL)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")


def read_wxr(elements: Iterable[etree._Element], home: str) -> Iterator[Entry | None]:
    """The posts of a document, None for each that is not public. Pages, attachments and other types of posts are
    ignored."""
    names: dict[str, str] = {}
    generator, language = "", None
    for element in elements:
        kind, values = local_name(element), child_texts(element)
        if kind == "author":
            names[values.get("author_login", "")] = values.get("author_display_name", "")
        elif kind == "generator":
            generator = _text(element).lower()
        elif kind == "language":
            language = language_tag(_text(element))
        elif kind == "item" and values.get("post_type", "post") == "post":
            is_public = values.get("status") == "publish" and not values.get("post_password")
            url = LinkBase(home).absolute(values.get("link")) if is_public else None
            values["creator"] = names.get(values.get("creator", "")) or values.get("creator", "")
            yield None if url is None else replace(_entry(element, values, url, generator), language=language)


def _entry(item: etree._Element, values: dict[str, str], url: str, generator: str) -> Entry:
    terms = (node for node in item if local_name(node) == "category" and node.get("domain") in _TAXONOMIES)
    base = url if "wordpress" in generator else None  # other programs number comments as they like
    comments = (_comment(child_texts(node), base) for node in item if local_name(node) == "comment")
    content = values.get("encoded")
    return Entry(
        url,
        guid=values.get("guid") or None,
        title=title_text(values.get("title", "")) or None,
        authors=distinct([person_name(values["creator"])]),
        published=_moment(values, "post_date") or iso_date(values.get("pubdate")),
        updated=_moment(values, "post_modified"),
        tags=distinct(title_text(_text(node)) for node in terms),
        content_html=paragraphs(content or values.get("excerpt", "")) or None,
        is_summary=not content,
        comments=tuple(thread([comment for comment in comments if comment is not None])),
    )


def _comment(values: dict[str, str], post_url: str | None) -> FeedComment | None:
    """A comment that was approved. `post_url` is that of its post if WordPress gave the comment its number."""
    if values.get("comment_approved") != "1":
        return None
    number, parent = values.get("comment_id", ""), values.get("comment_parent", "0")
    content, published = paragraphs(values.get("comment_content", "")), _moment(values, "comment_date")
    entry = Entry("", guid=number, published=published, content_html=content)
    person = person_name(values.get("comment_author", "")), LinkBase("").absolute(values.get("comment_author_url"))
    url = f"{post_url}#comment-{number}" if post_url and number else None
    read = comment_of(Item(entry, [person], url, answers=(parent,) if parent != "0" else ()))
    is_pingback = values.get("comment_type") in ("pingback", "trackback")
    return replace(read, comment=replace(read.comment, kind="pingback" if is_pingback else "comment"))


def _moment(values: dict[str, str], name: str) -> str | None:
    """The time in the blog's time zone, whose offset is the difference to UTC; the day alone if the offset is unknown
    and the time is midnight."""
    local = values.get(name, "")
    try:
        local_time, utc = (datetime.strptime(text, _TIME) for text in (local, values.get(f"{name}_gmt", "")))  # noqa: DTZ007
    except ValueError:  # also 0000-00-00 00:00:00
        return iso_date(local.removesuffix(" 00:00:00"))
    offset = local_time - utc
    if offset % _QUARTER or abs(offset) > _MAX_OFFSET:  # the blog has changed its clock, or the time was edited
        local_time, offset = utc, timedelta()
    return iso_date(local_time.replace(tzinfo=timezone(offset)).isoformat())


def paragraphs(text: str) -> str:
    """The HTML that WordPress shows for a text: blank lines separate paragraphs, other line ends are line breaks.

    Texts of the block editor have their paragraphs. O(n).
    """
    if "<!-- wp:" in text:
        return text
    parts = _VERBATIM.split(text.replace("\r\n", "\n"))
    blocks = (block for at, part in enumerate(parts) for block in ([part] if at % 2 else _BLANK_LINE.split(part)))
    return "\n".join(
        block if _BLOCK.match(block) else "<p>" + block.replace("\n", "<br>\n") + "</p>"
        for block in filter(None, map(str.strip, blocks))
    )


def child_texts(element: etree._Element) -> dict[str, str]:
    """The texts of the children, by local name; that of the excerpt is `excerpt`."""
    names = ("excerpt" if "/excerpt/" in str(node.tag) else local_name(node) for node in element)
    return {name: _text(node) for name, node in zip(names, element, strict=True)}


def _text(element: etree._Element) -> str:
    return "".join(element.itertext()).strip()  # type: ignore[arg-type]
