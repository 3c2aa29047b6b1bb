"""Posts, their comments and their files as items of WXR 1.2 (wp-admin/includes/export.php of WordPress)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape

from blogcrawler.export.text import xml_text
from blogcrawler.export.wxr.texts import Moment, as_html, cdata, moment, post_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.backend import KeptPost
    from blogcrawler.export.wxr.terms import Terms
    from blogcrawler.items import Comment, Media, Record

_NO_ATTACHMENTS = frozenset({"comment", "screenshot"})
"""Roles of files that are no part of the article."""


class _Item(NamedTuple):
    """What an item has, whatever it is."""

    number: int
    kind: str
    status: str
    parent: int
    title: str
    link: str
    guid: str
    name: str
    at: Moment
    modified: Moment
    login: str
    content: str
    #: further elements
    more: str = ""


def post(kept: KeptPost, terms: Terms, first_comment: int, moved: Mapping[str, str]) -> str:
    """A post with its comments, which are numbered from `first_comment` on.

    `moved` has new addresses of files by their old ones.
    """
    record = kept.record
    at = _published(kept)
    more = [*_tags(record, terms), *_meta(record, moved), *_comments(record, at, first_comment, moved)]
    return _xml(
        _Item(
            kept.id, "post", "publish", 0, record.title or "", record.url, record.guid or record.url,
            post_name(record.url, record.title), at, moment(record.updated) or at,
            terms.logins[_authors(record)[0]] if _authors(record) else "",
            as_html(record.content_html, record.content_text, moved), "".join(more),
        )
    )  # fmt: skip


def files(record: Record) -> Iterator[Media]:
    """The files of a post that the web had, but for those of its comments, and pictures of its page."""
    return (media for media in record.media if media.error is None and media.role not in _NO_ATTACHMENTS)


def attachment(kept: KeptPost, media: Media, number: int, url: str) -> str:
    """A file of a post, which WordPress fetches from an address."""
    name, at = unquote(urlsplit(media.url).path.rpartition("/")[2]) or media.url, _published(kept)
    more = f"<wp:attachment_url>{cdata(url)}</wp:attachment_url>\n"
    return _xml(
        _Item(
            number, "attachment", "inherit", kept.id, name, media.url, media.url, post_name(name, name), at, at, "", "",
            more,
        )
    )  # fmt: skip


def _published(kept: KeptPost) -> Moment:
    """WordPress shows a time with each post: where none is known, the first that is."""
    times = (kept.record.published, kept.record.updated, kept.first_seen.isoformat())
    return next(filter(None, map(moment, times)))


def _xml(item: _Item) -> str:
    return (
        f"<item>\n<title>{cdata(item.title)}</title>\n<link>{_text(item.link)}</link>\n"
        f"<pubDate>{item.at.rfc822}</pubDate>\n<dc:creator>{cdata(item.login)}</dc:creator>\n"
        f'<guid isPermaLink="false">{_text(item.guid)}</guid>\n<description></description>\n'
        f"<content:encoded>{cdata(item.content)}</content:encoded>\n<excerpt:encoded>{cdata('')}</excerpt:encoded>\n"
        f"<wp:post_id>{item.number}</wp:post_id>\n"
        f"<wp:post_date>{cdata(item.at.local)}</wp:post_date>\n"
        f"<wp:post_date_gmt>{cdata(item.at.gmt)}</wp:post_date_gmt>\n"
        f"<wp:post_modified>{cdata(item.modified.local)}</wp:post_modified>\n"
        f"<wp:post_modified_gmt>{cdata(item.modified.gmt)}</wp:post_modified_gmt>\n"
        f"<wp:comment_status>{cdata('open')}</wp:comment_status>\n<wp:ping_status>{cdata('open')}</wp:ping_status>\n"
        f"<wp:post_name>{cdata(item.name)}</wp:post_name>\n<wp:status>{cdata(item.status)}</wp:status>\n"
        f"<wp:post_parent>{item.parent}</wp:post_parent>\n<wp:menu_order>0</wp:menu_order>\n"
        f"<wp:post_type>{cdata(item.kind)}</wp:post_type>\n<wp:post_password>{cdata('')}</wp:post_password>\n"
        f"<wp:is_sticky>0</wp:is_sticky>\n{item.more}</item>\n"
    )


def _tags(record: Record, terms: Terms) -> Iterator[str]:
    for name in dict.fromkeys(filter(None, map(str.strip, record.tags))):
        yield f'<category domain="post_tag" nicename="{terms.tags[name]}">{cdata(name)}</category>\n'


def _meta(record: Record, moved: Mapping[str, str]) -> Iterator[str]:
    """Where the post was, its other authors, and its enclosures in the form in which WordPress keeps these."""
    yield _postmeta("archived_from", record.url)
    yield from (_postmeta("author", name) for name in _authors(record)[1:])
    for media in record.media:
        if media.role == "enclosure":
            yield _postmeta("enclosure", f"{moved.get(media.url, media.url)}\n{media.bytes or 0}\n{media.type or ''}")


def _postmeta(key: str, value: str) -> str:
    told = f"<wp:meta_key>{cdata(key)}</wp:meta_key><wp:meta_value>{cdata(value)}</wp:meta_value>"
    return f"<wp:postmeta>{told}</wp:postmeta>\n"


def _authors(record: Record) -> list[str]:
    return [name.strip() for name in record.authors if name.strip()]


def _comments(record: Record, at: Moment, first: int, moved: Mapping[str, str]) -> Iterator[str]:
    """The comments; one without a time has that of the post."""
    numbers: dict[str, int] = {}
    for number, comment in enumerate(record.comments, first):
        if comment.id:
            numbers.setdefault(comment.id, number)
    for number, comment in enumerate(record.comments, first):
        parent = numbers.get(comment.parent or "", 0)
        content = as_html(comment.content_html, comment.content_text, moved)
        answered = parent if parent != number else 0
        yield _comment(comment, number, answered, moment(comment.published) or at, content)


def _comment(comment: Comment, number: int, parent: int, at: Moment, content: str) -> str:
    return (
        f"<wp:comment>\n<wp:comment_id>{number}</wp:comment_id>\n"
        f"<wp:comment_author>{cdata(comment.author)}</wp:comment_author>\n"
        f"<wp:comment_author_email>{cdata('')}</wp:comment_author_email>\n"
        f"<wp:comment_author_url>{_text(comment.author_url or '')}</wp:comment_author_url>\n"
        f"<wp:comment_author_IP>{cdata('')}</wp:comment_author_IP>\n"
        f"<wp:comment_date>{cdata(at.local)}</wp:comment_date>\n"
        f"<wp:comment_date_gmt>{cdata(at.gmt)}</wp:comment_date_gmt>\n"
        f"<wp:comment_content>{cdata(content)}</wp:comment_content>\n"
        f"<wp:comment_approved>{cdata('1')}</wp:comment_approved>\n"
        f"<wp:comment_type>{cdata(comment.kind)}</wp:comment_type>\n"
        f"<wp:comment_parent>{parent}</wp:comment_parent>\n"
        f"<wp:comment_user_id>0</wp:comment_user_id>\n</wp:comment>\n"
    )


def _text(value: str) -> str:
    return escape(xml_text(value))
