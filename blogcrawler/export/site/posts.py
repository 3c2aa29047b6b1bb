"""What the page of a post shows besides what its record says: articles, discussions and files, as the site has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lxml import etree
from markupsafe import Markup

from blogcrawler.export.articles import article
from blogcrawler.export.site.pages import count
from blogcrawler.export.threads import threaded
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.export.site.files import PostPage
    from blogcrawler.items import Media, Record

__all__ = ["discussions", "markup", "other_files"]

_PLAYERS = ("audio", "video")


def markup(html: str | None, text: str | None, record: Record, page: PostPage) -> Markup:
    """An article or a comment, for the page of its post."""
    root = article(html, text, record.url, page)
    inner = etree.tostring(root, encoding="unicode", method="html", with_tail=False)
    return Markup(inner.removeprefix("<div>").removesuffix("</div>"))  # noqa: S704 - sanitised by `article`


def discussions(record: Record, page: PostPage) -> list[dict[str, Any]]:
    """Comments and mentions, with what is shown of them."""
    found = []
    for kind, title in (("comment", "Comments"), ("pingback", "Mentions")):
        comments = [
            {
                "threaded": one,
                "content": markup(one.comment.content_html, one.comment.content_text, record, page),
            }
            for one in threaded(record.comments, kind)
        ]
        missing = max(0, (record.comment_count or 0) - len(record.comments)) if kind == "comment" else 0
        if comments or missing:
            found.append({"anchor": title.lower(), "title": title, "comments": comments, "missing": missing})
    return found


def other_files(record: Record, page: PostPage) -> Iterator[dict[str, str | None]]:
    """The files of a post that its article does not show."""
    for media in record.media:
        if media.url in page.used or (media.role in ("image", "comment") and media.url not in page.names):
            continue
        shown = page.shown(media.url)
        href = page.opened(media.url) if shown else media.url if is_http(media.url) else None
        player = (media.type or "").partition("/")[0]
        yield {
            "shown": shown,
            "href": href,
            "player": player if shown and player in _PLAYERS else None,
            "name": unquote(urlsplit(media.url).path.rpartition("/")[2]) or media.url,
            "told": _told(media, is_kept=shown is not None),
        }


def _told(media: Media, *, is_kept: bool) -> str:
    said = [media.role or "file", media.type or "", count(media.bytes, "byte") if media.bytes is not None else ""]
    return ", ".join(filter(None, said)) if is_kept else f"{media.role or 'file'}, not kept: {media.error or 'no file'}"
