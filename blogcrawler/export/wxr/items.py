"""Posts, their comments and their files as items of WXR 1.2 (wp-admin/includes/export.php of WordPress)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape

from markupsafe import Markup

from blogcrawler.export.text import slug as ascii_slug
from blogcrawler.export.text import xml_text
from blogcrawler.export.wxr.texts import Moment, as_html, cdata, moment, post_name, slug
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jinja2 import Environment

    from blogcrawler.backend import KeptPost
    from blogcrawler.items import Media, Record

_NO_ATTACHMENTS = frozenset({"comment", "screenshot"})
"""Roles of files that are not part of the article."""
_LONGEST_LOGIN = 60


@dataclass
class Terms:
    """The authors and tags of posts, in the order in which they occur. Memory grows with their number, not with that of
    the posts."""

    #: login by name
    logins: dict[str, str] = field(default_factory=dict)
    #: slug by name
    tags: dict[str, str] = field(default_factory=dict)
    #: the highest id of a post
    last_id: int = 0
    _taken: set[str] = field(default_factory=set)

    def add(self, number: int, record: Record) -> None:
        """Add the authors and tags of a post."""
        self.last_id = max(self.last_id, number)
        for name in filter(None, map(str.strip, record.authors)):
            if name not in self.logins:
                self.logins[name] = self._free(ascii_slug(name)[:_LONGEST_LOGIN] or "author", "author")
        for name in filter(None, map(str.strip, record.tags)):
            if name not in self.tags:
                self.tags[name] = self._free(slug(name) or "tag", "tag")

    def _free(self, wanted: str, kind: str) -> str:
        """An unused name of this kind: the wanted one, with a number if necessary."""
        name, number = wanted, 1
        while f"{kind} {name}" in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(f"{kind} {name}")
        return name


@cache
def templates() -> Environment:
    """The templates of the beginning of a file and of its items."""
    environment = templates_of("blogcrawler.export.wxr")
    environment.finalize = lambda value: value if isinstance(value, Markup) else Markup(escape(xml_text(str(value))))  # noqa: S704
    environment.filters["cdata"] = lambda text: Markup(cdata(text))  # noqa: S704 - no markup in a CDATA section
    return environment


def post(archived: KeptPost, terms: Terms, first_comment: int, moved: Mapping[str, str]) -> str:
    """A post with its comments, which are numbered from `first_comment` on. `moved` maps URLs of files to their new
    URLs."""
    record, authors = archived.record, _authors(archived.record)
    at = _published(archived)
    return _item(
        number=archived.id,
        kind="post",
        status="publish",
        title=record.title or "",
        link=record.url,
        guid=record.guid or record.url,
        name=post_name(record.url, record.title),
        at=at,
        modified=moment(record.updated) or at,
        login=terms.logins[authors[0]] if authors else "",
        content=as_html(record.content_html, record.content_text, moved),
        tags=[(terms.tags[tag], tag) for tag in dict.fromkeys(filter(None, map(str.strip, record.tags)))],
        meta=_meta(record, moved),
        comments=_comments(record, at, first_comment, moved),
    )


def files(record: Record) -> Iterator[Media]:
    """The files of a post that were fetched, except those of comments and screenshots."""
    return (media for media in record.media if media.error is None and media.role not in _NO_ATTACHMENTS)


def attachment(archived: KeptPost, media: Media, number: int, url: str) -> str:
    """A file of a post, which WordPress fetches from this `url`."""
    name, at = unquote(urlsplit(media.url).path.rpartition("/")[2]) or media.url, _published(archived)
    return _item(
        number=number,
        kind="attachment",
        status="inherit",
        parent=archived.id,
        title=name,
        link=media.url,
        guid=media.url,
        name=post_name(name, name),
        at=at,
        modified=at,
        attachment_url=url,
    )


def _item(**values: Any) -> str:  # noqa: ANN401
    without = {"parent": 0, "login": "", "content": "", "tags": (), "meta": (), "comments": (), "attachment_url": None}
    return templates().get_template("item.xml").render({**without, **values})


def _published(archived: KeptPost) -> Moment:
    """The time of publication, which WordPress always shows; if it is unknown, that of the last change or of the
    archiving."""
    times = (archived.record.published, archived.record.updated, archived.first_seen.isoformat())
    return next(filter(None, map(moment, times)))


def _meta(record: Record, moved: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The original URL of the post, its further authors, and its enclosures in WordPress's form."""
    yield "archived_from", record.url
    yield from (("author", name) for name in _authors(record)[1:])
    for media in record.media:
        if media.role == "enclosure":
            yield "enclosure", f"{moved.get(media.url, media.url)}\n{media.bytes or 0}\n{media.type or ''}"


def _authors(record: Record) -> list[str]:
    return [name.strip() for name in record.authors if name.strip()]


def _comments(record: Record, at: Moment, first: int, moved: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The comments; a comment without a time gets the time of the post."""
    numbers: dict[str, int] = {}
    for number, comment in enumerate(record.comments, first):
        if comment.id:
            numbers.setdefault(comment.id, number)
    for number, comment in enumerate(record.comments, first):
        parent = numbers.get(comment.parent or "", 0)
        yield {
            **vars(comment),
            "number": number,
            "parent": parent if parent != number else 0,
            "at": moment(comment.published) or at,
            "content": as_html(comment.content_html, comment.content_text, moved),
        }
