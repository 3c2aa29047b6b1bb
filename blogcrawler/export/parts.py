"""Comments and files on the page of a post, for formats for readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote, urlsplit

from blogcrawler.export.text import count
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from markupsafe import Markup

    from blogcrawler.items import Comment, Media, Record

_PLAYERS = ("audio", "video")
_DEEPEST = 6
"""Largest indentation level of comments."""


class Page(Protocol):
    """The archived files of a post, and those that its page has shown."""

    #: URLs of files
    used: set[str]

    @property
    def names(self) -> Mapping[str, object]:
        """What is kept, by address."""

    def shown(self, url: str) -> str | None:
        """See `articles.Surroundings`."""

    def opened(self, url: str) -> str | None:
        """See `articles.Surroundings`."""


def discussions(record: Record, markup: Callable[[str | None, str | None], Markup]) -> list[dict[str, Any]]:
    """Return comments and mentions with the `markup` of their content."""
    groups = []
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
            groups.append({"anchor": title.lower(), "title": title, "comments": comments, "missing": missing})
    return groups


def other_files(record: Record, page: Page) -> Iterator[dict[str, str | None]]:
    """Return the files of a post that its article does not show."""
    for media in record.media:
        if media.url in page.used or (media.role in ("image", "comment") and media.url not in page.names):
            continue
        local_url = page.shown(media.url)
        href = page.opened(media.url) if local_url else media.url if is_http(media.url) else None
        player = (media.type or "").partition("/")[0]
        yield {
            "shown": local_url,
            "href": href,
            "player": player if local_url and player in _PLAYERS else None,
            "name": unquote(urlsplit(media.url).path.rpartition("/")[2]) or media.url,
            "details": _file_details(media, is_kept=local_url is not None),
        }


def _file_details(media: Media, *, is_kept: bool) -> str:
    said = [media.role or "file", media.type or "", count(media.bytes, "byte") if media.bytes is not None else ""]
    return (
        ", ".join(filter(None, said))
        if is_kept
        else f"{media.role or 'file'}, not archived: {media.error or 'no file'}"
    )


@dataclass(frozen=True)
class Threaded:
    """A comment in its thread."""

    comment: Comment
    #: its anchor on the page
    anchor: str
    #: its level; 0 if it answers the post
    depth: int
    #: number of levels that end after it; -1 if the next comment answers it
    closes: int
    #: the comment that it answers
    parent: Comment | None
    #: the anchor of that comment
    parent_anchor: str | None


def anchors(comments: Sequence[Comment]) -> dict[str, str]:
    """Return the anchors of comments by ID; the first wins if an ID is repeated."""
    anchors_by_id: dict[str, str] = {}
    for number, comment in enumerate(comments, 1):
        if comment.id:
            anchors_by_id.setdefault(comment.id, f"comment-{number}")
    return anchors_by_id


def threaded(comments: Sequence[Comment], kind: str) -> list[Threaded]:
    """Return the comments of a kind in thread order. A comment whose parent is missing answers the post. O(n)."""
    numbers: dict[str, int] = {}
    for number, comment in enumerate(comments):
        if comment.id and comment.kind == kind:
            numbers.setdefault(comment.id, number)
    parents = {
        number: numbers.get(comment.parent) if comment.parent else None
        for number, comment in enumerate(comments)
        if comment.kind == kind
    }
    order = _reading_order(parents)
    depths = [depth for _, depth in order] + [0]
    return [
        Threaded(
            comments[number],
            f"comment-{number + 1}",
            depth,
            depth - depths[place + 1],
            None if (parent := parents[number]) is None or parent == number else comments[parent],
            None if parent is None or parent == number else f"comment-{parent + 1}",
        )
        for place, (number, depth) in enumerate(order)
    ]


def _reading_order(parents: dict[int, int | None]) -> list[tuple[int, int]]:
    """Yield each number once, with its depth, also if parents form a cycle."""
    answers: dict[int | None, list[int]] = {}
    for number, parent in parents.items():
        answers.setdefault(parent if parent != number else None, []).append(number)
    order: list[tuple[int, int]] = []
    visited: set[int] = set()
    for start in [*answers.get(None, ()), *parents]:
        waiting = [(start, 0)]
        while waiting:
            number, depth = waiting.pop()
            if number not in visited:
                visited.add(number)
                order.append((number, min(depth, _DEEPEST)))
                waiting.extend((answer, depth + 1) for answer in reversed(answers.get(number, ())))
    return order
