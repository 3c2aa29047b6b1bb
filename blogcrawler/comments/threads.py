"""Requests the comments on one page in the way that its comment system's own script does.

This is a hundred times cheaper than a browser. systems.toml describes the requests of each system, and the meaning of
its responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from jmespath import search

from blogcrawler.comments.endpoints import (
    CommentRequest,
    Paging,
    comments_in,
    fill_request,
    number,
    parts_of,
    read_answer,
)
from blogcrawler.comments.systems import source_of, systems
from blogcrawler.dom import fragment, readable_text, sanitise
from blogcrawler.errors import UNREADABLE
from blogcrawler.feeds.comments import permalink
from blogcrawler.feeds.dates import iso_date
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.texts import person_name
from blogcrawler.items import Comment, SystemComments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.comments.crawl import Fetch
    from blogcrawler.comments.systems import CommentSystem
    from blogcrawler.feeds.sources import Answer

MOST_ANSWERS = 200
MOST_COMMENTS = 20_000
MAX_HTML = 1_000_000
"""Maximum number of characters of one comment."""
OK = 200

Outcome = Literal["answered", "refused", "busy", "unreachable"]
"""Result of requesting a thread: all requests were answered; one was refused permanently; one failed temporarily; the
server cannot be reached."""
LATE: frozenset[Outcome] = frozenset(["busy", "unreachable"])
"""Results after which a later attempt may succeed."""


class Thread:
    """The thread of comments on one page, as far as it was received."""

    def __init__(self, system: str, endpoint: Mapping[str, Any], parts: Mapping[str, str]) -> None:
        self.system = system
        #: the fields of each comment, by name
        self.comments: list[dict[str, Any]] = []
        self._endpoint, self._parts = endpoint, dict(parts)
        #: requests that must be sent before those for comments
        self._first: list[Mapping[str, Any]] = list(endpoint.get("first", ()))
        self._paging = Paging(endpoint.get("paging", {}))
        self._total: int | None = None
        self._answers = 0
        #: comments with missing replies, and the thread of replies to the first of them
        self._short: list[dict[str, Any]] = []
        self._replies: Thread | None = None

    @property
    def prefix(self) -> str:
        """The text before a comment's id in anchors."""
        return str(self._endpoint.get("prefix", ""))

    @property
    def next_request(self) -> CommentRequest | None:
        """The next request; None at the end."""
        if self._answers >= MOST_ANSWERS:
            return None
        if self._paging.is_at_end:
            return self._replies.next_request if self._replies is not None else None
        return fill_request((self._first or [self._endpoint])[0]["request"], self._parts | self._paging.parts)

    @property
    def is_whole(self) -> bool:
        """True if all comments that the system announces were received."""
        found = len(self.comments)
        if not self._paging.is_at_end or self._short or any(comment["is_short"] for comment in self.comments):
            return False
        if found >= self._endpoint.get("most", MOST_COMMENTS):
            return False
        tops = sum(comment["is_top"] for comment in self.comments)
        return self._total in (None, tops if self._endpoint.get("counts") == "top" else found)

    def take(self, answer: Answer) -> bool:
        """Process the response to the last request; False if it is invalid."""
        self._answers += 1
        if self._replies is not None:
            return self._take_replies(self._replies, answer)
        if answer.status != OK:
            self._paging.is_at_end = answer.status in self._endpoint.get("empty", ())
            return self._paging.is_at_end
        if self._first:
            return self._take_first(self._first.pop(0), read_answer(answer.body))
        return self._take_comments(read_answer(answer.body, self._endpoint.get("within")), answer.headers)

    def _take_first(self, step: Mapping[str, Any], answer: Any) -> bool:  # noqa: ANN401
        """Read the template fields for later requests; if they are missing, there may be no comments yet."""
        for name, path in step["parts"].items():
            value = search(path, answer)
            if value is None or isinstance(value, (dict, list)):
                self._paging.is_at_end = "may_lack" in step and search(step["may_lack"], answer) == []
                return self._paging.is_at_end
            self._parts[name] = str(value)
        return True

    def _take_comments(self, answer: Any, headers: Mapping[str, str]) -> bool:  # noqa: ANN401
        items, self._total = search(self._endpoint["items"], answer), self._announced(answer, headers)
        if items is None and self._total == 0:
            items = []
        if not isinstance(items, list) or (self._total is None and "total" in self._endpoint):
            return False
        known = {comment["id"] for comment in self.comments if "id" in comment}
        for comment in comments_in(items, answer, self._endpoint):
            if comment.get("id") in known:
                continue
            known |= {comment["id"]} if "id" in comment else set()
            self.comments.append(comment)
            if len(self.comments) > MOST_COMMENTS:
                return False
        self._paging.advance(answer, items, len(self.comments), self._total)
        if self._paging.is_at_end and "more_replies" in self._endpoint:
            self._short = [comment for comment in self.comments if comment["is_short"] and "id" in comment]
            self._ask_for_replies()
        return True

    def _ask_for_replies(self) -> None:
        """Continue with the replies to the next comment that announces more of them."""
        self._replies = None
        if self._short:
            spec = {name: value for name, value in self._endpoint.items() if name not in ("first", "more_replies")}
            parts = self._parts | {"id": self._short[0]["id"]}
            self._replies = Thread(self.system, spec | self._endpoint["more_replies"], parts)

    def _take_replies(self, replies: Thread, answer: Answer) -> bool:
        """Process a response with replies; when all were received, insert them after the comment that they answer."""
        if not replies.take(answer):
            return False
        if replies.next_request is not None:
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
        """The number of comments announced by a response, its header, or an earlier response."""
        if "total" not in self._endpoint:
            return None
        kind, _, name = self._endpoint["total"].rpartition(":")
        sources = {"header": headers.get(name), "part": self._parts.get(name)}
        count = number(sources[kind] if kind else search(name, answer))
        return None if count is None else count - self._endpoint.get("not_counted", 0)

    def to_comments(self, page_url: str) -> SystemComments:
        """The received comments, for a page at this URL. O(n)."""
        known = {comment.get("id") for comment in self.comments}
        links = LinkBase(page_url)
        comments = tuple(_comment(fields, self.prefix, known, links) for fields in self.comments)
        return SystemComments(self.system, comments, bool(self._endpoint.get("own")))


