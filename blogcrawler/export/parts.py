"""What the page of a post shows besides its article, in formats for readers: discussions and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote, urlsplit

from blogcrawler.export.text import count
from blogcrawler.export.threads import threaded
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from markupsafe import Markup

    from blogcrawler.items import Media, Record

_PLAYERS = ("audio", "video")


class Page(Protocol):
    """What the page of a post has shown, and what the archive has of the post."""

    #: addresses of files
    used: set[str]

    @property
    def names(self) -> Mapping[str, object]:
        """What is kept, by address."""

    def shown(self, url: str) -> str | None:
        """See `articles.Surroundings`."""

    def opened(self, url: str) -> str | None:
        """See `articles.Surroundings`."""


def discussions(record: Record, markup: Callable[[str | None, str | None], Markup]) -> list[dict[str, Any]]:
    """Comments and mentions, with what is shown of them: `markup` of their content and text."""
    found = []
    for kind, title in (("comment", "Comments"), ("pingback", "Mentions")):
        comments = [
            {
                "threaded": one,
                "content": markup(one.comment.content_html, one.comment.content_text),
            }
            for one in threaded(record.comments, kind)
        ]
        missing = max(0, (record.comment_count or 0) - len(record.comments)) if kind == "comment" else 0
        if comments or missing:
            found.append({"anchor": title.lower(), "title": title, "comments": comments, "missing": missing})
    return found


def other_files(record: Record, page: Page) -> Iterator[dict[str, str | None]]:
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
