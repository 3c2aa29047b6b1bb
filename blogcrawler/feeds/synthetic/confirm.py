"""Confirms that the pages linked from a list are posts: they show the title, and the day, of the list.

If lists have no dates, a page's date comes from its metadata, or from the position near the title at which other pages
show theirs.
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
"""Separators between a post's title and the blog's name in a page's title."""
WORD = re.compile(r"\w+")
ELLIPSIS = re.compile(r"(?:(?<!\s)\s++)?+(?:\.\.\.|…|\[…\])\s*+$")
MIN_SIMILARITY = 0.85
"""Minimum similarity of two spellings of a title."""
MIN_CONTAINED = 8
"""Minimum length of a title that another text does not contain by chance."""
EXTRA = 300
META = frozenset({
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "pubdate", "publish_date", "publication_date", "parsely-pub-date",
    "sailthru.date",
})  # fmt: skip
"""Names of metadata with the day of publication: Open Graph, schema.org, Dublin Core, and customary names."""
JSON_DATE = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')
MAX_SCRIPT = 200_000
MAX_SHARED = 0.3
"""A heading on more than this share of the pages is not the post's."""
MAX_OWN_LIST = 3
"""Maximum number of posts in a list on a post's own page, such as related or recent posts."""
MAX_LISTED_SHARE = 0.5
"""If more than this share of a page's text is in a list, the page is a list page."""
MIN_DATED_SHARE = 0.5
"""If at least this share of the pages show a day, a page without one is not a post."""
MAX_DISTANCE = 15
"""Maximum number of elements between a post's day and a later title."""
DISTANCE_PENALTY = 0.002
"""Penalty of a date for each element between it and the title."""


@dataclass(frozen=True)
class Candidate:
    """A page that may be a post, with the values of a list."""

    tree: HtmlElement
    #: URL after redirects
    url: str
    entry: Entry


@dataclass
class _Facts:
    """Facts that a page states about itself."""

    #: the title as written on the page; None if the page does not show the list's title
    title: str | None
    #: position of the title
    title_position: int
    #: the day in the metadata
    metadata_day: Moment | None
    #: days outside of lists: tag path, position, possible readings
    days: list[tuple[str, int, tuple[Moment, ...]]]
    is_list: bool
    #: True if the title links to another page of the site
    leads_away: bool


def confirm(candidates: Sequence[Candidate]) -> list[Entry | None]:
    """Return an entry for each candidate, with title and day as on the page; None if the page is not a post.

    O(n) in the size of the pages.
    """
    texts = Counter(text for candidate in candidates for text in _titles_on(candidate.tree))
    common = frozenset(text for text, count in texts.items() if count > max(1, MAX_SHARED * len(candidates)))
    facts = [_read(candidate, common) for candidate in candidates]
    are_links = sum(fact.leads_away for fact in facts) > MAX_SHARED * len(facts)
    for fact, candidate in zip(facts, candidates, strict=True):
        fact.is_list |= fact.leads_away and not (are_links and candidate.entry.title)
    tag_path = _common_tag_path([fact for fact in facts if fact.title and not fact.is_list])
    entries = [_entry(candidate, fact, tag_path) for candidate, fact in zip(candidates, facts, strict=True)]
    dated = sum(entry is not None and entry.published is not None for entry in entries)
    if dated >= MIN_DATED_SHARE * sum(entry is not None for entry in entries):
        return [entry if entry is not None and entry.published is not None else None for entry in entries]
    return entries


def _titles_on(tree: HtmlElement) -> set[str]:
    """The headings of a page, and the titles in its head, folded."""
    return {fold(text) for text in (*map(inline_text, tree.iter(*HEADINGS)), *_stated(tree))}


def _entry(candidate: Candidate, fact: _Facts, tag_path: str | None) -> Entry | None:
    listed = Moment.parse_iso(candidate.entry.published)
    if fact.is_list or (fact.title is None and not _is_dated_alike(candidate, fact, listed)):
        return None
    title = fact.title or candidate.entry.title
    published = _published(candidate.url, fact, listed, tag_path)
    if published is None and title is None:
        return None
    return replace(candidate.entry, title=title, published=published)


def _is_dated_alike(candidate: Candidate, fact: _Facts, listed: Moment | None) -> bool:
    """True if a page without the title shows the day of the list: in metadata, or visibly if the list has no day."""
    days = [moments[0] for _, _, moments in fact.days if candidate.entry.title is None]
    stated_days = [*([fact.metadata_day] if fact.metadata_day is not None else []), *days]
    return listed is not None and any(_near(moment, listed) for moment in stated_days)


