"""Title and date of a post where no rule gives them: what the page claims in metadata, else a guess.

A claim that stands in the page in a published vocabulary has the source `metadata`; what is guessed from headings, the
head's title or times in the page has `fallback`, and a date in the address `url`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from blogcrawler.dates import Moment, could_be_date, date_in_url, read_date
from blogcrawler.dom import inline_text
from blogcrawler.items import FieldSource
from blogcrawler.similarity import fold
from blogcrawler.urls import identity, resolve
from blogcrawler.wrapper.fallback.linked import linked_articles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

__all__ = ["Fact", "find_date", "find_title", "is_marked_article"]

LONGEST = 300
"""Characters of a title or date; more is neither."""
MAX_HEADINGS = 60
MAX_TIMES = 20
MAX_TEXTS = 200
SEPARATOR = re.compile(r"\s+(?:[|–—·•»«:/-]|::|\||<|>|→|←|~)\s+|\s*[|»«]\s*|:\s+")
"""What themes put between a page's title and the site's name."""

CONFIRMED, CLAIMED = 0.95, 0.85
"""Confidence in a claim that a heading of the page repeats, or that nothing confirms."""
AGREED, LONE, HEAD = 0.85, 0.6, 0.55
"""Confidence in a heading that the head's title repeats, in the page's only h1, in the head's title alone."""
DATE_CLAIMED, DATE_IN_URL, DATE_MARKED, DATE_NEAR = 0.9, 0.9, 0.75, 0.6
"""Confidence in a date: of metadata; of the address; of a time element near the title; of a text near the title."""

META_TITLES = ("og:title", "twitter:title", "dc.title", "dcterms.title", "parsely-title", "sailthru.title")
META_DATES = (
    "article:published_time", "og:article:published_time", "datepublished", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created", "dc.date", "dcterms.date", "parsely-pub-date", "sailthru.date", "pubdate",
    "publish_date", "publishdate", "citation_publication_date", "date",
)  # fmt: skip
"""Names of meta elements: Open Graph, Twitter cards, schema.org, Dublin Core, Parse.ly, Sailthru, Google Scholar."""
DATE_PLACES = (
    '//*[@itemprop="datePublished"]',
    '//*[contains(concat(" ",normalize-space(@class)," ")," dt-published ")]',
    '//abbr[contains(concat(" ",normalize-space(@class)," ")," published ")]',
    "//time[@pubdate]",
)
"""Where microdata, h-entry, hAtom and early HTML5 put the date of publication."""


class Fact(NamedTuple):
    """A value and where it came from."""

    value: str
    source: FieldSource


# --------------------------------------------------------------------------------------------------------------- title


def find_title(root: HtmlElement, url: str | None = None, container: HtmlElement | None = None) -> Fact | None:
    """The post's title, without the site's name. `container` is that of the article, where it is known. O(n)."""
    headings = _headings(root, url)
    sites = _site_names(root)
    for told, where in _claimed_titles(root):
        title = _without_site(told, sites, headings)
        if title and fold(title) not in sites:
            known = fold(title) in headings
            return Fact(title, FieldSource("metadata", where, CONFIRMED if known else CLAIMED))
    return _guessed_title(root, headings, sites, container)


def _claimed_titles(root: HtmlElement) -> Iterator[tuple[str, str]]:
    for name in META_TITLES[:2]:
        yield from _meta(root, name)
    for node in linked_articles(root)[:1]:
        told = node.get("headline") or node.get("name")
        if isinstance(told, str) and (text := _clean(told)):
            yield text, "JSON-LD headline"
    places = root.xpath('//*[@itemprop="headline"]')
    if len(places) == 1 and (text := _clean(places[0].get("content") or inline_text(places[0]))):
        yield text, "itemprop headline"
    for name in META_TITLES[2:]:
        yield from _meta(root, name)


