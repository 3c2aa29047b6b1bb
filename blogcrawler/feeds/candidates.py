"""Candidate URLs of a blog's feed: those that a page links to, then the usual URLs of blog software."""

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
#: position from which candidates in the site's root alternate with those in the blog's own folder
_ROOT_LATER = 4.5
_SUBFOLDER_LATER = 8.25
_MAX_FOLDER_LINKS = 2_000


def candidates(
    tree: HtmlElement, url: str, link_headers: Sequence[str] = (), asked_url: str | None = None
) -> list[FeedCandidate]:
    """Candidate URLs, the main feed of posts first, feeds of comments and parts last.

    `tree` is a page of the blog, `url` its URL after redirects, `link_headers` the values of its HTTP `Link` headers,
    and `asked_url` the requested URL: usual URLs are guessed for it and for the page's canonical URL, too. Returns at
    most 50 distinct URLs, those that the page names first. Nothing is fetched, so a URL may turn out not to be a feed.
    O(n) in the page.
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
    canonical_url = canonical(tree, url)
    for address in dict.fromkeys([url, asked_url or url, (canonical_url and _absolute(canonical_url, url)) or url]):
        ranked.extend(well_known(tree, address, page.language) if same_site(address, url) else ())
    ranked.sort(key=lambda candidate: candidate.penalty)
    by_key: dict[tuple[str, str, str], FeedCandidate] = {}
    for candidate in ranked:
        by_key.setdefault(address_key(candidate.url), candidate)
    named = [one for one in by_key.values() if one.how != "well-known"][:MAX_CANDIDATES]
    guessed = [one for one in by_key.values() if one.how == "well-known"][: MAX_CANDIDATES - len(named)]
    return sorted([*named, *guessed], key=lambda candidate: candidate.penalty)


def declared_feeds(tree: HtmlElement, url: str) -> list[str]:
    """The distinct feed URLs in a page's link elements. O(n) in the page."""
    return [offer.url for offer in _distinct(list(_link_offers(tree, base_url(tree, url))))]


def _distinct(offers: list[Offer]) -> list[Offer]:
    by_key: dict[tuple[str, str, str], Offer] = {}
    for offer in offers:
        by_key.setdefault(address_key(offer.url), offer)
    return list(by_key.values())


def _absolute(href: str | None, base: str) -> str | None:
    """The absolute web URL without fragment. The prefix `feed:` asks to subscribe and is removed."""
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
    feed_conventions = conventions()
    kind = values.get("type", "").partition(";")[0].strip().lower()
    relations = values.get("rel", "").lower().split()
    is_alternate = bool(_RELATIONS & set(relations)) or not relations
    if url is None or not is_alternate or "stylesheet" in relations or "replies" in relations:
        return
    is_feed = kind in feed_conventions.types
    if not is_feed and (not kind or kind in feed_conventions.vague_types):
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
    feed_conventions = conventions()
    if not same_site(url, page_url) and not is_proxy(url):
        inner = _subscribed(url)
        if inner is None or not (same_site(inner, page_url) or is_proxy(inner)):
            return None
        return Offer(inner, "anchor", "", "")
    is_feed = str(node.get("type", "")).lower() in feed_conventions.types or is_feed_address(url) or is_proxy(url)
    is_page = urlsplit(url).path.lower().endswith(_PAGE_EXTENSIONS) or address_key(url) == address_key(page_url)
    if is_page or not (is_feed or _says_feed(node)):
        return None
    return Offer(url, "anchor", _label(node), str(node.get("hreflang", ""))[:20], is_sure=is_feed)


def _subscribed(url: str) -> str | None:
    """The feed in the URL of a feed reader, such as reader.example/subscribe?url=http%3A%2F%2F..."""
    text = unquote(url)
    start = max(text.rfind("http://"), text.rfind("https://"))
    inner = text[start:] if start > 0 else ""
    return _absolute(inner, url) if inner and is_feed_address(inner) else None


def _says_feed(node: HtmlElement) -> bool:
    """True if a link's text, image or class names a feed."""
    texts = [_label(node), str(node.get("title", "")), str(node.get("aria-label", ""))]
    classes = [str(node.get("class", ""))]
    for number, child in enumerate(node.iterdescendants()):
        if number >= _MAX_CHILDREN:
            break
        texts.append(str(child.get("alt", "")))
        classes.append(str(child.get("class", "")))
    return any(_is_feeds_name(text) for text in texts) or any("rss" in words(names) for names in classes)


def _is_feeds_name(text: str) -> bool:
    """True for names such as "RSS 2.0", "Subscribe (Atom)" and "Web feed", but not for "Feed the birds" or long
    texts."""
    name_words = words(text)
    named = conventions().feed_words & set(name_words)
    return bool(named) and (
        len(name_words) <= 2 or (len(name_words) <= _MAX_NAME_WORDS and not named <= {"feed", "feeds"})
    )


def _label(node: HtmlElement) -> str:
    text = inline_text(node) if len(node) < 20 else ""
    return text if len(text) <= _MAX_TEXT else ""


def well_known(tree: HtmlElement, url: str, language: str | None = None) -> Iterator[FeedCandidate]:
    """The usual feed URLs for a page, in its folder and above; those of the page's generator first."""
    feed_conventions = conventions()
    paths = dict.fromkeys([*_of_generator(tree), *feed_conventions.paths])
    for folder, later in _folders(tree, url):
        usable = (path for path in paths if language or "{language}" not in path)
        for position, path in enumerate(usable):
            address = urljoin(folder, path.replace("{language}", (language or "").partition("-")[0]))
            yield FeedCandidate(address, "well-known", _FIRST + later + position)


def home_of_usual(url: str) -> str | None:
    """The home page to which a usual feed URL belongs; None if the URL is not a usual one. O(n)."""
    start = url.rstrip("/")
    endings = [path.rstrip("/") for path in conventions().paths if start.endswith("/" + path.rstrip("/"))]
    if not endings:
        return None
    home = start[: -max(map(len, endings))]
    return home if urlsplit(home).netloc else None


def _of_generator(tree: HtmlElement) -> tuple[str, ...]:
    for node in tree.iter("meta"):
        if str(node.get("name", "")).lower() != "generator":
            continue
        generator = str(node.get("content", ""))[:200].lower()
        for name, paths in conventions().generators.items():
            if name in generator:
                return paths
    return ()


def _folders(tree: HtmlElement, url: str) -> list[tuple[str, float]]:
    """The folders in which the blog may be, each with a penalty for its position."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}/"
    path = [part for part in parts.path.split("/") if part]
    if path and "." in path[-1] and not parts.path.endswith("/"):
        path = path[:-1]
    dated = next((index for index, part in enumerate(path) if part.isdigit()), len(path))
    path = path[:dated]  # folders of years contain posts
    paths = [
        root + "".join(f"{part}/" for part in path[:length]) for length in (len(path), 1, 0) if length <= len(path)
    ]
    folders = {folder: position * _ROOT_LATER for position, folder in reversed(list(enumerate(dict.fromkeys(paths))))}
    for folder in _linked_folders(tree, root):
        folders.setdefault(folder, _SUBFOLDER_LATER)
    return sorted(folders.items(), key=lambda item: item[1])


def _linked_folders(tree: HtmlElement, root: str) -> list[str]:
    """Folders with a blog's usual name to which the page links."""
    names = conventions().folders
    folders: dict[str, None] = {}
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
            folders[f"{root}{first}/"] = None
    return list(folders)[:2]
