"""Asks for comments by plain requests, and takes what is answered as comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from blogcrawler.dom import fragment, readable_text, sanitise
from blogcrawler.errors import PageTooComplex
from blogcrawler.feeds.comments import permalink
from blogcrawler.feeds.dates import iso_date
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.people import person_name
from blogcrawler.feeds.sources import Answer
from blogcrawler.items import Comment, ToldComments
from blogcrawler.purposes import Purpose
from blogcrawler.routes import out_of_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from scrapy.core.engine import ExecutionEngine
    from scrapy.http import Response

    from blogcrawler.browser import Question, Thread

__all__ = ["Asked", "HeaderLink", "Outcome", "ask", "fetch", "header_links", "told_comments"]

COMMENT = "comment"
MAX_HEADER = 8_000
_LINK = re.compile(r'<([^<>]{1,2083})>\s{0,9};[^<>,]{0,200}?\brel\s{0,9}=\s{0,9}"?([^"<>,;\s]{1,200})')
MAX_HTML = 1_000_000
"""Characters of one comment."""


class HeaderLink(NamedTuple):
    """A link in the header of an answer (RFC 8288)."""

    url: str
    relation: str


Outcome = Literal["told", "refused", "unreachable"]
"""Of asking for a thread: all questions were answered, one was not answered well, or the server cannot be reached."""


class Asked(NamedTuple):
    """How asking for a thread went; `is_late`: it may go better at another time."""

    requests: int
    outcome: Outcome
    is_late: bool = False


async def ask(engine: ExecutionEngine, thread: Thread) -> Asked:
    """Ask for all that a thread wants to know."""
    requests = 0
    while (question := thread.next_question) is not None:
        requests += 1
        try:
            response = await engine.download_async(_request(question))
        except Exception as error:  # noqa: BLE001  whatever it was, there is no answer
            is_refused = _is_refusal(error)
            return Asked(requests, "refused" if is_refused else "unreachable", not is_refused)
        if not thread.take(response.body, status=response.status, headers=_headers(response)):
            return Asked(requests, "refused", Answer(response.url, response.status).is_late)
    return Asked(requests, "told")


def _is_refusal(error: Exception) -> bool:
    """Is it this request that cannot be made, since robots.txt forbids it or its address is none? Others might."""
    return type(error) is IgnoreRequest or isinstance(error, ValueError)


def _request(question: Question) -> Request:
    return Request(
        question.url,
        method=question.method,
        headers=dict(question.headers),
        body=question.body,
        dont_filter=True,
        callback=NO_CALLBACK,
        meta=Purpose.COMMENTS.meta,
    )


async def fetch(engine: ExecutionEngine, url: str) -> Answer | None:
    """What a server answers, without a status where it does not; None where it must not be asked."""
    try:
        request = Request(out_of_path(url), dont_filter=True, callback=NO_CALLBACK, meta=Purpose.COMMENTS.meta)
        response = await engine.download_async(request)
    except Exception as error:  # noqa: BLE001  whatever it was, there is no answer
        return None if _is_refusal(error) else Answer(url, 0)
    headers = _headers(response)
    return Answer(response.url, response.status, response.body, headers.get("content-type"), headers)


def _headers(response: Response) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): ", ".join(value.decode("latin-1") for value in values)
        for name, values in response.headers.items()
    }


def header_links(answer: Answer) -> list[HeaderLink]:
    """The links in an answer's header `Link`. O(n)."""
    found = _LINK.findall(answer.headers.get("link", "")[:MAX_HEADER])
    return [HeaderLink(url, relation) for url, relation in found]


def told_comments(thread: Thread, page_url: str) -> ToldComments:
    """The comments of a thread on a page, as comments. O(n)."""
    known = {comment.get("id") for comment in thread.comments}
    links = LinkBase(page_url)
    found = tuple(_comment(told, thread.prefix, known, links) for told in thread.comments)
    return ToldComments(thread.system, found, thread.is_own)


def _comment(told: Mapping[str, Any], prefix: str, known: set[Any], links: LinkBase) -> Comment:
    own, parent = told.get("id"), told.get("parent")
    anchor = f"{prefix}{own}" if own else None
    url = links.absolute(told.get("url")) if told.get("url") else None
    if url is None and anchor is not None and prefix:
        url = f"{links.feed_url.partition('#')[0]}#{anchor}"
    html, text = _content(str(told.get("html", "")), links.feed_url)
    return Comment(
        id=anchor,
        parent=f"{prefix}{parent}" if parent and parent in known and parent != own else None,
        kind="comment" if told.get("kind", COMMENT) == COMMENT else "pingback",
        author=person_name(str(told.get("author", ""))) or None,
        author_url=links.absolute(told.get("author_url")) if told.get("author_url") else None,
        published=iso_date(told.get("published")),
        url=permalink(url) if url else None,
        content_html=html or None,
        content_text=text or None,
    )


def _content(html: str, base: str) -> tuple[str, str]:
    try:
        tree = fragment(html[:MAX_HTML])
    except PageTooComplex:
        return "", ""
    return sanitise(tree, base).strip(), readable_text(tree)
