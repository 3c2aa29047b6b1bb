"""Confirm the pages behind a list's links: those that show the title, and the day, of the list are posts.

Where lists hold no dates, a page says itself when it was published: in its metadata, or, in the same place as the other
pages do, beside its title.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blogcrawler.dates import Moment, date_in_url, order_of_languages, read_date
from blogcrawler.dom import base_url, inline_text
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import fold, similarity
from blogcrawler.urls import identity, resolve, same_site

from .lists import names_something, post_lists
from .outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry

TITLE_SIGNS = re.compile(r"(?<!\s)\s++[|·•»«–—:>‹›-]++\s++|(?:(?<!\s)\s++)?+[|·•»«]\s*+")
"""Separators of a post's title and the blog's name in a page's title."""
WORD = re.compile(r"\w+")
ELLIPSIS = re.compile(r"(?:(?<!\s)\s++)?+(?:\.\.\.|…|\[…\])\s*+$")
LIKE = 0.85
"""Similarity of two writings of one title."""
SHORT = 8
"""Characters of a title from which another text may hold it by no accident."""
EXTRA = 300
META = frozenset({
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "pubdate", "publish_date", "publication_date", "parsely-pub-date",
    "sailthru.date",
})  # fmt: skip
"""Names of what the head says of a page's day of publication: Open Graph, schema.org, Dublin Core, and customs."""
JSON_DATE = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')
MAX_SCRIPT = 200_000
ALIKE = 0.3
"""Share of the pages that have a heading which is not the post's."""
OWN_LIST = 3
"""Posts in a list on a post's own page: related ones, the newest ones."""
MOST = 0.5
"""Share of a page's text in a list from which the page is a list."""
DATED = 0.5
"""Share of the pages with a day of their own from which one without is no post."""
BESIDE = 15
"""Elements before the title among which a post's day may stand."""
FAR = 0.002
"""Penalty of a date for each element between it and the title."""


@dataclass(frozen=True)
class Candidate:
    """A page that may be a post's, and what a list says of it."""

    tree: HtmlElement
    #: after redirects
    url: str
    entry: Entry


@dataclass
class _Facts:
    """Facts that a page states about itself."""

    #: the title as the page writes it; None where it does not show the list's
    title: str | None
    #: where
    place: int
    #: the day in the metadata
    told: Moment | None
    #: days outside of lists: way of tags, position, what they may mean
    days: list[tuple[str, int, tuple[Moment, ...]]]
    is_list: bool
    #: True if the title is a link to another page of the site
    leads_away: bool


def confirm(candidates: Sequence[Candidate]) -> list[Entry | None]:
    """For each candidate its entry, with title and day as the page says them; None where the page is no post.

    O(n) in the size of the pages.
    """
    texts = Counter(text for candidate in candidates for text in _titles_on(candidate.tree))
    common = frozenset(text for text, count in texts.items() if count > max(1, ALIKE * len(candidates)))
    facts = [_read(candidate, common) for candidate in candidates]
    are_links = sum(fact.leads_away for fact in facts) > ALIKE * len(facts)
    for fact, candidate in zip(facts, candidates, strict=True):
        fact.is_list |= fact.leads_away and not (are_links and candidate.entry.title)
    way = _common_way([fact for fact in facts if fact.title and not fact.is_list])
    entries = [_entry(candidate, fact, way) for candidate, fact in zip(candidates, facts, strict=True)]
    dated = sum(entry is not None and entry.published is not None for entry in entries)
    if dated >= DATED * sum(entry is not None for entry in entries):
        return [entry if entry is not None and entry.published is not None else None for entry in entries]
    return entries


def _titles_on(tree: HtmlElement) -> set[str]:
    """The headings of a page, and what its head says of its title, folded."""
    return {fold(text) for text in (*map(inline_text, tree.iter(*HEADINGS)), *_stated(tree))}


def _entry(candidate: Candidate, fact: _Facts, way: str | None) -> Entry | None:
    listed = Moment.parse_iso(candidate.entry.published)
    if fact.is_list or (fact.title is None and not _is_dated_alike(candidate, fact, listed)):
        return None
    title = fact.title or candidate.entry.title
    published = _published(candidate.url, fact, listed, way)
    if published is None and title is None:
        return None
    return replace(candidate.entry, title=title, published=published)


def _is_dated_alike(candidate: Candidate, fact: _Facts, listed: Moment | None) -> bool:
    """True if a page without a title tells the day of the list: in metadata, or in sight where the list has none."""
    shown = [moments[0] for _, _, moments in fact.days if candidate.entry.title is None]
    told = [*([fact.told] if fact.told is not None else []), *shown]
    return listed is not None and any(_near(moment, listed) for moment in told)


