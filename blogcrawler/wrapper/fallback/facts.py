"""Title and date of a post where no rule gives them: what the page claims in metadata, else a guess.

A claim that stands in the page in a published vocabulary has the source `metadata`; what is guessed from headings, the
head's title or times in the page has `fallback`, and a date in the address `url`.
"""

from __future__ import annotations

import re
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from blogcrawler.dates import Moment, could_be_date, date_in_url, find_dates, read_date, settled, shown_rather
from blogcrawler.dom import inline_text
from blogcrawler.items import FieldSource
from blogcrawler.similarity import fold
from blogcrawler.urls import identity, resolve, same_site
from blogcrawler.wrapper.fallback.heads import NO_ENDS, head_title
from blogcrawler.wrapper.linked import linked_data
from blogcrawler.wrapper.lists import outside_lists
from blogcrawler.wrapper.metadata import REVISED, claims

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fallback.heads import Ends

LONGEST = 300
"""Characters of a title or date; more is neither."""
MAX_HEADINGS = 60
MAX_LINKS = 1000
FEWEST_LISTED = 3
"""Pages that a list leads to, at least."""
MAX_TIMES = 20
MAX_TEXTS = 200
"""Texts near the title that are read, of those that may be dates."""
SEPARATOR = re.compile(r"(?<!\s)\s++(?:[|–—·•»«:/~-]|::)\s++|(?:(?<!\s)\s++)?+[|»«]\s*+")
"""What themes put between a page's title and the site's name."""
PARTS, BYLINE = re.compile(r"[|·•・｜]|(?<=\s)[-–—](?=\s|\Z)"), 80
"""What stands between the author and the month of a byline; its characters at most."""

CONFIRMED, CLAIMED = 0.95, 0.8
"""Confidence in a claimed title that a heading of the page repeats, or that nothing confirms."""
AGREED, CUT, LONE, HEAD = 0.85, 0.8, 0.6, 0.55
"""Confidence in a heading that the head's title repeats, in what that says besides a part that recurs on other pages,
in the page's only h1, in what the head's title says besides the site's name or says as a whole."""
DATE_CLAIMED, DATE_IN_URL, DATE_MARKED, DATE_NEAR, DATE_AMONG_OTHERS = 0.9, 0.9, 0.75, 0.65, 0.5
"""Confidence in a date: of metadata; of the address; of a time element near the title; of a text near the title; of one
with other dates beside it."""
LABEL = 2
"""Words before a month that is a date."""
ARTICLE_TAGS = frozenset(["article", "main"])
ARTICLES = ("Article", "Posting")
"""Ends of the types of schema.org that are articles: BlogPosting, NewsArticle and so on."""


class Fact(NamedTuple):
    """A value, and where it came from."""

    value: str
    source: FieldSource


def find_title(
    tree: HtmlElement, url: str | None = None, container: HtmlElement | None = None, ends: Ends = NO_ENDS
) -> Fact | None:
    """The post's title, without the site's name. O(n).
    `container` is the article's, where it is known, and `ends` what titles of the blog's pages have in common."""
    headings, sites = _headings(tree, url), _site_names(tree) | ends.names()
    told = [(_without_site(told, sites, headings), where) for told, where in _single_claims(tree, "title")]
    claimed = [(title, where) for title, where in told if fold(title) not in sites]
    if not claimed:
        return _guess_title(head_title(tree), headings, sites, container, ends)
    title, where = min(claimed, key=lambda claim: fold(claim[0]) not in headings)
    if fold(title) in headings:
        return Fact(title, FieldSource("metadata", where, CONFIRMED))
    own = _own_heading({text: node for text, node in headings.items() if text not in sites}, container)
    if own is None or _is_end(fold(own), fold(head_title(tree))) or any(fold(title) in text for text in headings):
        return Fact(title, FieldSource("metadata", where, CLAIMED))
    return Fact(own, FieldSource("fallback", "h1", LONE))


def _own_heading(headings: dict[str, HtmlElement], container: HtmlElement | None) -> str | None:
    """The text of the page's only h1 where it is a part of the article: metadata may be for search engines."""
    first = [node for node in headings.values() if node.tag == "h1"]
    is_own = len(first) == 1 and any(node is container or node.tag in ARTICLE_TAGS for node in first[0].iterancestors())
    return inline_text(first[0]) if is_own else None


