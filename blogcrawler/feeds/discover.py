"""Where a blog's feed may be: addresses that a page offers, then those that blog software uses, the best first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from w3lib.url import safe_url_string

from blogcrawler.dom import canonical, inline_text

from .address import address_key, is_feed_address, words
from .conventions import conventions
from .links import is_proxy, same_site
from .ranking import Offer, PageFacts, penalty
from .wellknown import well_known

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

from .model import FeedCandidate

MAX_CANDIDATES = 50
_MAX_LINKS = 300
_MAX_ANCHORS = 5_000
_MAX_TEXT = 80
_MAX_NAME_WORDS = 5
_MAX_CHILDREN = 10
_MAX_URL = 2_083
_MAX_HEADER = 8_000
_HEADER_LINK = re.compile(r"<([^<>]{1,2083})>((?:\s{0,9};[^,;<>]{0,300}){0,12})")
_RELATIONS = frozenset(["alternate", "alternative", "feed", "service.feed"])
_PAGE_EXTENSIONS = (".html", ".htm", ".jpg", ".jpeg", ".png", ".gif", ".svg", ".pdf", ".zip", ".css", ".js", ".ico")


def candidates(
    tree: HtmlElement, url: str, link_headers: Sequence[str] = (), asked_url: str | None = None
) -> list[FeedCandidate]:
    """Addresses that may be the blog's feed, the posts' main feed first, feeds of comments and of parts after it.

    `tree` is a page of the blog, `url` its address after redirects, `link_headers` the values of its HTTP headers
    `Link`, `asked_url` what led to it: guesses are made for that and for its canonical address, too. At most 50, those
    that the page names before others, each once; nothing is fetched, so an address may turn out to be no feed. O(n) in
    the page.
    """
    base = _base(tree, url)
    offers = [
        *_header_offers(link_headers, url),
        *_link_offers(tree, base),
        *_anchor_offers(tree, base, url),
    ]
    offers = _distinct(offers)
    page = PageFacts.of(tree, url, offers)
    ranked = []
    for position, offer in enumerate(offers):
        points, reason = penalty(offer, page, position)
        ranked.append(FeedCandidate(offer.url, offer.how, points, reason, offer.title or None))
    told = canonical(tree, url)
    for address in dict.fromkeys([url, asked_url or url, (told and _absolute(told, url)) or url]):
        ranked.extend(well_known(tree, address, page.language) if same_site(address, url) else ())
    ranked.sort(key=lambda candidate: candidate.penalty)
    found: dict[tuple[str, str, str], FeedCandidate] = {}
    for candidate in ranked:
        found.setdefault(address_key(candidate.url), candidate)
    named = [one for one in found.values() if one.how != "well-known"][:MAX_CANDIDATES]
    guessed = [one for one in found.values() if one.how == "well-known"][: MAX_CANDIDATES - len(named)]
    return sorted([*named, *guessed], key=lambda candidate: candidate.penalty)


def declared_feeds(tree: HtmlElement, url: str) -> list[str]:
    """The addresses of the feeds that a page's link elements name, each once. O(n) in the page."""
    return [offer.url for offer in _distinct(list(_link_offers(tree, _base(tree, url))))]


def _distinct(offers: list[Offer]) -> list[Offer]:
    found: dict[tuple[str, str, str], Offer] = {}
    for offer in offers:
        found.setdefault(address_key(offer.url), offer)
    return list(found.values())


def _base(tree: HtmlElement, url: str) -> str:
    for node in tree.iterfind(".//base[@href]"):
        return _absolute(node.get("href"), url) or url
    return url


def _absolute(href: str | None, base: str) -> str | None:
    """A web address without fragment; `feed:` is no scheme but a wish of the address's author."""
    text = (href or "").strip()[: _MAX_URL + 1]
    if text[:5].lower() == "feed:":
        rest = text[5:]
        text = (
            rest if rest.lower().startswith(("http:", "https:")) else f"http:{rest}" if rest.startswith("//") else rest
        )
    try:
        parts = urlsplit(safe_url_string(urljoin(base, text), encoding="utf-8"))
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 80) > 0
    except (ValueError, UnicodeError):
        return None
    found = parts._replace(fragment="").geturl()
    return found if text and is_usable and len(found) <= _MAX_URL else None