def _published(url: str, fact: _Facts, listed: Moment | None, way: str | None) -> str | None:
    """The day that most of these tell: the list, where the page shows it; metadata; the place of dates; the address."""
    shown = [moment for _, _, moments in fact.days for moment in moments]
    beside = sorted((abs(at - fact.place), moments) for form, at, moments in fact.days if form == way)
    in_url = date_in_url(url)
    told = [fact.told, _reading(beside[0][1], [listed, fact.told, in_url]) if beside else None, in_url]
    voices = [moment for moment in told if moment is not None]
    if listed is not None and any(_near(listed, moment) for moment in (*shown, *voices)):
        voices.insert(0, listed)
    if not voices:
        return None
    return max(voices, key=lambda one: sum(_near(one, other) for other in voices)).isoformat()


def _reading(moments: Sequence[Moment], others: Sequence[Moment | None]) -> Moment:
    """The reading of a date that others confirm; the first where they confirm none."""
    known = [other for other in others if other is not None]
    return next((moment for moment in moments if any(_near(moment, other) for other in known)), moments[0])


def _near(one: Moment, other: Moment) -> bool:
    return abs((one.date - other.date).days) <= 1


def _common_way(facts: Sequence[_Facts]) -> str | None:
    """The way of tags to a date that most pages have near the title, each a day of its own."""
    days: dict[str, list[tuple[int, Moment]]] = defaultdict(list)
    for fact in facts:
        nearest: dict[str, tuple[int, Moment]] = {}
        for way, at, moments in fact.days:
            distance = abs(at - fact.place)
            if way not in nearest or distance < nearest[way][0]:
                nearest[way] = distance, moments[0]
        for way, found in nearest.items():
            days[way].append(found)
    worth = {
        way: (len(found) + len({moment.date for _, moment in found})) / (2 * len(facts))
        - FAR * sum(distance for distance, _ in found) / len(found)
        for way, found in days.items()
        if 2 * len(found) >= len(facts)
    }
    return max(worth, key=worth.__getitem__) if worth else None


def _read(candidate: Candidate, common: frozenset[str]) -> _Facts:
    outline = Outline(candidate.tree)
    parts = _listed_parts(candidate)
    listed = {at for part in parts for at in outline.subtree(part)}
    title, place = _title(candidate, outline, common)
    days = [
        (_way(outline, date.position), date.position, tuple(reading.moment for reading in date.readings))
        for date in outline.dates
        if date.position not in listed
    ]
    told = _metadata_day(candidate.tree)
    is_list = told is None and _is_list(outline, place, parts, [at for _, at, _ in days])
    return _Facts(title, place, told, days, is_list, _leads_away(candidate, outline, place))


def _leads_away(candidate: Candidate, outline: Outline, place: int) -> bool:
    """True if the element at a place is a link to another page of the site."""
    if outline.nodes[place].tag not in HEADINGS:
        return False
    inside = (at for at in outline.subtree(place) if outline.sizes[at] == outline.sizes[place])
    links = [outline.nodes[at] for at in (*inside, *outline.ancestors(place)) if outline.nodes[at].tag == "a"]
    base = base_url(candidate.tree, candidate.url)
    targets = (resolve(base, link.get("href") or "") for link in links[:1])
    own = {identity(candidate.url), identity(candidate.entry.url)}
    return any(target and same_site(target, candidate.url) and identity(target) not in own for target in targets)


def _listed_parts(candidate: Candidate) -> list[int]:
    """The outermost elements of a page's lists of posts, in document order."""
    found = post_lists(candidate.tree, candidate.url)
    return sorted({part for one in found if len(one.entries) >= OWN_LIST and one.dated > DATED for part in one.parts})


def _is_list(outline: Outline, place: int, parts: Sequence[int], days: Sequence[int]) -> bool:
    """True if most of a page's text stands in lists behind its title, and no day of its own between these."""
    size, end, first = 0, 0, len(outline.nodes)
    for part in parts:
        if part >= end and outline.ends[part] > place:
            size, end, first = size + outline.sizes[part], outline.ends[part], min(first, part)
    own = any(place - BESIDE <= at < first for at in days)
    return not own and size > MOST * max(outline.sizes[0], 1)


def _way(outline: Outline, position: int) -> str:
    return "/".join(str(outline.nodes[at].tag) for at in (position, *outline.ancestors(position)))