def find_date(
    tree: HtmlElement,
    url: str | None = None,
    title: str | None = None,
    languages: Sequence[str] = (),
    order: str | None = None,
    of_site: Collection[str] = (),
) -> Fact | None:
    """When the post was published, as ISO 8601: claimed, in the address, in a time element, or near the title. O(n).
    `of_site` are folded texts of several pages, whose dates are no post's."""
    spoken = tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *languages)))
    for where, group in groupby(claims(tree, "published"), key=lambda claim: claim.where):
        told = dict.fromkeys(claim.value[:LONGEST] for claim in group if fold(claim.value[:LONGEST]) not in of_site)
        moments = [read_date(text, spoken, order, months=True) for text in told]
        first = moments[0] if moments else None
        if first is not None and all(moment is not None and _is_same(moment, first) for moment in moments):
            return Fact(first.isoformat(), FieldSource("metadata", where, DATE_CLAIMED))
    day = date_in_url(url) if url else None
    if day is not None:
        return Fact(day.isoformat(), FieldSource("url", None, DATE_IN_URL))
    heading = _place_of(title, tree, url) if title else None
    marked = _date_of_times(tree, heading, spoken, order, of_site)
    return marked or _written_date(heading, spoken, order, of_site)


def _is_same(one: Moment, other: Moment) -> bool:
    """True if both are one instant, in whatever zone, or one day as far as is known."""
    hours = {(moment.hour, moment.minute) for moment in (one, other) if moment.hour is not None}
    return one.minutes_from(other) == 0 or (one.date == other.date and len(hours) <= 1)


def find_shown_date(
    tree: HtmlElement,
    url: str | None,
    title: str | None,
    languages: Sequence[str] = (),
    order: str | None = None,
    of_site: Collection[str] = (),
) -> Fact | None:
    """As `find_date`, of what readers see: near the title, or else in the address. O(n)."""
    spoken = tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *languages)))
    written = _written_date(_place_of(title, tree, url) if title else None, spoken, order, of_site)
    day = date_in_url(url) if url and written is None else None
    return Fact(day.isoformat(), FieldSource("url", None, DATE_IN_URL)) if day is not None else written


def is_marked_article(tree: HtmlElement) -> bool:
    """True if a page says that it is one article: by Open Graph, JSON-LD or microdata. O(n)."""
    if any(node.get("content") == "article" for node in tree.iterfind('.//meta[@property="og:type"]')):
        return True
    told = {value for path, values in linked_data(tree).items() if _is_headline(path) for value in values}
    marked = tree.xpath('//*[@itemtype and (contains(@itemtype,"BlogPosting") or contains(@itemtype,"Article"))]')
    return len(told) == 1 or len(marked) == 1


def lists_posts(container: HtmlElement, url: str) -> bool:
    """True if several headings in a text, or half of all words, lead to other pages of the site. O(n)."""
    headings = islice(container.iter("h1", "h2", "h3"), MAX_HEADINGS)
    links = [link for heading in headings for link in islice(heading.iter("a"), 1)]
    if len({target for link in links if (target := _elsewhere(link, url))}) > 1:
        return True
    targets = [(link, target) for link in islice(container.iter("a"), MAX_LINKS) if (target := _elsewhere(link, url))]
    if len({target for _, target in targets}) < FEWEST_LISTED:
        return False
    return 2 * sum(len(inline_text(link)) for link, _ in targets) >= len(inline_text(container))


def _elsewhere(link: HtmlElement, url: str) -> str | None:
    """The other page of the site that a link leads to, as `urls.identity` writes it."""
    target = resolve(url, link.get("href") or "")
    if target is None or not same_site(target, url) or identity(target) == identity(url):
        return None
    return identity(target)


def _is_headline(path: str) -> bool:
    kind, _, key = path.partition("/")
    return key == "headline" and kind.endswith(ARTICLES)


def _single_claims(tree: HtmlElement, field: str) -> Iterator[tuple[str, str]]:
    """What is claimed in places that say one thing only: several titles are those of a list of posts."""
    for where, group in groupby(claims(tree, field), key=lambda claim: claim.where):
        values = {claim.value for claim in group}
        if len(values) == 1 and 0 < len(value := values.pop()) <= LONGEST:
            yield value, where