def _headings(root: HtmlElement, url: str | None) -> dict[str, HtmlElement]:
    """The headings of a page by their folded text, but for those that lead to the home page: the site's name."""
    found: dict[str, HtmlElement] = {}
    for node in root.xpath("//h1|//h2|//h3")[:MAX_HEADINGS]:
        text = fold(inline_text(node, most_nodes=50)[:LONGEST])
        if text and not _leads_home(node, url):
            found.setdefault(text, node)
    return found


def _leads_home(node: HtmlElement, url: str | None) -> bool:
    link = next(node.iter("a"), None)
    href = link.get("href") if link is not None else None
    target = resolve(url or "http://unknown.invalid/", href) if href else None
    return target is not None and urlsplit(target).path in {"", "/"} and not urlsplit(target).query


def _site_names(root: HtmlElement) -> set[str]:
    return {fold(text) for name in ("og:site_name", "application-name") for text, _ in _meta(root, name)}


def _without_site(told: str, sites: set[str], headings: dict[str, HtmlElement]) -> str:
    """A title without the parts at its ends that name the site; as it is where a heading repeats it whole."""
    if fold(told) in headings:
        return told
    cuts = list(SEPARATOR.finditer(told))
    pieces = [(told[: cut.start()], told[cut.end() :]) for cut in cuts]
    parts = [part for pair in pieces for part in pair]
    repeated = [part for part in parts if fold(part) in headings and fold(part) not in sites]
    if repeated:
        return max(repeated, key=len).strip()
    for before, after in pieces:
        if fold(after) in sites:
            return before.strip()
        if fold(before) in sites:
            return after.strip()
    return told


def _guessed_title(
    root: HtmlElement, headings: dict[str, HtmlElement], sites: set[str], container: HtmlElement | None
) -> Fact | None:
    node = root.find(".//title")
    head = _clean(node.text or "") if node is not None else ""
    agreed = [text for text in headings if text not in sites and _is_part(text, fold(head))]
    if agreed:
        best = _nearest([headings[text] for text in agreed], container)
        return Fact(_clean(inline_text(best)), FieldSource("fallback", f"{best.tag}, title", AGREED))
    first = [heading for heading in headings.values() if heading.tag == "h1"]
    if len(first) == 1 and fold(inline_text(first[0])) not in sites:
        return Fact(_clean(inline_text(first[0])), FieldSource("fallback", "h1", LONE))
    title = _without_site(head, sites, headings)
    if title == head and (cuts := list(SEPARATOR.finditer(head))):
        title = max((head[: cuts[-1].start()], head[cuts[0].end() :]), key=len)
    return Fact(title, FieldSource("fallback", "title", HEAD)) if title and fold(title) not in sites else None


def _is_part(text: str, title: str) -> bool:
    """Does a folded title begin or end with a text, as a part of its own?"""
    if not title.startswith(text) and not title.endswith(text):
        return False
    rest = title.removeprefix(text) if title.startswith(text) else title.removesuffix(text)[::-1]
    return not rest or not rest[0].isalnum()


def _nearest(nodes: Sequence[HtmlElement], container: HtmlElement | None) -> HtmlElement:
    """The last of the nodes that begins before the article does, or in it; without an article, the highest heading."""
    if container is None:
        return min(nodes, key=lambda node: str(node.tag))
    inside = set(container.iter())
    around = {*container.iterancestors()}
    best = None
    wanted = set(nodes)
    for node in container.getroottree().getroot().iter("h1", "h2", "h3"):
        if node in wanted:
            if node in inside and best is not None:
                break
            best = node
            if node in inside:
                break
        elif best is not None and container in around:
            break
    return best if best is not None else nodes[0]


# ---------------------------------------------------------------------------------------------------------------- date


def find_date(
    root: HtmlElement,
    url: str | None = None,
    title: HtmlElement | None = None,
    languages: Sequence[str] = (),
    order: str | None = None,
) -> Fact | None:
    """The day of publication, as ISO 8601: claimed, in the address, in a time element, in a short text near the title.

    `languages` and `order` as for `blogcrawler.dates.read_date`. O(n).
    """
    spoken = tuple(dict.fromkeys((*filter(None, [root.get("lang")]), *languages)))
    for told, where in _claimed_dates(root):
        moment = read_date(told[:LONGEST], spoken, order)
        if moment is not None:
            return Fact(moment.isoformat(), FieldSource("metadata", where, DATE_CLAIMED))
    day = date_in_url(url) if url else None
    if day is not None:
        return Fact(day.isoformat(), FieldSource("url", None, DATE_IN_URL))
    return _guessed_date(root, title, spoken, order)


