"""WordPress's REST API: all posts of a blog as data, a hundred a request.

https://developer.wordpress.org/rest-api/reference/posts/. The site says on each page where its API is; many owners
forbid it, then there is no such source.
"""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from blogcrawler.dom import links
from blogcrawler.feeds.entries import collect, distinct
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.people import person_name
from blogcrawler.feeds.texts import title_text
from blogcrawler.items import Entry

from .keys import keys
from .model import Answer, Found, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

RELATION = "https://api.w.org/"
SIZES = (100, 20)
"""Posts a request: the API's maximum, and what servers manage that break at that."""
NO_SUCH_PAGE = 400
"""Status of a page after the last."""
MOST_DOCUMENTS = 1_000
FIELDS = "id,link,guid,title,content,date,date_gmt,modified,modified_gmt,status,type,_links,_embedded"
EMBEDDED = "author,wp:term"
MAX_OFFSET = timedelta(hours=15)
_QUARTER = timedelta(minutes=15)
_HEADER = re.compile(r'<([^<>]{1,2000})>\s{0,9};[^<>]{0,200}?rel\s{0,9}=\s{0,9}"?https://api\.w\.org/')
_NEVER = "0000"


def api_root(tree: HtmlElement | None, url: str, link_headers: Iterable[str] = ()) -> str | None:
    """The address of the API that a page names in its `Link` header or in a link element; None where it names none."""
    base = LinkBase(url)
    for header in link_headers:
        if found := _HEADER.search(header[:4000]):
            return base.absolute(found[1])
    for link in links(tree, url) if tree is not None else ():
        if link.kind == "link" and RELATION in link.rel:
            return base.absolute(link.url)
    return None