def _headings(tree: HtmlElement, url: str | None) -> dict[str, HtmlElement]:
    """The headings of a page by their folded text, but for those that lead to the home page: the site's name."""
    found: dict[str, HtmlElement] = {}
    for node in tree.xpath("//h1|//h2|//h3")[:MAX_HEADINGS]:
        text = fold(inline_text(node, most_nodes=50)[:LONGEST])
        if text and not _leads_home(node, url):
            found.setdefault(text, node)
    return found


def _leads_home(node: HtmlElement, url: str | None) -> bool:
    link = next(node.iter("a"), None)
    around = link if link is not None else next(node.iterancestors("a"), None)
    href = around.get("href") if around is not None else None
    target = resolve(url or "http://unknown.invalid/a", href) if href else None
    return target is not None and urlsplit(target).path in {"", "/"} and not urlsplit(target).query


def _site_names(tree: HtmlElement) -> set[str]:
    return {
        fold(node.get("content") or "")
        for node in tree.iter("meta")
        if node.get("property") == "og:site_name" or node.get("name") == "application-name"
    }


def is_site_name(tree: HtmlElement, name: str) -> bool:
    """True if a name is the site's by a page's metadata, or stands before or after the title in its head."""
    folded, head = fold(name), fold(head_title(tree))
    return folded in _site_names(tree) or (folded != head and _is_end(folded, head))


def _without_site(told: str, sites: set[str], headings: dict[str, HtmlElement]) -> str:
    """A title without a part at its end or beginning that names the site; whole where a heading repeats it."""
    if fold(told) in headings:
        return told
    pieces = [(told[: cut.start()].strip(), told[cut.end() :].strip()) for cut in SEPARATOR.finditer(told)]
    repeated = [part for pair in pieces for part in pair if fold(part) in headings and fold(part) not in sites]
    if repeated:
        return max(repeated, key=len)
    for before, after in pieces:
        if fold(after) in sites:
            return before
        if fold(before) in sites:
            return after
    return told


def _place_of(title: str, tree: HtmlElement, url: str | None) -> HtmlElement | None:
    """The heading with a title, or else the first element of the page that says just this, or else the only h1."""
    wanted, headings = fold(title), _headings(tree, url)
    heading, body = headings.get(wanted), tree.find("body")
    if heading is not None or body is None:
        return heading
    first = [node for node in headings.values() if node.tag == "h1"]
    lone = first[0] if len(first) == 1 else None
    return next((node for node in body.iter("*") if len(node.text or "") >= len(title) and _says(node, wanted)), lone)


def _says(node: HtmlElement, wanted: str) -> bool:
    return len(node.text or "") <= LONGEST and fold(node.text or "") == wanted


def _guess_title(
    head: str, headings: dict[str, HtmlElement], sites: set[str], container: HtmlElement | None, ends: Ends
) -> Fact | None:
    agreed = [heading for text, heading in headings.items() if text not in sites and _is_end(text, fold(head))]
    if agreed:
        best = _before(agreed, container)
        return Fact(inline_text(best), FieldSource("fallback", f"{best.tag} in title", AGREED))
    first = [(text, heading) for text, heading in headings.items() if heading.tag == "h1"]
    cut = ends.cut(head)
    if cut != head and fold(cut) not in sites and not any(fold(cut) in text for text, _ in first):
        return Fact(cut, FieldSource("fallback", "title", CUT))
    if len(first) == 1 and first[0][0] not in sites:
        return Fact(inline_text(first[0][1]), FieldSource("fallback", "h1", LONE))
    title = _without_site(head, sites, headings)
    if title == head and (not ends.differ or fold(head) in sites):
        return None  # the site's name, alone or with a title that nothing tells from it
    return Fact(title, FieldSource("fallback", "title", HEAD))


def _is_end(text: str, title: str) -> bool:
    """True if a folded title begins or ends with a text, not within a word."""
    if title.startswith(text):
        return not title[len(text) : len(text) + 1].isalnum()
    return title.endswith(text) and not title[: -len(text)][-1:].isalnum()


