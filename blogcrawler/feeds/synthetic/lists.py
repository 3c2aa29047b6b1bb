"""Finds the lists of posts on a page: permalink, title, date and first words of each post; the best list first."""

from __future__ import annotations

import math
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from blogcrawler.dates import date_in_url, find_dates, order_of_languages
from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.lexicon import CONNECTOR, MONTH, lexicon
from blogcrawler.dom import base_url, inline_text
from blogcrawler.dom.tags import BLOCKS, HEADINGS
from blogcrawler.errors import PageTooSlow
from blogcrawler.feeds.address import conventions
from blogcrawler.feeds.address import segments as path_segments
from blogcrawler.items import Entry
from blogcrawler.similarity import fold
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity, is_page_like, resolve, same_site

from .excerpts import posts_text
from .outline import DatePlace, Outline, common_order, segment

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from .outline import Segment

MAX_LINKS = 5_000
MAX_TITLE = 300
ASIDE = {"nav": 0.3, "footer": 0.3, "aside": 0.5}
"""Weight of a list inside an element that does not contain the page's main content."""
LONG = 24
"""Minimum length of a certain title; names of categories and pages are shorter. Han and kana count double."""
MANY = 20
"""Number of posts above which a longer list is not better."""
PROSE = 4
"""A text that is this many times longer than a link in it is a sentence with a link."""
ALIKE = 0.5
"""A text in more than this share of a list's blocks is not a title but, for example, "Read more"."""
EXTENSION = re.compile(r"\.[a-z]{2,5}$")
PAGED = re.compile(r"[/?&;]paged?[=/-]?\d+(?:[/.&]|$)", re.IGNORECASE)
WORD = re.compile(r"[年月]|[^\W\d_年月]+|\d+")
MAX_PERIOD = 4
"""Maximum number of words in the name of a month with additions."""
WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True)
class PostList:
    """Posts that form a list on a page."""

    entries: tuple[Entry, ...]
    #: how likely they are the blog's posts; grows with their number; comparable across pages
    score: float
    #: the same independently of their number: equal for lists of one template
    quality: float
    #: share of the blocks with a date
    dated: float
    #: the elements of the blocks, by their number in the `Outline`
    parts: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Link:
    position: int
    url: str
    key: str
    text: str
    in_heading: bool
    is_permalink: bool
    is_section: bool
    in_prose: bool


@dataclass
class _Block:
    """The content of a block of a list."""

    parts: tuple[int, ...]
    links: list[_Link]
    date: DatePlace | None
    target: _Link | None = None
    texts: list[str] = field(default_factory=list)


class _Page:
    """A page with its links, from which blocks are read."""

    def __init__(self, tree: HtmlElement, url: str, now: dt.datetime | None) -> None:
        self.outline = Outline(tree, now)
        self.own = identity(url)
        self.links = list(self._links(base_url(tree, url), url))
        self._by_position = {link.position: link for link in self.links}
        self._dates = {place.position: place for place in self.outline.dates}

    def _links(self, base: str, url: str) -> Iterator[_Link]:
        outline = self.outline
        root = identity("/".join(url.split("/", 3)[:3]) + "/")
        for position, node in enumerate(outline.nodes):
            href = node.get("href") if node.tag == "a" else None
            target = resolve(base, href) if href and "#" not in href else None
            if target is None or not same_site(target, url) or not is_page_like(target):
                continue
            key = identity(target)
            if key in (self.own, root):
                continue
            rel = (node.get("rel") or "").lower().split()
            yield _Link(
                position,
                target,
                key,
                self._text(position),
                _is_heading(outline, position),
                "bookmark" in rel or node.get("itemprop") in ("url", "mainEntityOfPage"),
                "tag" in rel or "author" in rel or "category" in rel or _is_section(target),
                self._in_prose(position),
            )

    def _in_prose(self, position: int) -> bool:
        """True if a link is a few words of a sentence."""
        outline = self.outline
        around = (above for above in outline.ancestors(position) if outline.nodes[above].tag in BLOCKS)
        return outline.sizes[next(around, 0)] > PROSE * max(1, outline.sizes[position])

    def _text(self, position: int) -> str:
        """The text of a link, or of its heading if it contains one besides other things."""
        node = self.outline.nodes[position]
        headings = list(node.iter(*HEADINGS)) if len(node) else []
        text = inline_text(headings[0] if len(headings) == 1 else node, most_nodes=200)
        return text[:MAX_TITLE]

    def block(self, anchor: int, parts: tuple[int, ...]) -> _Block:
        inside = [position for part in parts for position in self.outline.subtree(part)]
        links = [self._by_position[position] for position in inside if position in self._by_position]
        if not links:
            around = [above for above in self.outline.ancestors(parts[0]) if above in self._by_position]
            links = [self._by_position[above] for above in around[:1]]
        date = self._dates.get(anchor) or next((self._dates[at] for at in inside if at in self._dates), None)
        return _Block(parts, links, date)