def _claimed_dates(root: HtmlElement) -> Iterator[tuple[str, str]]:
    yield from _meta(root, META_DATES[0])
    for node in linked_articles(root)[:1]:
        if isinstance(told := node.get("datePublished"), str):
            yield told, "JSON-LD datePublished"
    for place in DATE_PLACES:
        nodes = root.xpath(place)
        if len(nodes) == 1:
            yield _value(nodes[0]), place
    for name in META_DATES[1:]:
        yield from _meta(root, name)


def _value(node: HtmlElement) -> str:
    told = node.get("datetime") or node.get("content") or (node.get("title") if node.tag == "abbr" else None)
    return told or inline_text(node, most_nodes=50)


def _guessed_date(
    root: HtmlElement, title: HtmlElement | None, languages: Sequence[str], order: str | None
) -> Fact | None:
    """From the time element that stands nearest to the title, else from the nearest short text that is a date."""
    times = root.xpath("//time")[:MAX_TIMES]
    moments = [(node, moment) for node in times if (moment := read_date(_value(node)[:LONGEST], languages, order))]
    if moments and (len({moment.date for _, moment in moments}) == 1 or title is None):
        sure = len({moment.date for _, moment in moments}) == 1
        moment = moments[0][1] if sure else None
    else:
        moment = _next_to(title, moments) if title is not None else None
    if moment is not None:
        return Fact(moment.isoformat(), FieldSource("fallback", "time", DATE_MARKED))
    return _written_date(title, languages, order) if title is not None else None


def _next_to(title: HtmlElement, moments: Sequence[tuple[HtmlElement, Moment]]) -> Moment | None:
    """The moment whose node shares the smallest element with the title."""
    of = dict(moments)
    for around in (title, *title.iterancestors()):
        inside = [node for node in around.iter("time") if node in of]
        if inside:
            return of[inside[0]] if len({of[node].date for node in inside}) == 1 else None
    return None


def _written_date(title: HtmlElement, languages: Sequence[str], order: str | None) -> Fact | None:
    """The first date in a short text of the smallest element around the title that has one."""
    tried = 0
    for around in title.iterancestors():
        for text in around.itertext():
            tried += 1
            if tried > MAX_TEXTS:
                return None
            if could_be_date(text) and (moment := read_date(text, languages, order)) is not None:
                return Fact(moment.isoformat(), FieldSource("fallback", "text near the title", DATE_NEAR))
    return None


# --------------------------------------------------------------------------------------------------------------- kind


def is_marked_article(root: HtmlElement) -> bool:
    """Does a page say that it is one article: by Open Graph, JSON-LD or microdata? O(n)."""
    if any(kind == "article" for kind, _ in _meta(root, "og:type")):
        return True
    described = {str(node.get("headline") or node.get("url")) for node in linked_articles(root)}
    if described:
        return len(described) == 1
    marked = root.xpath('//*[@itemtype and (contains(@itemtype,"/BlogPosting") or contains(@itemtype,"Article"))]')
    return len(marked) == 1


# --------------------------------------------------------------------------------------------------------------- meta


def _meta(root: HtmlElement, name: str) -> Iterator[tuple[str, str]]:
    """What a meta element of a name says, if the page has one such, and the name."""
    told = [
        text
        for node in root.iter("meta")
        if name in {(node.get("property") or "").lower(), (node.get("name") or "").lower()}
        if (text := _clean(node.get("content") or ""))
    ]
    if told and len(told[0]) <= LONGEST:
        yield told[0], name


def _clean(text: str) -> str:
    return " ".join(text.split())
