"""Answers of a living blog as if its newest posts were not there yet: for an update crawl that is to find them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from lxml import etree
from lxml import html as lxml_html

from tests.benchmarks.revisions.messages import NOT_FOUND, Answer, Request
from tests.benchmarks.revisions.modes import content_type, is_feed

if TYPE_CHECKING:
    from collections.abc import Callable

_ANCHOR = re.compile(rb"<a\s[^>]*?href\s*=\s*[\"']([^\"']*)[\"'][^>]*>.*?</a>", re.IGNORECASE | re.DOTALL)
_LINK = re.compile(rb"<link\s[^>]*?href\s*=\s*[\"']([^\"']*)[\"'][^>]*>", re.IGNORECASE)
_OF_SITEMAP = re.compile(rb"<url>.*?<loc>(.*?)</loc>.*?</url>", re.DOTALL)
_VALIDATORS = {"etag", "last-modified"}


@dataclass(frozen=True)
class Hiding:
    """Hides posts, by their permalinks: their pages, and the links, entries and objects that lead to them.

    No page keeps its validators: the server would say later that it has not changed.
    """

    permalinks: tuple[str, ...]

    def change(self, request: Request, answer: Answer) -> Answer:
        """The answer without these posts."""
        headers = {name: value for name, value in answer.headers.items() if name.lower() not in _VALIDATORS}
        place = next((value for name, value in headers.items() if name.lower() == "location"), "")
        if self._leads(request.url, request.url) or (place and self._leads(request.url, place)):
            return NOT_FOUND
        return replace(answer, headers=headers, body=self._body(request, answer))

    def _body(self, request: Request, answer: Answer) -> bytes:
        kind, body = content_type(answer), answer.body
        if is_feed(body):
            return without_entries(body, lambda link: self._leads(request.url, link))
        if "html" in kind:
            return _LINK.sub(self._unless_leading(request.url), _ANCHOR.sub(self._unless_leading(request.url), body))
        if "json" in kind:
            return json.dumps(self._without_objects(json.loads(body))).encode()
        if b"<urlset" in body:
            return _OF_SITEMAP.sub(self._unless_leading(request.url), body)
        return body

    def _unless_leading(self, base: str) -> Callable[[re.Match[bytes]], bytes]:
        return lambda match: b"" if self._leads(base, match[1].decode("utf-8", "replace").strip()) else match[0]

    def _without_objects(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [each for each in value if not (isinstance(each, dict) and self._leads("", str(each.get("link", ""))))]

    def _leads(self, base: str, target: str) -> bool:
        url = urljoin(base, unescape(target))
        below = tuple(f"{permalink.rstrip('/')}{end}" for permalink in self.permalinks for end in "/?#&")
        return url in self.permalinks or url.startswith(below)


def newest_permalinks(home: str, ask: Callable[[Request], Answer], count: int) -> tuple[str, ...]:
    """The links of the first entries in the feed that a home page names; none where it names none."""
    page = lxml_html.fromstring(ask(Request("GET", home, {})).body or b"<p>")
    feeds = [link for link in page.iter("link") if link.get("type", "").endswith(("rss+xml", "atom+xml"))]
    if not feeds:
        return ()
    links: list[str] = []
    without_entries(ask(Request("GET", urljoin(home, feeds[0].get("href", "")), {})).body, links.append)
    return tuple(links[:count])


def without_entries(body: bytes, unwanted: Callable[[str], object]) -> bytes:
    """A feed without the entries whose link is unwanted; unchanged if it is not XML."""
    try:
        root = etree.fromstring(body.strip(), etree.XMLParser(strip_cdata=False, huge_tree=True, no_network=True))
    except etree.XMLSyntaxError:
        return body
    for entry in list(root.iter("{*}item", "{*}entry")):
        parent = entry.getparent()
        if parent is not None and unwanted(_link_of(entry)):
            parent.remove(entry)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True)


def _link_of(entry: Any) -> str:
    for link in entry.iter("{*}link"):
        if link.get("rel", "alternate") == "alternate":
            return str(link.get("href") or link.text or "").strip()
    return ""