def thread_of(system: CommentSystem, body: bytes, url: str) -> Thread | None:
    """The thread of a system on a page; None if no endpoint is known, or if the page lacks a field of its URL."""
    source = source_of(body)
    for endpoint in system.endpoints:
        if (parts := parts_of(endpoint["parts"], source, url)) is not None:
            return Thread(system.name, endpoint, parts)
    return None


def own_threads(body: bytes, url: str) -> list[Thread]:
    """The threads of a blog's own comments, for systems whose endpoint the page names."""
    own = (one for one in systems() if one.has_own_endpoints and any(end.get("own") for end in one.endpoints))
    return [thread for system in own if (thread := thread_of(system, body, url)) is not None]


async def ask(fetch: Fetch, thread: Thread) -> Outcome:
    """Send all requests of a thread, and return the result."""
    while (asked := thread.next_request) is not None:
        answer = await fetch(asked)
        if answer is None:
            return "refused"
        if not answer.status:
            return "unreachable"
        if not thread.take(answer):
            return "busy" if answer.is_late else "refused"
    return "answered"


def _comment(fields: Mapping[str, Any], prefix: str, known: set[Any], links: LinkBase) -> Comment:
    own, parent = fields.get("id"), fields.get("parent")
    anchor = f"{prefix}{own}" if own else None
    url = links.absolute(fields.get("url")) if fields.get("url") else None
    if url is None and anchor is not None and prefix:
        url = f"{links.feed_url.partition('#')[0]}#{anchor}"
    html, text = _content(str(fields.get("html", "")), links.feed_url)
    return Comment(
        id=anchor,
        parent=f"{prefix}{parent}" if parent and parent in known and parent != own else None,
        kind="comment" if fields.get("kind", "comment") == "comment" else "pingback",
        author=person_name(str(fields.get("author", ""))) or None,
        author_url=links.absolute(fields.get("author_url")) if fields.get("author_url") else None,
        published=iso_date(fields.get("published")),
        url=permalink(url) if url else None,
        content_html=html or None,
        content_text=text or None,
    )


def _content(html: str, base: str) -> tuple[str, str]:
    try:
        tree = fragment(html[:MAX_HTML])
    except UNREADABLE:
        return "", ""
    return sanitise(tree, base).strip(), readable_text(tree)