def post_lists(tree: HtmlElement, url: str, now: dt.datetime | None = None) -> list[PostList]:
    """The lists of a page that may consist of posts, the likeliest first; `url` is the page's URL after redirects.

    Empty if the page takes too long. Phrases such as "3 days ago" are only read with `now`. O(n) in the page, whose
    links and depth are limited.
    """
    with suppress(PageTooSlow), time_limit():
        return _lists_of(_Page(tree, url, now))
    return []


def _lists_of(page: _Page) -> list[PostList]:
    outline = page.outline
    dated = segment(outline, [place.position for place in outline.dates])
    linked = segment(outline, [link.position for link in page.links[:MAX_LINKS] if names_something(link.text)])
    best: dict[frozenset[str], PostList] = {}
    for segment_found in (*dated, *linked):
        listed = _read(page, segment_found)
        if listed is None:
            continue
        key = frozenset(entry.url for entry in listed.entries)
        if key not in best or listed.score > best[key].score:
            best[key] = listed
    best_lists = _with_untitled([(key, best[key]) for key in sorted(best, key=len)])
    return sorted(best_lists, key=lambda listed: -listed.score)


def _with_untitled(lists: Sequence[tuple[frozenset[str], PostList]]) -> Iterator[PostList]:
    """Remove lists whose posts are all in a longer list that has one date per block. Posts with titles may be mixed
    with others. The score of their titles then counts for the longer list."""
    quality = {key: post_list.quality for key, post_list in lists}
    for number, (key, post_list) in enumerate(lists):
        parts = set(post_list.parts)
        whole = (to for to, longer in lists[number + 1 :] if longer.dated == 1 and key < to and parts & {*longer.parts})
        if (into := next(whole, None)) is not None:
            quality[into] = max(quality[into], quality[key])
        else:
            yield replace(post_list, quality=quality[key], score=_score(quality[key], len(key)))


def loose_links(tree: HtmlElement, url: str) -> PostList | None:
    """All links of a page that may be titles, for a page without a real list; None if there are none or it takes too
    long.

    O(n).
    """
    by_key: dict[str, _Link] = {}
    with suppress(PageTooSlow), time_limit():
        links = reversed(_Page(tree, url, None).links)
        by_key = {link.key: link for link in links if names_something(link.text) and not link.is_section}
    entries = [
        Entry(link.url, title=link.text, is_summary=True, is_synthetic=True) for link in reversed(by_key.values())
    ]
    return PostList(tuple(entries), 0.0, 0.0, 0.0) if entries else None


def _read(page: _Page, segment_found: Segment) -> PostList | None:
    blocks = [page.block(anchor, parts) for anchor, parts in segment_found.blocks]
    counts = Counter(text for block in blocks for text in {fold(link.text) for link in block.links})
    common = {text for text, count in counts.items() if count > max(1, ALIKE * len(blocks))}
    shared = Counter(key for block in blocks for key in {link.key for link in block.links})
    by_target: dict[str, _Block] = {}
    for block in blocks:
        _choose_target(block, common, shared, max(1, ALIKE * len(blocks)))
        if block.target is not None:
            by_target.setdefault(block.target.key, block)
    paged = [key for key, block in by_target.items() if block.target is not None and PAGED.search(block.target.url)]
    if 2 * len(paged) < len(by_target):
        by_target = {key: block for key, block in by_target.items() if key not in paged}
    if len(by_target) < 2:
        return None
    spoken = page.outline.languages
    is_english = any(tag.replace("_", "-").lower() in ("en", "en-us") for tag in spoken)
    custom = order_of_languages(spoken) or ("MDY" if is_english else "DMY")
    order = common_order([block.date for block in by_target.values() if block.date]) or custom
    entries = [_entry(page, block, common, order) for block in by_target.values()]
    nodes = [[page.outline.nodes[part] for part in block.parts] for block in by_target.values()]
    texts = posts_text(nodes, [entry.title or "" for entry in entries])
    parts = tuple(part for block in by_target.values() for part in block.parts)
    quality = _quality(page, segment_found, list(by_target.values()), len(blocks))
    entries = [replace(entry, content_html=text) for entry, text in zip(entries, texts, strict=True)]
    score = _score(quality, len(entries))
    return PostList(tuple(entries), score, quality, _share(block.date for block in by_target.values()), parts)


def _score(quality: float, count: int) -> float:
    return quality * math.sqrt(min(count, MANY) / MANY)


def names_something(text: str) -> bool:
    """True if a text has letters and is not a date, month or year."""
    rest = text
    for span in reversed(find_dates(text)):
        rest = rest[: span.start] + rest[span.end :]
    return any(map(str.isalpha, rest)) and not is_period(text)


def is_period(text: str) -> bool:
    """True for the name of a month or year, as in archives: "May 2014", "2014年5月 (3)"."""
    words = [word for word in WORD.findall(fold_text(text)) if not word.isdigit()]
    is_of_months = bool(words) and not any(lexicon().kinds(word).isdisjoint((MONTH, CONNECTOR)) for word in words)
    return is_of_months and len(words) <= MAX_PERIOD and not find_dates(text)


