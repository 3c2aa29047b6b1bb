"""Comments from where a comment system's own script gets them: plain HTTP, a hundred times cheaper than a browser.

How a system is asked, and what its answers mean, is in data/systems.json under `endpoint`:

- `find`: regular expressions over a page's source, whose group is a part of the request; all but those in `may_lack`
  must be there;
- `url`: the request; besides those parts it may name `path` (of the page), `page_url` and `page` (number, from 1);
- `items`: where the comments stand in the answer; `replies`: where in each comment those that answer it;
- `fields`: where in a comment `id`, `parent`, `author`, `author_url`, `published` and `html` are;
- `prefix`: what stands before a comment's number in the ids that the system's script would give;
- `total`: the number of all comments; `pages`: that of pages.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.browser.systems import CommentSystem

__all__ = ["Thread", "beside", "thread_of"]

MOST_PAGES = 100
MOST_COMMENTS = 20_000
MILLISECONDS = 10_000_000_000
"""A time above this is not in seconds."""
MISSING = object()


@dataclass
class Thread:
    """The comments on one page, as far as the answers that were taken tell."""

    system: CommentSystem
    parts: Mapping[str, str]
    page: int = 1
    pages: int = 1
    total: int | None = None
    comments: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def next_url(self) -> str | None:
        """What to ask for next; None where nothing is left."""
        if self.page > min(self.pages, MOST_PAGES):
            return None
        quoted = {name: quote(value, safe="") for name, value in self.parts.items() if name != "server"}
        told: str = self._described["url"].format(**quoted, server=self.parts["server"].rstrip("/"), page=self.page)
        return urljoin(self.parts["page_url"], told)

    @property
    def is_whole(self) -> bool:
        """Is every comment there that the system counts?"""
        return self.next_url is None and self.total == len(self.comments)

    def take(self, body: bytes) -> bool:
        """Take in an answer; was it one?"""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            return False
        items = _at(answer, self._described["items"])
        total = _at(answer, self._described["total"])
        if not isinstance(items, list) or not isinstance(total, int):
            return False
        self.total = total
        pages = _at(answer, self._described["pages"]) if "pages" in self._described else 1
        self.pages = pages if isinstance(pages, int) else 1
        self.page += 1
        self.comments += self._read(items)
        return len(self.comments) <= MOST_COMMENTS

    def html(self) -> str:
        """The comments as HTML: all on one level, each with the id of the one that it answers."""
        told = "".join(map(_as_html, self.comments))
        return f'<section class="comments" data-comment-system="{escape(self.system.name)}">{told}</section>'

    @property
    def _described(self) -> Mapping[str, Any]:
        assert self.system.endpoint is not None
        return self.system.endpoint

    def _read(self, items: list[Any]) -> Iterator[Mapping[str, str]]:
        """The comments of an answer, each before those that answer it."""
        prefix = self._described.get("prefix", "")
        waiting: list[tuple[Any, str | None]] = [(item, None) for item in reversed(items)]
        while waiting and len(self.comments) <= MOST_COMMENTS:
            item, above = waiting.pop()
            found = {name: _at(item, path) for name, path in self._described["fields"].items()}
            told = {name: str(value) for name, value in found.items() if value not in (MISSING, None, "")}
            told["parent"] = told.get("parent") or above or ""
            if "published" in told:
                told["published"] = _moment(told["published"])
            replies = _at(item, self._described["replies"])
            waiting += [(reply, told.get("id")) for reply in reversed(replies)] if isinstance(replies, list) else []
            yield {**told, **{name: prefix + told[name] for name in ("id", "parent") if told.get(name)}}


def thread_of(system: CommentSystem, body: bytes, url: str) -> Thread | None:
    """The thread of a page, to be asked for; None where its system has no endpoint that is known, or is not told."""
    if system.endpoint is None:
        return None
    source = body.decode("utf-8", "replace")
    parts = {"page_url": url.partition("#")[0], "path": urlsplit(url).path}
    for name, pattern in system.endpoint["find"].items():
        found = re.search(pattern, source)
        if found is not None and found[1].strip():
            parts[name] = found[1].strip()
        elif name not in system.endpoint.get("may_lack", {}):
            return None
        else:
            parts[name] = system.endpoint["may_lack"][name].format(**parts)
    return Thread(system, parts)


def beside(body: bytes, html: str) -> bytes:
    """A page with more HTML at the end of what it shows, in any charset."""
    added = html.encode("ascii", "xmlcharrefreplace")
    end = body.lower().rfind(b"</body")
    return body + added if end < 0 else body[:end] + added + body[end:]


def _at(value: Any, path: str) -> Any:  # noqa: ANN401
    """What stands at a path of names in an answer."""
    for name in path.split("."):
        if not isinstance(value, dict):
            return MISSING
        value = value.get(name, MISSING)
    return value


def _moment(told: str) -> str:
    """A time as ISO 8601: seconds or milliseconds since 1970, or what is written."""
    try:
        seconds = float(told)
        return datetime.fromtimestamp(seconds / 1000 if seconds > MILLISECONDS else seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return told


def _as_html(comment: Mapping[str, str]) -> str:
    author = escape(comment.get("author", ""))
    if comment.get("author_url", "").startswith(("http://", "https://")):
        author = f'<a rel="nofollow" href="{escape(comment["author_url"])}">{author}</a>'
    published = escape(comment.get("published", ""))
    parent = f' data-parent="{escape(comment["parent"])}"' if comment.get("parent") else ""
    return (
        f'<article class="comment" id="{escape(comment.get("id", ""))}"{parent}><cite>{author}</cite> '
        f'<time datetime="{published}">{published}</time><div class="text">{comment.get("html", "")}</div></article>'
    )
