"""The date of a post where no rule gives it: what the page claims in metadata, else a guess.

A claim that stands in the page in a published vocabulary has the source `metadata`; what is guessed from times in the
page has `fallback`, and a date in the address `url`.
"""

from __future__ import annotations

import re
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, cast

from lxml.etree import XPath

from blogcrawler.dates import Moment, could_be_date, date_in_url, find_dates, read_date, settled, shown_rather
from blogcrawler.dom import inline_text
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.lists import outside_lists
from blogcrawler.wrapper.core.metadata import REVISED, claims
from blogcrawler.wrapper.fallback.ranking import Candidate, shipped_ranker
from blogcrawler.wrapper.fallback.titles import headings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Source
    from blogcrawler.wrapper.fallback.ranking import Fact

LONGEST = 300
"""Characters of a date; more is none."""
MAX_TIMES = 20
MAX_TEXTS = 200
"""Texts near the title that are read, of those that may be dates."""
PARTS, BYLINE = re.compile(r"[|·•・｜]|(?<=\s)[-–—](?=\s|\Z)"), 80
"""What stands between the author and the month of a byline; its characters at most."""

_TEXTS = XPath(".//text()")
NEAR = "text near the title"
AGREED = 2
"""Signs of a day that a single place gives it, at most."""
DAY = len("2014-05-02")
LABEL = 2
"""Words before a month that is a date."""


def find_date(
    tree: HtmlElement,
    url: str | None = None,
    title: str | None = None,
    languages: Sequence[str] = (),
    order: str | None = None,
    of_site: Collection[str] = (),
    *,
    is_shown: bool = False,
) -> Fact | None:
    """When the post was published, as ISO 8601: claimed, in the address, in a time element, or near the title. O(n).
    `of_site` are folded texts of several pages, whose dates are no post's. `is_shown` leaves out data for machines."""
    candidates = date_candidates(tree, url, title, languages, order, of_site, is_shown=is_shown)
    return shipped_ranker("date").best(candidates)


def date_candidates(
    tree: HtmlElement,
    url: str | None,
    title: str | None,
    languages: Sequence[str] = (),
    order: str | None = None,
    of_site: Collection[str] = (),
    *,
    is_shown: bool = False,
) -> list[Candidate]:
    """What may be the date, a candidate for each day: at most one of each place of a vocabulary, of the address, of
    time elements and of texts near the title. O(n)."""
    spoken = tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *languages)))
    found: dict[str, Candidate] = {}
    moments: dict[str, Moment] = {}

    def add(moment: Moment | None, source: Source, where: str | None, *signs: str) -> None:
        if moment is not None:
            text = moment.isoformat()
            day = next((day for day, other in moments.items() if _is_same(moment, other)), text[:DAY])
            moments.setdefault(day, moment)
            found.setdefault(day, Candidate(text, source, where)).mark(*signs)

    def claimed() -> Iterator[tuple[Moment, str]]:
        for where, group in groupby(claims(tree, "published"), key=lambda claim: claim.where):
            told = dict.fromkeys(claim.value[:LONGEST] for claim in group if fold(claim.value[:LONGEST]) not in of_site)
            read = [read_date(text, spoken, order, months=True) for text in told]
            first = read[0] if read else None
            if first is not None and all(moment is not None and _is_same(moment, first) for moment in read):
                yield first, where

    for moment, where in claimed() if not is_shown else ():
        add(moment, "metadata", where, "claimed", "meta" if where.startswith("//meta") else "data")
    if not is_shown:
        add(date_in_url(url) if url else None, "url", None, "url")
    heading = _place_of(title, tree, url) if title else None
    marked = _date_of_times(tree, heading, spoken, order, of_site) if not is_shown else None
    add(marked, "fallback", "time", "shown", "time")
    written, is_alone = _written_date(heading, spoken, order, of_site) if marked is None else (None, False)
    add(written, "fallback", NEAR, "shown", "text" if is_alone else "text_among_others")
    if is_shown and written is None and url:
        add(date_in_url(url), "url", None, "url")
    for day, one in found.items():
        others = found.keys() - {day}
        signs = {
            "alone": not others,
            "first": bool(others) and all(day < other for other in others),
            "last": bool(others) and all(day > other for other in others),
            "no_heading": heading is None,
            "month": len(one.value) < DAY,
            "agreed": len(one.signs) > AGREED,
        }
        one.mark(*(name for name, is_so in signs.items() if is_so))
    return list(found.values())


