"""WordPress's REST API: all posts of a blog as data, a hundred a request.

See https://developer.wordpress.org/rest-api/reference/posts/. Each page names the API; many owners forbid it.
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
"""Posts a request: the API's maximum, and what servers manage that break at that."""
NO_SUCH_PAGE = 400
"""Status of a page after the last."""
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
    """The address of the API that a page names in its `Link` header or in a link element; None where it names none."""
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
    """How far the posts were read."""

    page: int = 1
    #: posts a request
    size: int = SIZES[0]
    #: posts read so far
    got: int = 0
    documents: int = 0


class WordPressPosts:
    """Reads the posts of a WordPress; see `model.Source`.

    `root` is the address of its API; `seen` are posts from a part that was read before.
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
        """The document to fetch."""
        return self._page_url() if self.outcome == "reading" else None

    @property
    def state(self) -> dict[str, Any]:
        """How far they were read."""
        return {**asdict(self._progress), "total": self.total, "outcome": self.outcome}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
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
        """The posts of a page that were not known."""
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
        """Ask for smaller pages where a server breaks at the first large one; otherwise this is the end."""
        is_refused = answer is not None and answer.is_gone
        progress = self._progress
        if progress.page == 1 and progress.size != SIZES[-1] and not is_refused:
            progress.size = SIZES[-1]
        else:
            self._end(is_last=answer is not None and answer.status == NO_SUCH_PAGE)


def _items(answer: Answer | None) -> list[Mapping[str, Any]] | None:
    if answer is None or answer.status != 200:
        return None
    start = answer.body.find(b"[")  # before it some servers print warnings
    data = json_value(answer.body[start:]) if 0 <= start < 4096 else None
    if not isinstance(data, list):
        return None
    return [item for item in data[: SIZES[0]] if isinstance(item, dict)]


def _entry(item: Mapping[str, Any], base: LinkBase) -> Entry | None:
    told = _ENTRY.search(item)
    url = base.absolute(told["url"]) if isinstance(told["url"], str) else None
    if url is None or told["status"] not in (None, "publish") or told["type"] not in (None, "post"):
        return None
    return Entry(
        url,
        guid=json_text(told["guid"]) or None,
        title=title_text(json_text(told["title"])) or None,
        authors=distinct(person_name(json_text(name)) for name in told["authors"] or ()),
        published=_moment(item, "date"),
        updated=_moment(item, "modified"),
        tags=distinct(title_text(json_text(name)) for name in told["tags"] or ()),
        content_html=None if told["is_locked"] else json_text(told["content"]) or None,
    )


def _moment(item: Mapping[str, Any], name: str) -> str | None:
    """A time with its offset, which is the difference of the site's clock and UTC; the site's clock alone without."""
    local, utc = (_time(json_text(item.get(key))) for key in (name, f"{name}_gmt"))
    if local is None or utc is None:
        found = utc.replace(tzinfo=UTC) if utc else local
        return found.isoformat() if found else None
    offset = local - utc
    if abs(offset) > MAX_OFFSET or offset % _QUARTER:
        return utc.replace(tzinfo=UTC).isoformat()
    return local.replace(tzinfo=timezone(offset)).isoformat()


def _time(text: str) -> datetime | None:
    try:
        return None if text.startswith(_NEVER) else datetime.fromisoformat(text[:19])
    except ValueError:
        return None
