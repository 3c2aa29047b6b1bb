"""Comments from where a comment system's own script gets them: plain HTTP, a hundred times cheaper than a browser.

How a system is asked, and what its answers mean, is in data/endpoints.toml, which says how to read it.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from html import escape
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.browser.answers import MISSING, at, comments_in, number, read_answer
from blogcrawler.browser.paging import Paging
from blogcrawler.browser.parts import fill, fill_url, parts_of
from blogcrawler.browser.systems import LARGEST, CommentSystem

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Question", "Thread", "beside", "own_threads", "thread_of"]

MOST_ANSWERS = 200
MOST_COMMENTS = 20_000
OK = 200
NUMBERS = ("page", "offset", "start", "least")
"""Parts that are numbers in a request's JSON."""


class Question(NamedTuple):
    """A request to a comment system."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = MappingProxyType({})
    body: bytes = b""


class Thread:
    """The comments on one page, as far as the answers that were taken tell."""

    def __init__(self, system: str, told: Mapping[str, Any], parts: Mapping[str, str]) -> None:
        self.system = system
        self.comments: list[dict[str, Any]] = []
        self._told = told
        self._parts = dict(parts)
        #: what must be asked for before
        self._first: list[Mapping[str, Any]] = list(told.get("first", ()))
        self._paging = Paging(told.get("paging", {}))
        self._total: int | None = None
        self._answers = 0
        #: comments that have not all of their replies yet, and the thread of those of the first
        self._short: list[dict[str, Any]] = []
        self._replies: Thread | None = None

    @property
    def is_own(self) -> bool:
        """Are the comments the blog's own, and not those of a service that is embedded?"""
        return bool(self._told.get("own"))

    @property
    def prefix(self) -> str:
        """What stands before a comment's id where it is shown."""
        return str(self._told.get("prefix", ""))

    @property
    def next_question(self) -> Question | None:
        """What to ask for next; None where nothing is left."""
        if self._answers >= MOST_ANSWERS:
            return None
        if self._paging.is_at_end:
            return self._replies.next_question if self._replies is not None else None
        request = self._first[0]["request"] if self._first else self._told["request"]
        return _question(request, self._parts | self._paging.parts)

    @property
    def is_whole(self) -> bool:
        """Is every comment there that the system has, as far as it tells?"""
        found = len(self.comments)
        if not self._paging.is_at_end or self._short or any(comment["is_short"] for comment in self.comments):
            return False
        if found >= self._told.get("most", MOST_COMMENTS):
            return False
        tops = sum(comment["is_top"] for comment in self.comments)
        return self._total in (None, tops if self._told.get("counts") == "top" else found)

    def take(self, body: bytes, *, status: int = OK, headers: Mapping[str, str] | None = None) -> bool:
        """Take in the answer to the last question; was it one? `headers` are named in small letters."""
        self._answers += 1
        if self._replies is not None:
            return self._take_replies(self._replies, body, status, headers)
        if status != OK:
            self._paging.is_at_end = status in self._told.get("empty", ())
            return self._paging.is_at_end
        if self._first:
            return self._take_first(self._first.pop(0), read_answer(body))
        return self._take_comments(read_answer(body, self._told.get("within")), headers or {})

    def html(self) -> str:
        """The comments as HTML: all on one level, each with the id of the one that it answers."""
        prefix, known = self._told.get("prefix", ""), {comment.get("id") for comment in self.comments}
        told = "".join(_as_html(comment, prefix, known) for comment in self.comments)
        return f'<section class="comments" data-comment-system="{escape(self.system)}">{told}</section>'

    def _take_first(self, step: Mapping[str, Any], answer: Any) -> bool:  # noqa: ANN401
        """Take what must be known before; where it is not there, there may be no comments yet."""
        for name, path in step["parts"].items():
            value = at(answer, path)
            if value is None or isinstance(value, (dict, list)) or value is MISSING:
                self._paging.is_at_end = "may_lack" in step and at(answer, step["may_lack"]) == []
                return self._paging.is_at_end
            self._parts[name] = str(value)
        return True

    def _take_comments(self, answer: Any, headers: Mapping[str, str]) -> bool:  # noqa: ANN401
        items, self._total = at(answer, self._told["items"]), self._announced(answer, headers)
        if items in (None, MISSING) and self._total == 0:
            items = []
        if not isinstance(items, list) or (self._total is None and "total" in self._told):
            return False
        known = {comment["id"] for comment in self.comments if "id" in comment}
        for comment in comments_in(items, answer, self._told):
            if comment.get("id") in known:
                continue
            known |= {comment["id"]} if "id" in comment else set()
            self.comments.append(comment)
            if len(self.comments) > MOST_COMMENTS:
                return False
        self._paging.advance(answer, items, len(self.comments), self._total)
        if self._paging.is_at_end and "more_replies" in self._told:
            self._short = [comment for comment in self.comments if comment["is_short"] and "id" in comment]
            self._ask_for_replies()
        return True

    def _ask_for_replies(self) -> None:
        """Go on with the replies of the next comment that has announced more."""
        self._replies = None
        if self._short:
            told = {name: value for name, value in self._told.items() if name not in ("first", "more_replies")}
            parts = self._parts | {"id": self._short[0]["id"]}
            self._replies = Thread(self.system, told | self._told["more_replies"], parts)

    def _take_replies(self, replies: Thread, body: bytes, status: int, headers: Mapping[str, str] | None) -> bool:
        """Take an answer that has replies; once all are there, they come behind the comment that they answer."""
        if not replies.take(body, status=status, headers=headers):
            return False
        if replies.next_question is not None:
            return True
        above = self._short.pop(0)
        above["is_short"] = not replies.is_whole
        for reply in replies.comments:
            reply.update(is_top=False, parent=reply["parent"] or above["id"])
        known = {reply["id"] for reply in replies.comments if "id" in reply}
        self.comments = [comment for comment in self.comments if comment.get("id") not in known]
        place = self.comments.index(above) + 1
        self.comments[place:place] = replies.comments
        self._ask_for_replies()
        return True

    def _announced(self, answer: Any, headers: Mapping[str, str]) -> int | None:  # noqa: ANN401
        """How many comments there are, as an answer, its header, or one that came before says."""
        if "total" not in self._told:
            return None
        kind, _, name = self._told["total"].rpartition(":")
        sources = {"header": headers.get(name), "part": self._parts.get(name)}
        count = number(sources[kind] if kind else at(answer, name))
        return None if count is None else count - self._told.get("not_counted", 0)