def _is_same(one: Moment, other: Moment) -> bool:
    """True if both are one instant, in whatever zone, or one day as far as is known."""
    hours = {(moment.hour, moment.minute) for moment in (one, other) if moment.hour is not None}
    return one.minutes_from(other) == 0 or (one.date == other.date and len(hours) <= 1)


def _place_of(title: str, tree: HtmlElement, url: str | None) -> HtmlElement | None:
    """The heading with a title, or else the first element of the page that says just this, or else the only h1."""
    wanted, headings = fold(title), headings_of(tree, url)
    heading, body = headings.get(wanted), tree.find("body")
    if heading is not None or body is None:
        return heading
    first = [node for node in headings.values() if node.tag == "h1"]
    lone = first[0] if len(first) == 1 else None
    return next((node for node in body.iter("*") if len(node.text or "") >= len(title) and _says(node, wanted)), lone)


def _says(node: HtmlElement, wanted: str) -> bool:
    return len(node.text or "") <= LONGEST and fold(node.text or "") == wanted


def _told_by(node: HtmlElement, languages: Sequence[str]) -> str:
    told, shown = " ".join((node.get("datetime") or "").split()), inline_text(node, most_nodes=50)
    return shown_rather(told, shown, languages)[:LONGEST] if told else shown[:LONGEST]


def _date_of_times(
    tree: HtmlElement,
    heading: HtmlElement | None,
    languages: Sequence[str],
    order: str | None,
    of_site: Collection[str],
) -> Moment | None:
    """The one day of the page's time elements, or the only one of the smallest element around the heading with any."""
    told = {node: _told_by(node, languages) for node in islice(tree.iter("time"), MAX_TIMES)}
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
    return max((known[node] for node in nodes), key=lambda moment: len(moment.isoformat()))


def _written_date(
    heading: HtmlElement | None, languages: Sequence[str], order: str | None, of_site: Collection[str]
) -> tuple[Moment | None, bool]:
    """The first date, or else the only month, in a short text of the smallest element around the heading with one, and
    whether that has no other."""
    inner, budget = heading, MAX_TEXTS
    for around in heading.iterancestors() if heading is not None else ():
        found: dict[HtmlElement, Moment] = {}
        months: dict[HtmlElement, Moment] = {}
        for node, text in _dates_around(around, inner):
            if budget > 0 and not (of_site and fold(text) in of_site):
                budget -= 1
                if node not in found and (moment := read_date(text, languages, order)) is not None:
                    found[node] = moment
                elif (month := _month_alone(text, languages)) is not None:
                    months[node] = month
        own = [found[node] for node in outside_lists(found, heading)]
        alone = {months[node] for node in outside_lists(months, heading)}
        if own or len(alone) == 1:
            own = own or list(alone)
            return own[0], len({moment.date for moment in own}) == 1
        inner = around
    return None, False


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


def _dates_around(around: HtmlElement, inner: HtmlElement | None) -> Iterator[tuple[HtmlElement, str]]:
    """The texts of an element that may be dates, but for those in one of its children, each with its element."""
    if around.text and could_be_date(around.text, months=True):
        yield around, around.text
    for child in around:
        texts = cast("list[Any]", _TEXTS(child)) if child is not inner and isinstance(child.tag, str) else ()
        for text in texts:
            if could_be_date(text, months=True):
                before = text.getparent()
                yield before.getparent() if text.is_tail else before, text
        if child.tail and could_be_date(child.tail, months=True):
            yield around, child.tail