def _choose_target(block: _Block, common: set[str], shared: Mapping[str, int], most: float) -> None:
    """Choose the permalink of a block: the link that is most like a title.

    `shared` is the number of blocks that have a link.
    """
    times = Counter(link.key for link in block.links)
    best = -10.0
    for link in block.links:
        if shared[link.key] > most:
            continue
        named = names_something(link.text) and fold(link.text) not in common
        worth = (
            3.0 * link.in_heading
            + 2.0 * link.is_permalink
            + (_length(link.text) if named and not find_dates(link.text) else 0.0)
            + min(1.0, 0.5 * (times[link.key] - 1))
            + 1.0 * (date_in_url(link.url) is not None)
            - 4.0 * link.is_section
            - 1.5 * link.in_prose
            - 1.0 * (shared[link.key] > 1)
        )
        if worth > best:
            best, block.target = worth, link
    if block.target is not None:
        key = block.target.key
        block.texts = [link.text for link in block.links if link.key == key and fold(link.text) not in common]


def _length(text: str) -> float:
    """How well the length of a text fits a title, from 0 to 1."""
    return min(1.0, (len(text) + len(WIDE.findall(text))) / LONG)


def _entry(page: _Page, block: _Block, common: set[str], order: str) -> Entry:
    assert block.target is not None
    title = block.target.text
    if fold(title) in common or not names_something(block.target.text):
        named = filter(names_something, block.texts)
        title = _heading(page.outline, block) or max(named, key=len, default="")
    return Entry(
        block.target.url,
        title=title or None,
        published=_day(block.date, order),
        is_summary=True,
        is_synthetic=True,
    )


def _heading(outline: Outline, block: _Block) -> str:
    inside = (at for part in block.parts for at in outline.subtree(part) if outline.nodes[at].tag in HEADINGS)
    texts = (inline_text(outline.nodes[at])[:MAX_TITLE] for at in inside)
    return next((text for text in texts if text and not find_dates(text)), "")


def _day(date: DatePlace | None, order: str) -> str | None:
    if date is None:
        return None
    reading = next(
        (candidate for candidate in date.readings if not candidate.numeric or candidate.order == order),
        date.readings[0],
    )
    return reading.moment.date.isoformat()


def _quality(page: _Page, segment_found: Segment, blocks: Sequence[_Block], count: int) -> float:
    """How likely a list consists of the posts: by dates, headings, title lengths, URLs, and its position."""
    outline = page.outline
    targets = [block.target for block in blocks if block.target is not None]
    worth = 0.2
    worth += 0.6 * _share(block.date for block in blocks)
    worth += 0.4 * _share(target.in_heading for target in targets)
    worth += 0.4 * sum(_length(target.text) for target in targets) / len(targets)
    worth += 0.3 * _share(date_in_url(target.url) for target in targets)
    worth += 0.2 * (sum(outline.sizes[part] for block in blocks for part in block.parts) > 100 * len(blocks))
    worth *= 1.0 - 0.8 * _share(target.is_section for target in targets)
    worth *= 1.0 - 0.9 * _share(_is_of_a_time(outline, block) for block in blocks)
    worth *= _likeness(target.url for target in targets)
    around = (segment_found.ancestor, *outline.ancestors(segment_found.ancestor))
    weight = min(ASIDE.get(outline.nodes[at].tag, 1.0) for at in around)
    return worth * weight * (len(blocks) / count)


def _is_of_a_time(outline: Outline, block: _Block) -> bool:
    """True if a block only shows the name of a month, a year or a day, as in archives."""
    text = block.target.text if block.target is not None else ""
    is_empty = not any(node.tag == "img" for part in block.parts for node in outline.nodes[part].iter("img"))
    is_bare = is_empty and sum(outline.sizes[part] for part in block.parts) <= 2 * len(text)
    return is_period(text) or (is_bare and not names_something(text))


def _likeness(urls: Iterable[str]) -> float:
    """The share of the most frequent form of URLs: depth, extension, query parameters."""
    forms = Counter((len(path_segments(url)), EXTENSION.search(url) is not None, "?" in url) for url in urls)
    return max(forms.values()) / sum(forms.values())


def _share(values: Iterable[object]) -> float:
    flags = [bool(value) for value in values]
    return sum(flags) / len(flags) if flags else 0.0


def _is_heading(outline: Outline, position: int) -> bool:
    if any(outline.nodes[above].tag in HEADINGS for above in outline.ancestors(position)):
        return True
    return len(outline.nodes[position]) > 0 and next(outline.nodes[position].iter(*HEADINGS), None) is not None


def _is_section(url: str) -> bool:
    """True for the URL of a category, tag or author, or a list's next page; archives are allowed, since they may
    hold the posts."""
    words = conventions().narrower["section"] - conventions().lists
    if PAGED.search(url):
        return True
    return any(segment.lower() in words for segment in path_segments(url)[:-1])
