"""What tells comments from lists of posts, articles and side bars.

Comments are not written before their post; each is its own, where what the template says recurs on other pages; none is
part of an article, nor a mere link to another page of the blog.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, starmap
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.counts import LONGEST, NUMBER
from blogcrawler.wrapper.comments.view import day_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.dates import Moment
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

LATER = 0.85
"""Share of the comments that are not older than their post."""
RECURRING = 0.25
"""Share of comments with a text that other pages have too."""
IN_ARTICLES = 0.5
OWN = 0.5
"""Share of the pages on which one of the parts is the post itself, or tells its day."""
LINKED = 0.7
"""Share of a text in links to pages of the site from which it is a list of them."""
SIGNATURE = 200
DAY = 1
"""Days that two time zones may be apart."""
FARTHEST, QUARTER = 14 * 60, 15
"""Minutes that a zone is away from UTC at most, and that all are multiples of."""
LEAST = 12
"""Characters that comments have besides their dates, on average."""
NEARLY_ALL_PAGES = 0.9
SUMMER = 60
"""Minutes that clocks are put forward."""
THREE = 3
"""Comments, about one a page, that are hardly all written on the days of their posts."""
FEW = 3
"""Pages of which one alone may have comments, whoever says how many."""
HEADS = 3
"""Texts before the first comment, of which one may say how many there are."""
NEAR = 40
"""Nodes before it in which these stand."""
SEVERAL = 5
"""Pages from which their share tells anything."""
MOST_LINKS = 20
"""Links of a part of a page that are looked at."""
MOST_UNITS = 200
"""Parts of a page that are looked at."""


@dataclass(frozen=True)
class Sample:
    """A page that comments are learned from."""

    view: View
    #: when the post was published, as far as is known
    published: Moment | None
    #: texts of the article's blocks, folded
    article: frozenset[str]


def confidence_of(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> float:
    """How sure it is that parts of pages are comments; 0 where they are something else."""
    parts = [(sample, unit) for sample, found in zip(samples, units, strict=True) for unit in found]
    total, pages = len(parts), sum(map(bool, units))
    if total < 2 or (pages < 2 and (total < THREE or (len(samples) > FEW and not _is_counted(samples, units)))):
        return 0.0
    if len(samples) >= SEVERAL and sum(len(found) == 1 for found in units) >= NEARLY_ALL_PAGES * len(samples):
        return 0.0  # the post's own day, or another that the template has once
    if sum(starmap(_is_to_come, parts)) > IN_ARTICLES * total:
        return 0.0
    later, dated = _later(parts)
    if dated and later < LATER * dated:
        return 0.0
    signs = [[_signature(sample.view, unit) for unit in found] for sample, found in zip(samples, units, strict=True)]
    on_pages = Counter(sign for found in signs for sign in set(found))
    texts = [sign for found in signs for sign in found]
    recurring = sum(on_pages[sign] > 1 for sign in texts) / total
    if recurring > RECURRING or sum(map(len, texts)) < LEAST * total:
        return 0.0
    in_article = [
        [_is_in_article(sample, unit) for unit in found] for sample, found in zip(samples, units, strict=True)
    ]
    if sum(map(sum, in_article)) > IN_ARTICLES * total or sum(map(any, in_article)) > OWN * pages:
        return 0.0
    if sum(_is_linked(sample.view, unit) for sample, unit in parts) > IN_ARTICLES * total:
        return 0.0
    if share_elsewhere((sample.view, found) for sample, found in zip(samples, units, strict=True)) > IN_ARTICLES:
        return 0.0
    sizes = Counter(len(found) for found in units)
    if len(sizes) == 1 and len(units) > 2 and not dated:
        return 0.0
    return round(
        (total + 1) / (total + 2) * (pages / (pages + 1)) * (1 - recurring) * (later / dated if dated else 0.8), 3
    )


def _is_counted(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> bool:
    """True if a text before the parts of the one page with any says how many they are ("14 responses to")."""
    view, found = next((sample.view, found) for sample, found in zip(samples, units, strict=True) if found)
    heads = (text for text in islice(_before(view, found[0].roots[0]), HEADS) if not view.tells_day(text))
    return any(int(number) == len(found) for text in heads for number in NUMBER.findall(text))


def _before(view: View, first: int) -> Iterator[str]:
    """The texts before a node, the nearest first."""
    for position in range(first - 1, max(0, first - NEAR), -1):
        behind = [2 * position + 1] if view.ends[position] <= first else []
        for run in (*behind, 2 * position):
            text = " ".join(view.runs[run].split()) if view.runs[run] else ""
            if text:
                yield text[:LONGEST]


def _later(parts: Sequence[tuple[Sample, Unit]]) -> tuple[int, int]:
    """How many comments are not older than their post, and of how many one can tell."""
    later = dated = 0
    for sample, unit in parts:
        if sample.published is not None:
            moments = _moments(sample.view, unit)
            dated += bool(moments)
            later += any((moment.date - sample.published.date).days >= -DAY for moment in moments)
    return later, dated


def begin_with_post(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> bool:
    """True if the first part of nearly every page is its post's line: it says the time of the post; or its day, where
    most pages have no other part, or others have other words beside the day."""
    firsts = [found[:1] for found in units]
    if len(samples) < FEW or not all(firsts):
        return False
    words = [[_words_beside(sample.view, unit) for unit in found] for sample, found in zip(samples, units, strict=True)]
    usual = max(first := [said[0] for said in words], key=first.count)
    others = [said for page in words for said in page[1:]]
    is_told = len(others) < len(samples) or 2 * others.count(usual) < len(others)
    own = [
        is_time or (is_told and said == usual and _tells_day(sample, unit))
        for is_time, said, sample, (unit,) in zip(_times(samples, firsts), first, samples, firsts, strict=True)
    ]
    return sum(own) >= NEARLY_ALL_PAGES * len(samples)


def _words_beside(view: View, unit: Unit) -> str:
    """What stands beside the day of a part of a page, in the same text."""
    text = (view.day_at(unit.anchor) if unit.anchor is not None else None) or ""
    spans = view.reader.spans(text)[:1]
    return fold(text[: spans[0].start] + text[spans[0].end :]) if spans else ""


def _tells_day(sample: Sample, unit: Unit) -> bool:
    told = sample.published
    return told is not None and any(told.may_be_same_day(moment) for moment in _moments(sample.view, unit))


def _is_to_come(sample: Sample, unit: Unit) -> bool:
    """True if a part of a page tells a day that was still to come when the page was fetched, as events do."""
    fetched = sample.view.fetched
    return fetched is not None and any(
        (moment.date - fetched.date()).days > DAY for moment in _moments(sample.view, unit)
    )


def _moments(view: View, unit: Unit) -> tuple[Moment, ...]:
    text = view.day_at(unit.anchor) if unit.anchor is not None else None
    return view.reader.moments(text) if text else ()


def _signature(view: View, unit: Unit) -> str:
    """What a comment says besides its date, as far as that tells it from others."""
    parts: list[str] = []
    size = 0
    line = day_line(view, unit.anchor) if unit.anchor is not None else ()
    for run in _runs(unit):
        text = view.runs[run].strip() if run not in line else ""
        if text:
            parts.append(text[:SIGNATURE])
            size += len(parts[-1])
        if size > SIGNATURE:
            break
    return fold(" ".join(parts))[:SIGNATURE]


def _runs(unit: Unit) -> Iterator[int]:
    """The texts in a comment's nodes and behind them, but for what stands behind its own element."""
    for position in unit.own:
        yield 2 * position
        if unit.is_run or position not in unit.roots:
            yield 2 * position + 1