def _title(candidate: Candidate, outline: Outline, common: frozenset[str]) -> tuple[str | None, int]:
    """The title as the page writes it, and where it stands: a heading, or else the page's own title.

    Where the list has no title, see `_own_title`.
    """
    wanted = fold(ELLIPSIS.sub("", candidate.entry.title or ""))
    headings = [(inline_text(node), at) for at, node in enumerate(outline.nodes) if node.tag in HEADINGS]
    told, stated = list(_page_titles(candidate.tree)), _stated(candidate.tree)
    if not wanted:
        return _own_title(outline, headings, stated, common)
    for is_title in (str.__eq__, _is_part, _is_alike):
        for text, at in headings:
            if is_title(wanted, fold(text)):
                return _without_subtitle(text, told), at
    for is_title in (str.__eq__, _is_part):
        for text in stated:
            if is_title(wanted, fold(text)):
                return text, _place(outline, fold(text))
    return _shown(candidate, outline, wanted)


def _own_title(
    outline: Outline, headings: Sequence[tuple[str, int]], stated: Sequence[str], common: frozenset[str]
) -> tuple[str | None, int]:
    """The first heading that the head repeats, or else what the head says of this page alone, or the first heading;
    nothing that is `common` to the pages."""
    own = [(text, at) for text, at in headings if fold(text) not in common and names_something(text)]
    for text, at in own:
        if any(_is_part(fold(text), fold(part)) for part in stated):
            return text, at
    parts = [part for part in stated if names_something(part) and common.isdisjoint(map(fold, (part, *_parts(part))))]
    if parts:
        longest = max(parts, key=len)
        return longest, _place(outline, fold(longest))
    return own[0] if own else (None, 0)


def _shown(candidate: Candidate, outline: Outline, wanted: str) -> tuple[str | None, int]:
    """A title that stands in no heading, but in an element of its own; links show the titles of other pages."""
    place = _place(outline, wanted)
    if place == 0 or any(outline.nodes[at].tag == "a" for at in (place, *outline.ancestors(place))):
        return None, 0
    return candidate.entry.title, place


def _place(outline: Outline, title: str) -> int:
    short = (at for at in range(len(outline.nodes)) if len(title) <= outline.sizes[at] <= 2 * len(title))
    return next((at for at in short if fold(inline_text(outline.nodes[at])) == title), 0)


def _without_subtitle(heading: str, told: Sequence[str]) -> str:
    """A heading without what the head's titles leave out of it at the end; the heading where they do not."""
    folded, words = fold(heading), _words(heading)
    if any(words in _words(text) for text in told):
        return heading
    parts = [part for text in told for part in (text, *_parts(text))]
    return max((part for part in parts if folded.startswith(f"{fold(part)} ")), key=len, default=heading)


def _words(text: str) -> str:
    """The words of a text, whatever signs part them: a theme's head may have plain dashes for the page's long ones."""
    return f" {' '.join(WORD.findall(fold(text)))} "


def _stated(tree: HtmlElement) -> list[str]:
    """The titles in the head, each followed by its parts."""
    return [part for whole in _page_titles(tree) for part in (whole, *_parts(whole))]


def _page_titles(tree: HtmlElement) -> Iterator[str]:
    """The titles in the head: Open Graph's, then the page's."""
    for node in tree.iter("meta"):
        if (node.get("property") or node.get("name") or "").lower() in ("og:title", "twitter:title", "dc.title"):
            yield " ".join((node.get("content") or "").split())[:EXTRA]
    for node in tree.iter("title"):
        yield " ".join((node.text or "").split())[:EXTRA]
        return


def _parts(title: str) -> Iterator[str]:
    """The parts of a title before and after each sign that may separate it from the blog's name."""
    for sign in TITLE_SIGNS.finditer(title):
        yield from filter(None, (title[: sign.start()], title[sign.end() :]))


def _is_part(wanted: str, text: str) -> bool:
    """True if one begins the other, or the list's text contains the page's title."""
    if len(text) >= SHORT and len(wanted) <= len(text) + EXTRA and text in wanted:
        return True
    return len(wanted) >= SHORT and text.startswith(wanted)


def _is_alike(wanted: str, text: str) -> bool:
    return len(text) <= 2 * len(wanted) <= 4 * len(text) and similarity(wanted, text) >= LIKE


def _metadata_day(tree: HtmlElement) -> Moment | None:
    languages = tuple(filter(None, [tree.get("lang")]))
    order = order_of_languages(languages)
    for node in tree.iter("meta"):
        name = (node.get("property") or node.get("itemprop") or node.get("name") or "").lower()
        if name in META and (found := read_date((node.get("content") or "")[:EXTRA], languages, order)):
            return found
    for node in tree.iter("script"):
        if "ld+json" in (node.get("type") or ""):
            told = JSON_DATE.search((node.text or "")[:MAX_SCRIPT])
            if told and (found := read_date(told[1], languages)):
                return found
    for node in tree.iter("time", "span", "abbr"):
        if node.get("itemprop") == "datePublished" or node.get("pubdate") is not None:
            found = read_date((node.get("datetime") or node.get("content") or inline_text(node))[:EXTRA], languages)
            if found:
                return found
    return None