def _published(url: str, fact: _Facts, listed: Moment | None, tag_path: str | None) -> str | None:
    """The day that most sources give: the list, if the page shows it; metadata; the common position of dates; the
    URL."""
    days = [moment for _, _, moments in fact.days for moment in moments]
    nearest = sorted(
        (abs(position - fact.title_position), moments) for path, position, moments in fact.days if path == tag_path
    )
    in_url = date_in_url(url)
    sources = [
        fact.metadata_day,
        _reading(nearest[0][1], [listed, fact.metadata_day, in_url]) if nearest else None,
        in_url,
    ]
    moments_found = [moment for moment in sources if moment is not None]
    if listed is not None and any(_near(listed, moment) for moment in (*days, *moments_found)):
        moments_found.insert(0, listed)
    if not moments_found:
        return None
    return max(moments_found, key=lambda one: sum(_near(one, other) for other in moments_found)).isoformat()


def _reading(moments: Sequence[Moment], confirming: Sequence[Moment | None]) -> Moment:
    """The reading of a date that another source confirms; the first reading if none is confirmed."""
    confirmations = [other for other in confirming if other is not None]
    return next((moment for moment in moments if any(_near(moment, other) for other in confirmations)), moments[0])


def _near(one: Moment, other: Moment) -> bool:
    return abs((one.date - other.date).days) <= 1


def _common_tag_path(facts: Sequence[_Facts]) -> str | None:
    """The tag path at which most pages show different days near the title."""
    days: dict[str, list[tuple[int, Moment]]] = defaultdict(list)
    for fact in facts:
        nearest: dict[str, tuple[int, Moment]] = {}
        for tag_path, position, moments in fact.days:
            distance = abs(position - fact.title_position)
            if tag_path not in nearest or distance < nearest[tag_path][0]:
                nearest[tag_path] = distance, moments[0]
        for tag_path, distances in nearest.items():
            days[tag_path].append(distances)
    scores = {
        tag_path: (len(distances) + len({moment.date for _, moment in distances})) / (2 * len(facts))
        - DISTANCE_PENALTY * sum(distance for distance, _ in distances) / len(distances)
        for tag_path, distances in days.items()
        if 2 * len(distances) >= len(facts)
    }
    return max(scores, key=scores.__getitem__) if scores else None


def _read(candidate: Candidate, common: frozenset[str]) -> _Facts:
    outline = Outline(candidate.tree)
    parts = _listed_parts(candidate)
    listed = {index for part in parts for index in outline.subtree(part)}
    title, title_position = _title(candidate, outline, common)
    days = [
        (_tag_path(outline, date.position), date.position, tuple(reading.moment for reading in date.readings))
        for date in outline.dates
        if date.position not in listed
    ]
    metadata_day = _metadata_day(candidate.tree)
    is_list = metadata_day is None and _is_list(outline, title_position, parts, [index for _, index, _ in days])
    return _Facts(title, title_position, metadata_day, days, is_list, _leads_away(candidate, outline, title_position))


def _leads_away(candidate: Candidate, outline: Outline, title_position: int) -> bool:
    """True if the element at a position links to another page of the site."""
    if outline.nodes[title_position].tag not in HEADINGS:
        return False
    inside = (
        index for index in outline.subtree(title_position) if outline.sizes[index] == outline.sizes[title_position]
    )
    links = [
        outline.nodes[index]
        for index in (*inside, *outline.ancestors(title_position))
        if outline.nodes[index].tag == "a"
    ]
    base = base_url(candidate.tree, candidate.url)
    targets = (resolve(base, link.get("href") or "") for link in links[:1])
    own_urls = {identity(candidate.url), identity(candidate.entry.url)}
    return any(target and same_site(target, candidate.url) and identity(target) not in own_urls for target in targets)


def _listed_parts(candidate: Candidate) -> list[int]:
    """The outermost elements of a page's lists of posts, in document order."""
    lists = post_lists(candidate.tree, candidate.url)
    return sorted(
        {
            part
            for post_list in lists
            if len(post_list.entries) >= MAX_OWN_LIST and post_list.dated > MIN_DATED_SHARE
            for part in post_list.parts
        }
    )


def _is_list(outline: Outline, title_position: int, parts: Sequence[int], days: Sequence[int]) -> bool:
    """True if most of a page's text is in lists after its title, without a day of its own between them."""
    size, end, first = 0, 0, len(outline.nodes)
    for part in parts:
        if part >= end and outline.ends[part] > title_position:
            size, end, first = size + outline.sizes[part], outline.ends[part], min(first, part)
    has_own_day = any(title_position - MAX_DISTANCE <= day_position < first for day_position in days)
    return not has_own_day and size > MAX_LISTED_SHARE * max(outline.sizes[0], 1)


