"""Addresses at which a blog may have its feed: those that a page offers, then those that blog software uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from blogcrawler.dom import base_url, canonical, inline_text, resolve
from blogcrawler.feeds.address import address_key, conventions, is_feed_address, words
from blogcrawler.feeds.links import header_links, is_proxy, same_site
from blogcrawler.feeds.model import FeedCandidate
from blogcrawler.feeds.ranking import Offer, PageFacts, kind_of, penalty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

MAX_CANDIDATES = 50
_MAX_LINKS = 300
_MAX_ANCHORS = 5_000
_MAX_TEXT = 80
_MAX_NAME_WORDS = 5
_MAX_CHILDREN = 10
_FEED_SCHEME = re.compile(r"^feed:(//)?", re.IGNORECASE)
_RELATIONS = frozenset(["alternate", "alternative", "feed", "service.feed"])
_PAGE_EXTENSIONS = (".html", ".htm", ".jpg", ".jpeg", ".png", ".gif", ".svg", ".pdf", ".zip", ".css", ".js", ".ico")
_FIRST = 100.0
#: after the candidates of the blog's own folder come those of the site's root, interleaved from this place on
_ROOT_LATER = 4.5
_SUBFOLDER_LATER = 8.25
_MAX_FOLDER_LINKS = 2_000


def candidates(
    tree: HtmlElement, url: str, link_headers: Sequence[str] = (), asked_url: str | None = None
) -> list[FeedCandidate]:
    """Addresses that may be the blog's feed, the posts' main feed first, feeds of comments and of parts after it.

    `tree` is a page of the blog, `url` its address after redirects, `link_headers` the values of its HTTP headers
    `Link`, `asked_url` what led to it: guesses are made for that and for its canonical address, too. At most 50, those
    that the page names before others, each once; nothing is fetched, so an address may turn out to be no feed. O(n) in
    the page.
    """
    base = base_url(tree, url)
    offers = _distinct(
        [*_header_offers(link_headers, url), *_link_offers(tree, base), *_anchor_offers(tree, base, url)]
    )
    page = PageFacts.of(tree, url, offers)
    ranked = [
        FeedCandidate(offer.url, offer.how, penalty(offer, page, position), kind_of(offer, page) == "comments")
        for position, offer in enumerate(offers)
    ]
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
    return [offer.url for offer in _distinct(list(_link_offers(tree, base_url(tree, url))))]


def _distinct(offers: list[Offer]) -> list[Offer]:
    found: dict[tuple[str, str, str], Offer] = {}
    for offer in offers:
        found.setdefault(address_key(offer.url), offer)
    return list(found.values())


def _absolute(href: str | None, base: str) -> str | None:
    """A web address without fragment; `feed:` before it asks to subscribe and is no scheme."""
    text = _FEED_SCHEME.sub(lambda scheme: "http://" if scheme[1] else "", (href or "").strip())
    url = resolve(text, base) if text else None
    return url.partition("#")[0] if url is not None else None


def _header_offers(headers: Sequence[str], url: str) -> Iterator[Offer]:
    for header in headers[:20]:
        for target, values in header_links(header):
            yield from _declared(values, _absolute(target, url))


def _link_offers(tree: HtmlElement, base: str) -> Iterator[Offer]:
    for number, node in enumerate(tree.iter("link")):
        if number >= _MAX_LINKS:
            return
        yield from _declared(
            {str(key).lower(): str(value) for key, value in node.attrib.items()}, _absolute(node.get("href"), base)
        )


def _declared(values: dict[str, str], url: str | None) -> Iterator[Offer]:
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
        if url is not None and (offer := _anchor_offer(node, url, page_url)):
            yield offer


def _anchor_offer(node: HtmlElement, url: str, page_url: str) -> Offer | None:
    known = conventions()
    if not same_site(url, page_url) and not is_proxy(url):
        inner = _subscribed(url)
        if inner is None or not (same_site(inner, page_url) or is_proxy(inner)):
            return None
        return Offer(inner, "anchor", "", "")
    is_feed = str(node.get("type", "")).lower() in known.types or is_feed_address(url) or is_proxy(url)
    is_page = urlsplit(url).path.lower().endswith(_PAGE_EXTENSIONS) or address_key(url) == address_key(page_url)
    if is_page or not (is_feed or _says_feed(node)):
        return None
    return Offer(url, "anchor", _label(node), str(node.get("hreflang", ""))[:20], is_sure=is_feed)


def _subscribed(url: str) -> str | None:
    """The feed within a feed reader's address, as in reader.example/subscribe?url=http%3A%2F%2F..."""
    text = unquote(url)
    start = max(text.rfind("http://"), text.rfind("https://"))
    inner = text[start:] if start > 0 else ""
    return _absolute(inner, url) if inner and is_feed_address(inner) else None


def _says_feed(node: HtmlElement) -> bool:
    """True if the words on a link, its picture or its class name a feed."""
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


def well_known(tree: HtmlElement, url: str, language: str | None = None) -> Iterator[FeedCandidate]:
    """The conventional addresses for a page, in its folder and above; those of the software that made it first."""
    known = conventions()
    paths = dict.fromkeys([*_of_generator(tree), *known.paths])
    for folder, later in _folders(tree, url):
        usable = (path for path in paths if language or "{language}" not in path)
        for place, path in enumerate(usable):
            address = urljoin(folder, path.replace("{language}", (language or "").partition("-")[0]))
            yield FeedCandidate(address, "well-known", _FIRST + later + place)


def home_of_usual(url: str) -> str | None:
    """The home page below which an address is one at which blog software puts feeds; None where it is none. O(n)."""
    start = url.rstrip("/")
    found = [path.rstrip("/") for path in conventions().paths if start.endswith("/" + path.rstrip("/"))]
    if not found:
        return None
    home = start[: -max(map(len, found))]
    return home if urlsplit(home).netloc else None


def _of_generator(tree: HtmlElement) -> tuple[str, ...]:
    for node in tree.iter("meta"):
        if str(node.get("name", "")).lower() != "generator":
            continue
        said = str(node.get("content", ""))[:200].lower()
        for name, paths in conventions().generators.items():
            if name in said:
                return paths
    return ()


def _folders(tree: HtmlElement, url: str) -> list[tuple[str, float]]:
    """The folders where the blog may stand, and how much later each is tried than the first."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}/"
    path = [part for part in parts.path.split("/") if part]
    if path and "." in path[-1] and not parts.path.endswith("/"):
        path = path[:-1]
    dated = next((index for index, part in enumerate(path) if part.isdigit()), len(path))
    path = path[:dated]  # below a year stand posts
    found = [
        root + "".join(f"{part}/" for part in path[:length]) for length in (len(path), 1, 0) if length <= len(path)
    ]
    folders = {folder: place * _ROOT_LATER for place, folder in reversed(list(enumerate(dict.fromkeys(found))))}
    for folder in _linked_folders(tree, root):
        folders.setdefault(folder, _SUBFOLDER_LATER)
    return sorted(folders.items(), key=lambda item: item[1])


def _linked_folders(tree: HtmlElement, root: str) -> list[str]:
    """Folders with a blog's usual name that the page links to."""
    names = conventions().folders
    found: dict[str, None] = {}
    for number, node in enumerate(tree.iter("a")):
        if number >= _MAX_FOLDER_LINKS:
            break
        href = str(node.get("href", ""))
        try:
            address = urljoin(root, href) if href and len(href) < 2000 else ""
        except ValueError:
            continue
        first = address[len(root) :].partition("/")[0] if address.startswith(root) else ""
        if first in names:
            found[f"{root}{first}/"] = None
    return list(found)[:2]