def _header_offers(headers: Sequence[str], url: str) -> Iterator[Offer]:
    for header in headers[:20]:
        for target, parameters in _HEADER_LINK.findall(header[:_MAX_HEADER]):
            values: dict[str, str] = {}
            for part in parameters.split(";"):
                key, _, value = part.partition("=")
                values.setdefault(key.strip().lower(), value.strip().strip("\"'"))
            yield from _declared(values, _absolute(target, url))


def _link_offers(tree: HtmlElement, base: str) -> Iterator[Offer]:
    for number, node in enumerate(tree.iter("link")):
        if number >= _MAX_LINKS:
            return
        yield from _declared(
            {str(key).lower(): str(value) for key, value in node.attrib.items()}, _absolute(node.get("href"), base)
        )


def _declared(values: dict[str, str], url: str | None) -> Iterator[Offer]:
    """The feed that a link element or header declares, if it does."""
    known = conventions()
    kind = values.get("type", "").partition(";")[0].strip().lower()
    relations = values.get("rel", "").lower().split()
    is_alternate = bool(_RELATIONS & set(relations)) or not relations
    if url is None or not is_alternate or "stylesheet" in relations or "replies" in relations:
        return
    is_feed = kind in known.types
    if not is_feed and (not kind or kind in known.vague_types):
        is_feed = is_feed_address(url) or ("feed" in relations and bool(kind))
    if is_feed:
        yield Offer(url, "link", values.get("title", "")[: _MAX_TEXT * 3], values.get("hreflang", "")[:20])


def _anchor_offers(tree: HtmlElement, base: str, page_url: str) -> Iterator[Offer]:
    for number, node in enumerate(tree.iter("a", "area")):
        if number >= _MAX_ANCHORS:
            return
        href = node.get("href")
        url = _absolute(href, base) if href and not href.startswith("#") else None
        if url is None:
            continue
        if offer := _anchor_offer(node, url, page_url):
            yield offer


def _anchor_offer(node: HtmlElement, url: str, page_url: str) -> Offer | None:
    known = conventions()
    title = ""
    if not same_site(url, page_url) and not is_proxy(url):
        inner = _subscribed(url)
        if inner is None or not (same_site(inner, page_url) or is_proxy(inner)):
            return None
        return Offer(inner, "anchor", "", "")
    is_feed = str(node.get("type", "")).lower() in known.types or is_feed_address(url) or is_proxy(url)
    if is_feed or _says_feed(node):
        title = _label(node)
        is_page = urlsplit(url).path.lower().endswith(_PAGE_EXTENSIONS) or address_key(url) == address_key(page_url)
        return None if is_page else Offer(url, "anchor", title, str(node.get("hreflang", ""))[:20], is_sure=is_feed)
    return None


def _subscribed(url: str) -> str | None:
    """The feed within a feed reader's address, as in reader.example/subscribe?url=http%3A%2F%2F..."""
    text = unquote(url)
    start = max(text.rfind("http://"), text.rfind("https://"))
    inner = text[start:] if start > 0 else ""
    return _absolute(inner, url) if inner and is_feed_address(inner) else None


def _says_feed(node: HtmlElement) -> bool:
    """Do the words on a link, its picture or its class name a feed?"""
    texts = [_label(node), str(node.get("title", "")), str(node.get("aria-label", ""))]
    classes = [str(node.get("class", ""))]
    for number, child in enumerate(node.iterdescendants()):
        if number >= _MAX_CHILDREN:
            break
        texts.append(str(child.get("alt", "")))
        classes.append(str(child.get("class", "")))
    return any(_is_feeds_name(text) for text in texts) or any("rss" in words(names) for names in classes)


def _is_feeds_name(text: str) -> bool:
    """ "RSS 2.0", "Subscribe (Atom)", "Web feed"; but not "Feed the birds". A long text speaks of feeds and is none."""
    found = words(text)
    named = conventions().feed_words & set(found)
    return bool(named) and (len(found) <= 2 or (len(found) <= _MAX_NAME_WORDS and not named <= {"feed", "feeds"}))


def _label(node: HtmlElement) -> str:
    text = inline_text(node) if len(node) < 20 else ""
    return text if len(text) <= _MAX_TEXT else ""