class WordPressPosts:
    """Reads the posts of a WordPress; see `model.Source`.

    `root` is the address of its API; `seen` are posts from a part that was read before.
    """

    name = "WordPress API"

    def __init__(self, root: str, seen: Iterable[str] = ()) -> None:
        self.total: int | None = None
        self.outcome: Outcome = "reading"
        self._root = root
        self._seen = set(keys(seen))
        self._page = 1
        self._size = SIZES[0]
        self._got = 0
        self._documents = 0

    @property
    def next_url(self) -> str | None:
        """The document to fetch."""
        return self._page_url() if self.outcome == "reading" else None

    @property
    def cost(self) -> int:
        """Requests; one where the number of posts is not known yet."""
        return 1 if self.total is None else -(-max(0, self.total - self._got) // self._size)

    @property
    def state(self) -> dict[str, Any]:
        """How far they were read."""
        return {
            "page": self._page,
            "size": self._size,
            "got": self._got,
            "documents": self._documents,
            "total": self.total,
            "outcome": self.outcome,
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self._page, self._size, self._got = state["page"], state["size"], state["got"]
        self._documents, self.total, self.outcome = state["documents"], state["total"], state["outcome"]

    def _page_url(self) -> str:
        asked = {"per_page": self._size, "page": self._page, "_fields": FIELDS, "_embed": EMBEDDED}
        parts = urlsplit(self._root)
        given = dict(parse_qsl(parts.query))
        if "rest_route" in given:
            route = given.pop("rest_route").rstrip("/")
            asked = {"rest_route": f"{route}/wp/v2/posts", **given, **asked}
            return parts._replace(query=urlencode(asked, safe="/,:")).geturl()
        path = f"{parts.path.rstrip('/')}/wp/v2/posts"
        return parts._replace(path=path, query=urlencode({**given, **asked}, safe="/,:")).geturl()

    def take(self, answer: Answer | None) -> Found:
        """The posts of a page that were not known."""
        self._documents += 1
        items = _items(answer)
        if items is None:
            self._fail(answer)
            return Found()
        assert answer is not None
        self.total = _number(answer.headers.get("x-wp-total")) if self.total is None else self.total
        self._got += len(items)
        fresh = self._fresh(items, answer.url)
        pages = _number(answer.headers.get("x-wp-totalpages"))
        is_last = self._page >= pages if pages is not None else not items
        if is_last or not fresh or self._documents >= MOST_DOCUMENTS:
            self._end(is_last=is_last)
        self._page += 1
        return Found(tuple(fresh))

    def _fresh(self, items: Sequence[Mapping[str, Any]], url: str) -> list[Entry]:
        base = LinkBase(url)
        entries, _ = collect(_entry(item, base) for item in items)
        fresh = []
        for entry in entries:
            for key in keys([entry.url]):
                if key not in self._seen:
                    self._seen.add(key)
                    fresh.append(entry)
        return fresh

    def _end(self, *, is_last: bool) -> None:
        if not self._got:
            self.outcome = "absent"
        else:
            is_whole = is_last and (self.total is None or self._got >= self.total)
            self.outcome = "whole" if is_whole else "partial"

    def _fail(self, answer: Answer | None) -> None:
        """Ask for smaller pages where a server breaks at the first large one; otherwise this is the end."""
        is_refused = answer is not None and answer.is_gone
        if self._page == 1 and self._size != SIZES[-1] and not is_refused:
            self._size = SIZES[-1]
        elif self._got and answer is not None and answer.status == NO_SUCH_PAGE:
            self._end(is_last=True)
        else:
            self.outcome = "partial" if self._got else "absent"


def _items(answer: Answer | None) -> list[Mapping[str, Any]] | None:
    if answer is None or answer.status != 200:
        return None
    start = answer.body.find(b"[")  # before it some servers print warnings
    try:
        data = json.loads(answer.body[start:]) if 0 <= start < 4096 else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, list):
        return None
    return [item for item in data[: SIZES[0]] if isinstance(item, dict)]


def _entry(item: Mapping[str, Any], base: LinkBase) -> Entry | None:
    url = base.absolute(_text(item.get("link")))
    if url is None or item.get("status", "publish") != "publish" or item.get("type", "post") != "post":
        return None
    content = item.get("content")
    is_locked = isinstance(content, dict) and bool(content.get("protected"))
    embedded = item.get("_embedded") if isinstance(item.get("_embedded"), dict) else {}
    return Entry(
        url,
        guid=_rendered(item.get("guid")) or None,
        title=title_text(_rendered(item.get("title"))) or None,
        authors=distinct(_names(embedded, "author")),
        published=_moment(item, "date"),
        updated=_moment(item, "modified"),
        tags=distinct(_names(embedded, "wp:term")),
        content_html=None if is_locked else _rendered(content) or None,
    )


def _rendered(value: object) -> str:
    return _text(value.get("rendered")) if isinstance(value, dict) else ""


def _names(embedded: object, key: str) -> Iterator[str]:
    """The names of what is embedded: of people, or of categories and tags, which are lists of lists."""
    found = embedded.get(key) if isinstance(embedded, dict) else None
    waiting = list(found[:100]) if isinstance(found, list) else []
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting = [*one[:100], *waiting]
        elif isinstance(one, dict):
            name = _text(one.get("name"))
            yield person_name(name) if key == "author" else title_text(name)


def _moment(item: Mapping[str, Any], name: str) -> str | None:
    """A time with its offset, which is the difference of the site's clock and UTC; the site's clock alone without."""
    local, utc = (_time(_text(item.get(key))) for key in (name, f"{name}_gmt"))
    if local is None or utc is None:
        found = utc.replace(tzinfo=timezone.utc) if utc else local  # noqa: UP017
        return found.isoformat() if found else None
    offset = local - utc
    if abs(offset) > MAX_OFFSET or offset % _QUARTER:
        return utc.replace(tzinfo=timezone(timedelta())).isoformat()
    return local.replace(tzinfo=timezone(offset)).isoformat()


def _time(text: str) -> datetime | None:
    try:
        return None if text.startswith(_NEVER) else datetime.fromisoformat(text[:19])
    except ValueError:
        return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else None


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""