def _before(headings: Sequence[HtmlElement], container: HtmlElement | None) -> HtmlElement:
    """The last heading that begins before the article does, the first in it, or the first of all. O(n)."""
    wanted, best = set(headings), None
    if container is not None:
        for node in container.getroottree().getroot().iter("h1", "h2", "h3", container.tag):
            if node is container:
                break
            best = node if node in wanted else best
        inside = next((node for node in container.iter("h1", "h2", "h3") if node in wanted), None)
        best = best if best is not None else inside
    return best if best is not None else headings[0]


def _told_by(node: HtmlElement, languages: Sequence[str]) -> str:
    told, shown = " ".join((node.get("datetime") or "").split()), inline_text(node, most_nodes=50)
    return shown_rather(told, shown, languages)[:LONGEST] if told else shown[:LONGEST]


def _date_of_times(
    tree: HtmlElement,
    heading: HtmlElement | None,
    languages: Sequence[str],
    order: str | None,
    of_site: Collection[str],
) -> Fact | None:
    """The one day of the page's time elements, or the only one of the smallest element around the heading with any."""
    told = {node: _told_by(node, languages) for node in tree.xpath("//time")[:MAX_TIMES]}
    own = {node: text for node, text in told.items() if fold(text) not in of_site}
    read = {node: read_date(text, languages, order, months=True) for node, text in own.items()}
    known = {node: moment for node, moment in read.items() if moment is not None}
    known = {node: known[node] for node in outside_lists(known, heading)}
    known = {node: moment for node, moment in known.items() if moment.day} or known
    nodes: Sequence[HtmlElement] = list(known)
    if heading is not None:
        around = (known.keys() & set(above.iter("time")) for above in heading.iterancestors() if len(known) > 1)
        nodes = next((list(inside) for inside in around if inside), nodes)
    if not nodes or len({known[node].date for node in nodes}) > 1:
        return None
    moment = max((known[node] for node in nodes), key=lambda moment: len(moment.isoformat()))
    return Fact(moment.isoformat(), FieldSource("fallback", "time", DATE_MARKED))


def _written_date(
    heading: HtmlElement | None, languages: Sequence[str], order: str | None, of_site: Collection[str]
) -> Fact | None:
    """The first date, or else the only month, in a short text of the smallest element around the heading with one."""
    inner, budget = heading, MAX_TEXTS
    for around in heading.iterancestors() if heading is not None else ():
        found: dict[HtmlElement, Moment] = {}
        months: dict[HtmlElement, Moment] = {}
        for node, text in _texts_around(around, inner):
            if budget > 0 and could_be_date(text, months=True) and not (of_site and fold(text) in of_site):
                budget -= 1
                if node not in found and (moment := read_date(text, languages, order)) is not None:
                    found[node] = moment
                elif (month := _month_alone(text, languages)) is not None:
                    months[node] = month
        own = [found[node] for node in outside_lists(found, heading)]
        alone = {months[node] for node in outside_lists(months, heading)}
        if own or len(alone) == 1:
            own = own or list(alone)
            confidence = DATE_NEAR if len({moment.date for moment in own}) == 1 else DATE_AMONG_OTHERS
            return Fact(own[0].isoformat(), FieldSource("fallback", "text near the title", confidence))
        inner = around
    return None


def _month_alone(text: str, languages: Sequence[str]) -> Moment | None:
    """The month and year that a text says, or a part of a byline, if that is all but for a label of two words."""
    if REVISED.search(text):
        return None
    parts = list(map(str.strip, PARTS.split(text) if len(text) <= BYLINE else [text]))
    for part in parts:
        for span in find_dates(part, languages, months=True)[:1]:
            label = part[: span.start].split()
            is_all = len(label) <= LABEL and not any(map(str.isalnum, part[span.end :]))
            moment = settled(span.readings) if is_all else None
            if moment is not None and moment.day is None:
                beside = (f"{other} {moment.year}" for other in parts if other is not part)  # "January - March 2023"
                return None if any(find_dates(other, languages, months=True) for other in beside) else moment
    return None


def _texts_around(around: HtmlElement, inner: HtmlElement | None) -> Iterator[tuple[HtmlElement, str]]:
    """The texts of an element but for those in one of its children, each with the element that it stands in."""
    yield around, around.text or ""
    for child in around:
        if child is not inner and isinstance(child.tag, str):
            for text in child.xpath(".//text()"):
                before = text.getparent()
                yield before.getparent() if text.is_tail else before, text
        yield around, child.tail or ""