def _is_in_article(sample: Sample, unit: Unit) -> bool:
    longest = max((sample.view.runs[run] for run in _runs(unit)), key=len, default="")
    return fold(longest) in sample.article


def _times(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> list[bool]:
    """For each page, True if one of its parts says the time of its post, in the zone of the blog, to the minute."""
    offsets = [
        {offset for unit in found if (offset := _offset(sample, unit)) is not None}
        for sample, found in zip(samples, units, strict=True)
    ]
    counts = Counter(offset for shown in offsets for offset in shown)
    zone = max(counts, key=lambda offset: counts[offset] + counts[offset + SUMMER], default=0)
    return [not shown.isdisjoint((zone, zone + SUMMER)) for shown in offsets]


def _offset(sample: Sample, unit: Unit) -> int | None:
    """Minutes from the time of the post to that of a part, where that may be what lies between two zones."""
    told = sample.published
    if told is None or told.hour is None or told.minute is None:
        return None
    for shown in _moments(sample.view, unit):
        if shown.hour is not None and shown.minute is not None:
            minutes = 60 * (24 * (shown.date - told.date).days + shown.hour - told.hour) + shown.minute - told.minute
            if minutes == 0 or (told.offset_minutes is not None and abs(minutes) <= FARTHEST and not minutes % QUARTER):
                return minutes
    return None


def _is_linked(view: View, unit: Unit) -> bool:
    """True if the text of what could be a comment is hardly more than links."""
    host, inside, whole = urlsplit(view.url).netloc, 0, 0
    in_link: set[int] = set()
    for position in unit.own:
        if view.parents[position] in in_link or _links_to_site(view, position, host):
            in_link.add(position)
        if unit.anchor is not None and unit.anchor <= position < view.ends[unit.anchor]:
            continue
        whole += len(view.runs[2 * position].strip()) + len(view.runs[2 * position + 1].strip())
        inside += len(view.runs[2 * position].strip()) if position in in_link else 0
    return whole > 0 and inside >= LINKED * whole


def _links_to_site(view: View, position: int, host: str) -> bool:
    node = view.nodes[position]
    href = (node.get("href") or "").strip() if node.tag == "a" else ""
    if href.startswith(("http://", "https://", "//")):
        return href.partition("//")[2].partition("/")[0] == host
    return bool(href) and not href.startswith(("#", "mailto:", "javascript:"))


def strangers_of(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> str:
    """Which of a list's members is none on nearly all pages, as the post that stands before its comments."""
    on_pages: Counter[str] = Counter()
    signs = []
    for sample, found in zip(samples, units, strict=True):
        signs.append([_signature(sample.view, unit) for unit in found])
        on_pages.update(set(signs[-1]))
    for place, end in (("first", 0), ("last", -1)):
        times = _times(samples, [[found[end]] if found else [] for found in units])
        strange = shown = 0
        for sample, found, said, is_time in zip(samples, units, signs, times, strict=True):
            if found:
                shown += 1
                strange += is_time or on_pages[said[end]] > 1 or _is_in_article(sample, found[end])
        if strange >= NEARLY_ALL_PAGES * shown and shown == len(samples):
            return place
    return ""


def share_elsewhere(pages: Iterable[tuple[View, Sequence[Unit]]]) -> float:
    """The share of parts of pages with a link to a place in another page that no other part links to. O(n)."""
    strange = total = 0
    for view, units in pages:
        told = [_pages_elsewhere(view, unit) for unit in units[:MOST_UNITS]]
        shown = Counter(page for found in told for page in found)
        total += len(told)
        strange += sum(any(shown[page] == 1 for page in found) for found in told)
    return strange / total if total else 0.0


def _pages_elsewhere(view: View, unit: Unit) -> set[str]:
    """The pages of the site, this one aside, to places in which a part of a page links."""
    links = (view.nodes[at].get("href") for at in unit.own if view.nodes[at].tag == "a")
    places = (_place(view.url, href) for href in islice((href for href in links if href and "#" in href), MOST_LINKS))
    return {page for page, name in places if page and name not in view.names}


@lru_cache(maxsize=1 << 12)
def _place(url: str, href: str) -> tuple[str, str]:
    """The page to which a link leads, and the place in it; no page where it is this one, another site's, or whole."""
    try:
        page, _, place = urljoin(url, href).partition("#")
        one, other = urlsplit(page), urlsplit(url)
    except ValueError:
        return "", ""
    is_site = one.scheme in ("http", "https") and one.netloc.lower() == other.netloc.lower()
    is_here = one.path.rstrip("/") == other.path.rstrip("/") and _adds(one, other)
    return (page, place.rstrip("/")) if is_site and not is_here and place else ("", "")


def _adds(one: SplitResult, other: SplitResult) -> bool:
    """True if an address has at most parameters more than another one with a path, or parameters, of its own."""
    if one.query == other.query:
        return True
    mine, theirs = (set(filter(None, it.query.split("&"))) for it in (one, other))
    return bool(theirs or other.path.strip("/")) and theirs <= mine
