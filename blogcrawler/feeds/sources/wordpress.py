"""Reads all posts of a blog from WordPress's REST API, a hundred per request.

See https://developer.wordpress.org/rest-api/reference/posts/. Each page links to the API; many owners disable it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from jmespath import compile as compile_expression

from blogcrawler.dom import links
from blogcrawler.feeds.links import LinkBase, header_links
from blogcrawler.feeds.texts import collect, distinct, json_text, json_value, person_name, title_text, whole_number
from blogcrawler.items import Entry
from blogcrawler.serialise import load
from blogcrawler.urls import identities

from .model import Answer, Found, Outcome, take_new

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

RELATION = "https://api.w.org/"
SIZES = (100, 20)
"""Posts per request: the API's maximum, and a number for servers that fail at the maximum."""
NO_SUCH_PAGE = 400
"""Status of a page after the last one."""
MOST_DOCUMENTS = 1_000
FIELDS = "id,link,guid,title,content,date,date_gmt,modified,modified_gmt,status,type,_links,_embedded"
EMBEDDED = "author,wp:term"
POSTS = "/wp/v2/posts"
MAX_OFFSET = timedelta(hours=15)
_QUARTER = timedelta(minutes=15)
_NEVER = "0000"
_ENTRY = compile_expression(
    """{url: link, status: status, type: type, guid: guid.rendered, title: title.rendered, content: content.rendered,
    is_locked: content.protected, authors: _embedded.author[:100].name, tags: _embedded."wp:term"[:100][].name}"""
)


def api_root(tree: HtmlElement | None, url: str, link_headers: Iterable[str] = ()) -> str | None:
    """The URL of the API in a page's `Link` header or link element; None if there is none."""
    base = LinkBase(url)
    for target, values in chain.from_iterable(map(header_links, link_headers)):
        if RELATION in values.get("rel", ""):
            return base.absolute(target)
    for link in links(tree, url) if tree is not None else ():
        if link.kind == "link" and RELATION in link.rel:
            return base.absolute(link.url)
    return None


@dataclass
class _Progress:
    """Progress of reading the posts."""

    page: int = 1
    #: posts per request
    size: int = SIZES[0]
    #: number of posts read so far
    got: int = 0
    documents: int = 0


class WordPressPosts:
    """Reads the posts of a WordPress blog; see `model.Source`.

    `root` is the URL of its API; `seen` are posts from an earlier part of the list.
    """

    name = "WordPress API"

    def __init__(self, root: str, seen: Iterable[str] = ()) -> None:
        self.total: int | None = None
        self.outcome: Outcome = "reading"
        self._root = root
        self._seen = set(identities(seen))
        self._progress = _Progress()

    @property
    def next_url(self) -> str | None:
        return self._page_url() if self.outcome == "reading" else None

    @property
    def state(self) -> dict[str, Any]:
        return {**asdict(self._progress), "total": self.total, "outcome": self.outcome}

    def resume(self, state: Mapping[str, Any]) -> None:
        self._progress, self.total, self.outcome = load(_Progress, state), state["total"], state["outcome"]

    def _page_url(self) -> str:
        parts = urlsplit(self._root)
        query, path = dict(parse_qsl(parts.query)), parts.path
        if "rest_route" in query:
            query = {"rest_route": f"{query.pop('rest_route').rstrip('/')}{POSTS}", **query}
        else:
            path = f"{path.rstrip('/')}{POSTS}"
        query |= {"per_page": str(self._progress.size), "page": str(self._progress.page)}
        query |= {"_fields": FIELDS, "_embed": EMBEDDED}
        return parts._replace(path=path, query=urlencode(query, safe="/,:")).geturl()

    def take(self, answer: Answer | None) -> Found:
        """Return the new posts of a page."""
        progress = self._progress
        progress.documents += 1
        items = _items(answer)
        if answer is None or items is None:
            self._fail(answer)
            return Found()
        self.total = whole_number(answer.headers.get("x-wp-total")) if self.total is None else self.total
        progress.got += len(items)
        base = LinkBase(answer.url)
        entries, _ = collect(_entry(item, base) for item in items)
        fresh = take_new(entries, self._seen)
        pages = whole_number(answer.headers.get("x-wp-totalpages"))
        is_last = progress.page >= pages if pages is not None else not items
        if is_last or not fresh or progress.documents >= MOST_DOCUMENTS:
            self._end(is_last=is_last)
        progress.page += 1
        return Found(fresh)

    def _end(self, *, is_last: bool) -> None:
        got = self._progress.got
        is_whole = is_last and (self.total is None or got >= self.total)
        self.outcome = "absent" if not got else "whole" if is_whole else "partial"

    def _fail(self, answer: Answer | None) -> None:
        """Request smaller pages if the server failed at the first large page; else stop."""
        is_refused = answer is not None and answer.is_gone
        progress = self._progress
        if progress.page == 1 and progress.size != SIZES[-1] and not is_refused:
            progress.size = SIZES[-1]
        else:
            self._end(is_last=answer is not None and answer.status == NO_SUCH_PAGE)


def _items(answer: Answer | None) -> list[Mapping[str, Any]] | None:
    if answer is None or answer.status != 200:
        return None
    start = answer.body.find(b"[")  # some servers print warnings before it
    data = json_value(answer.body[start:]) if 0 <= start < 4096 else None
    if not isinstance(data, list):
        return None
    return [item for item in data[: SIZES[0]] if isinstance(item, dict)]


def _entry(item: Mapping[str, Any], base: LinkBase) -> Entry | None:
    fields = _ENTRY.search(item)
    url = base.absolute(fields["url"]) if isinstance(fields["url"], str) else None
    if url is None or fields["status"] not in (None, "publish") or fields["type"] not in (None, "post"):
        return None
    return Entry(
        url,
        guid=json_text(fields["guid"]) or None,
        title=title_text(json_text(fields["title"])) or None,
        authors=distinct(person_name(json_text(name)) for name in fields["authors"] or ()),
        published=_moment(item, "date"),
        updated=_moment(item, "modified"),
        tags=distinct(title_text(json_text(name)) for name in fields["tags"] or ()),
        content_html=None if fields["is_locked"] else json_text(fields["content"]) or None,
    )


def _moment(item: Mapping[str, Any], name: str) -> str | None:
    """The time with its offset, computed from the site's local time and UTC; the local time alone if UTC is unknown."""
    local, utc = (_time(json_text(item.get(key))) for key in (name, f"{name}_gmt"))
    if local is None or utc is None:
        moment = utc.replace(tzinfo=UTC) if utc else local
        return moment.isoformat() if moment else None
    offset = local - utc
    if abs(offset) > MAX_OFFSET or offset % _QUARTER:
        return utc.replace(tzinfo=UTC).isoformat()
    return local.replace(tzinfo=timezone(offset)).isoformat()


def _time(text: str) -> datetime | None:
    try:
        return None if text.startswith(_NEVER) else datetime.fromisoformat(text[:19])
    except ValueError:
        return None