def _tag_path(outline: Outline, position: int) -> str:
    return "/".join(str(outline.nodes[index].tag) for index in (position, *outline.ancestors(position)))


def _title(candidate: Candidate, outline: Outline, common: frozenset[str]) -> tuple[str | None, int]:
    """The title as written on the page, and its position: a heading, or else the page's own title.

    If the list has no title, see `_own_title`.
    """
    listed_title = fold(ELLIPSIS.sub("", candidate.entry.title or ""))
    headings = [(inline_text(node), index) for index, node in enumerate(outline.nodes) if node.tag in HEADINGS]
    page_titles, stated = list(_page_titles(candidate.tree)), _stated(candidate.tree)
    if not listed_title:
        return _own_title(outline, headings, stated, common)
    for is_title in (str.__eq__, _is_part, _is_alike):
        for text, index in headings:
            if is_title(listed_title, fold(text)):
                return _without_subtitle(text, page_titles), index
    for is_title in (str.__eq__, _is_part):
        for text in stated:
            if is_title(listed_title, fold(text)):
                return text, _place(outline, fold(text))
    return _title_outside_headings(candidate, outline, listed_title)


def _own_title(
    outline: Outline, headings: Sequence[tuple[str, int]], stated: Sequence[str], common: frozenset[str]
) -> tuple[str | None, int]:
    """The first heading that the head repeats; else a title that only this page's head has; else the first heading.

    Texts that are `common` to several pages are ignored.
    """
    candidates = [(text, index) for text, index in headings if fold(text) not in common and names_something(text)]
    for text, index in candidates:
        if any(_is_part(fold(text), fold(part)) for part in stated):
            return text, index
    parts = [part for part in stated if names_something(part) and common.isdisjoint(map(fold, (part, *_parts(part))))]
    if parts:
        longest = max(parts, key=len)
        return longest, _place(outline, fold(longest))
    return candidates[0] if candidates else (None, 0)


def _title_outside_headings(candidate: Candidate, outline: Outline, title: str) -> tuple[str | None, int]:
    """A title that is not in a heading but fills an element of its own; links are ignored, since they show titles of
    other pages."""
    position = _place(outline, title)
    if position == 0 or any(outline.nodes[index].tag == "a" for index in (position, *outline.ancestors(position))):
        return None, 0
    return candidate.entry.title, position


def _place(outline: Outline, title: str) -> int:
    short = (index for index in range(len(outline.nodes)) if len(title) <= outline.sizes[index] <= 2 * len(title))
    return next((index for index in short if fold(inline_text(outline.nodes[index])) == title), 0)


def _without_subtitle(heading: str, page_titles: Sequence[str]) -> str:
    """The heading without a final part that the titles in the head lack; the whole heading if they have it."""
    folded, words = fold(heading), _words(heading)
    if any(words in _words(text) for text in page_titles):
        return heading
    parts = [part for text in page_titles for part in (text, *_parts(text))]
    return max((part for part in parts if folded.startswith(f"{fold(part)} ")), key=len, default=heading)


def _words(text: str) -> str:
    """The words of a text without punctuation: a theme may use plain dashes in the head and long dashes on the page."""
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
    """The parts of a title before and after each separator."""
    for sign in TITLE_SIGNS.finditer(title):
        yield from filter(None, (title[: sign.start()], title[sign.end() :]))


def _is_part(listed_title: str, text: str) -> bool:
    """True if one title begins with the other, or the list's text contains the page's title."""
    if len(text) >= MIN_CONTAINED and len(listed_title) <= len(text) + EXTRA and text in listed_title:
        return True
    return len(listed_title) >= MIN_CONTAINED and text.startswith(listed_title)


def _is_alike(listed_title: str, text: str) -> bool:
    return len(text) <= 2 * len(listed_title) <= 4 * len(text) and similarity(listed_title, text) >= MIN_SIMILARITY


def _metadata_day(tree: HtmlElement) -> Moment | None:
    languages = tuple(filter(None, [tree.get("lang")]))
    order = order_of_languages(languages)
    for node in tree.iter("meta"):
        name = (node.get("property") or node.get("itemprop") or node.get("name") or "").lower()
        if name in META and (day := read_date((node.get("content") or "")[:EXTRA], languages, order)):
            return day
    for node in tree.iter("script"):
        if "ld+json" in (node.get("type") or ""):
            match = JSON_DATE.search((node.text or "")[:MAX_SCRIPT])
            if match and (day := read_date(match[1], languages)):
                return day
    for node in tree.iter("time", "span", "abbr"):
        if node.get("itemprop") == "datePublished" or node.get("pubdate") is not None:
            day = read_date((node.get("datetime") or node.get("content") or inline_text(node))[:EXTRA], languages)
            if day:
                return day
    return None