def thread_of(system: CommentSystem, body: bytes, url: str) -> Thread | None:
    """The thread of a page, to be asked for; None where its system has no endpoint that is known, or is not told."""
    source = body[:LARGEST].decode("utf-8", "replace")
    for told in _endpoints().get(system.endpoint, ()):
        if (parts := parts_of(told["parts"], source, url)) is not None:
            return Thread(system.name, told, parts)
    return None


def own_threads(body: bytes, url: str) -> list[Thread]:
    """The threads of a blog's own comments on a page that says where they can be asked for."""
    source = body[:LARGEST].decode("utf-8", "replace")
    found = []
    for name, tables in _endpoints().items():
        for told in tables:
            if told.get("own") and (parts := parts_of(told["parts"], source, url)) is not None:
                found.append(Thread(name, told, parts))
                break
    return found


def beside(body: bytes, html: str) -> bytes:
    """A page with more HTML at the end of what it shows, in any charset."""
    added = html.encode("ascii", "xmlcharrefreplace")
    end = body.lower().rfind(b"</body")
    return body + added if end < 0 else body[:end] + added + body[end:]


def _question(request: Mapping[str, Any], parts: Mapping[str, str]) -> Question:
    url = fill_url(request["url"], parts)
    told = {"Referer": "{origin}/", "Accept": "application/json", **request.get("headers", {})}
    headers = {name: fill(value, parts) for name, value in told.items()}
    if "json" in request:
        body = json.dumps(_filled(request["json"], parts)).encode()
        return Question(url, "POST", {**headers, "Content-Type": "application/json"}, body)
    return Question(url, "GET", headers)


def _filled(value: Any, parts: Mapping[str, str]) -> Any:  # noqa: ANN401
    """JSON types with their templates filled in; what is not known yet is left out."""
    if isinstance(value, dict):
        return {name: _filled(one, parts) for name, one in value.items() if not _is_unknown(one, parts)}
    if not isinstance(value, str):
        return value
    return int(parts[value[1:-1]]) if value[1:-1] in NUMBERS else fill(value, parts)


def _is_unknown(value: Any, parts: Mapping[str, str]) -> bool:  # noqa: ANN401
    return isinstance(value, str) and value[:1] == "{" and value[1:-1] not in parts


def _as_html(comment: Mapping[str, Any], prefix: str, known: set[Any]) -> str:
    author = escape(comment.get("author", ""))
    if comment.get("author_url", "").startswith(("http://", "https://")):
        author = f'<a rel="nofollow" href="{escape(comment["author_url"])}">{author}</a>'
    published = escape(comment.get("published", ""))
    own = escape(prefix + comment["id"]) if "id" in comment else ""
    answered = f' data-parent="{escape(prefix + comment["parent"])}"' if comment["parent"] in known else ""
    return (
        f'<article class="comment" id="{own}"{answered}><cite>{author}</cite> '
        f'<time datetime="{published}">{published}</time><div class="text">{comment.get("html", "")}</div></article>'
    )


@cache
def _endpoints() -> Mapping[str, list[dict[str, Any]]]:
    told = tomllib.loads(files(__package__).joinpath("data/endpoints.toml").read_text("utf-8"))
    return {
        name: [{**told[table["like"]][0], **table} if "like" in table else table for table in tables]
        for name, tables in told.items()
    }
