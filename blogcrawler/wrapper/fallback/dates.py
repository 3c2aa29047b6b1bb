"""The date of a post for which no rule gives a date: the date in the metadata of the page, or else a guess.

A date that the page states in a published vocabulary has the source `metadata`. A date that is guessed from the text or
the time elements of the page has the source `fallback`, and a date in the address has the source `url`.
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
"""Maximum number of characters of a text that is read as a date."""
MAX_TIMES = 20
"""Maximum number of time elements that are read."""
MAX_TEXTS = 200
"""Maximum number of texts near the title that are read as dates."""
PARTS, BYLINE = re.compile(r"[|·•・｜]|(?<=\s)[-–—](?=\s|\Z)"), 80
"""Separators between the author and the month of a byline; the maximum number of characters of a byline."""

_TEXTS = XPath(".//text()")
NEAR = "text near the title"
AGREED = 2
"""Maximum number of signs that one place gives to a day. A day with more signs is stated at several places."""
DAY = len("2014-05-02")
LABEL = 2
"""Maximum number of words (a label) before a month that is read as a date."""


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
    """The date of publication as ISO 8601: from metadata, the address, a time element or a text near the title. O(n).
    `of_site` are folded texts that occur on several pages: their dates are not dates of a post. If `is_shown` is true,
    only texts that readers see are used; the address is used if there is no such date."""
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
    """The candidates for the date, one for each day. At most one date is taken from each place of a vocabulary, from
    the address, from the time elements and from the texts near the title. O(n)."""
    page_languages = tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *languages)))
    candidates: dict[str, Candidate] = {}
    moments: dict[str, Moment] = {}

    def add(moment: Moment | None, source: Source, where: str | None, *signs: str) -> None:
        if moment is not None:
            text = moment.isoformat()
            day = next((day for day, other in moments.items() if _are_same_date(moment, other)), text[:DAY])
            moments.setdefault(day, moment)
            candidates.setdefault(day, Candidate(text, source, where)).mark(*signs)

    def claimed() -> Iterator[tuple[Moment, str]]:
        for where, group in groupby(claims(tree, "published"), key=lambda claim: claim.where):
            texts = dict.fromkeys(
                claim.value[:LONGEST] for claim in group if fold(claim.value[:LONGEST]) not in of_site
            )
            dates = [read_date(text, page_languages, order, months=True) for text in texts]
            first = dates[0] if dates else None
            if first is not None and all(moment is not None and _are_same_date(moment, first) for moment in dates):
                yield first, where

    for moment, where in claimed() if not is_shown else ():
        add(moment, "metadata", where, "claimed", "meta" if where.startswith("//meta") else "data")
    if not is_shown:
        add(date_in_url(url) if url else None, "url", None, "url")
    heading = _heading_of(title, tree, url) if title else None
    date_of_times = _date_of_times(tree, heading, page_languages, order, of_site) if not is_shown else None
    add(date_of_times, "fallback", "time", "shown", "time")
    written_date, is_alone = (
        _written_date(heading, page_languages, order, of_site) if date_of_times is None else (None, False)
    )
    add(written_date, "fallback", NEAR, "shown", "text" if is_alone else "text_among_others")
    if is_shown and written_date is None and url:
        add(date_in_url(url), "url", None, "url")
    for day, candidate in candidates.items():
        other_days = candidates.keys() - {day}
        signs = {
            "alone": not other_days,
            "first": bool(other_days) and all(day < other for other in other_days),
            "last": bool(other_days) and all(day > other for other in other_days),
            "no_heading": heading is None,
            "month": len(candidate.value) < DAY,
            "agreed": len(candidate.signs) > AGREED,
        }
        candidate.mark(*(name for name, is_so in signs.items() if is_so))
    return list(candidates.values())


def _are_same_date(one: Moment, other: Moment) -> bool:
    """True if both are the same instant (in any time zone), or the same day with no contradicting times of day."""
    hours = {(moment.hour, moment.minute) for moment in (one, other) if moment.hour is not None}
    return one.minutes_from(other) == 0 or (one.date == other.date and len(hours) <= 1)


def _heading_of(title: str, tree: HtmlElement, url: str | None) -> HtmlElement | None:
    """The heading whose text is the title, or else the first element with exactly this text, or else the only h1."""
    wanted, headings = fold(title), headings_of(tree, url)
    heading, body = headings.get(wanted), tree.find("body")
    if heading is not None or body is None:
        return heading
    first = [node for node in headings.values() if node.tag == "h1"]
    lone = first[0] if len(first) == 1 else None
    return next(
        (node for node in body.iter("*") if len(node.text or "") >= len(title) and _has_text(node, wanted)), lone
    )


def _has_text(node: HtmlElement, wanted: str) -> bool:
    return len(node.text or "") <= LONGEST and fold(node.text or "") == wanted


def _text_of_time(node: HtmlElement, languages: Sequence[str]) -> str:
    value, shown = " ".join((node.get("datetime") or "").split()), inline_text(node, most_nodes=50)
    return shown_rather(value, shown, languages)[:LONGEST] if value else shown[:LONGEST]


def _date_of_times(
    tree: HtmlElement,
    heading: HtmlElement | None,
    languages: Sequence[str],
    order: str | None,
    of_site: Collection[str],
) -> Moment | None:
    """The date of the time elements if all have the same day. Only the time elements in the smallest element that
    contains the heading and a time element are read."""
    texts = {node: _text_of_time(node, languages) for node in islice(tree.iter("time"), MAX_TIMES)}
    post_texts = {node: text for node, text in texts.items() if fold(text) not in of_site}
    dates = {node: read_date(text, languages, order, months=True) for node, text in post_texts.items()}
    dates_found = {node: moment for node, moment in dates.items() if moment is not None}
    dates_found = {node: dates_found[node] for node in outside_lists(dates_found, heading)}
    dates_found = {node: moment for node, moment in dates_found.items() if moment.day} or dates_found
    nodes: Sequence[HtmlElement] = list(dates_found)
    if heading is not None:
        times_around = (
            dates_found.keys() & set(above.iter("time")) for above in heading.iterancestors() if len(dates_found) > 1
        )
        nodes = next((list(inside) for inside in times_around if inside), nodes)
    if not nodes or len({dates_found[node].date for node in nodes}) > 1:
        return None
    return max((dates_found[node] for node in nodes), key=lambda moment: len(moment.isoformat()))


def _written_date(
    heading: HtmlElement | None, languages: Sequence[str], order: str | None, of_site: Collection[str]
) -> tuple[Moment | None, bool]:
    """The first date, or else the only month, in the short texts of the smallest element that contains the heading and
    a date. Also True if this element contains no other date."""
    inner, budget = heading, MAX_TEXTS
    for around in heading.iterancestors() if heading is not None else ():
        dates: dict[HtmlElement, Moment] = {}
        months: dict[HtmlElement, Moment] = {}
        for node, text in _dates_around(around, inner):
            if budget > 0 and not (of_site and fold(text) in of_site):
                budget -= 1
                if node not in dates and (moment := read_date(text, languages, order)) is not None:
                    dates[node] = moment
                elif (month := _month_alone(text, languages)) is not None:
                    months[node] = month
        post_dates = [dates[node] for node in outside_lists(dates, heading)]
        lone_months = {months[node] for node in outside_lists(months, heading)}
        if post_dates or len(lone_months) == 1:
            post_dates = post_dates or list(lone_months)
            return post_dates[0], len({moment.date for moment in post_dates}) == 1
        inner = around
    return None, False


def _month_alone(text: str, languages: Sequence[str]) -> Moment | None:
    """The month and year in a text or in a part of a byline that contains nothing else but a label of two words."""
    if REVISED.search(text):
        return None
    parts = list(map(str.strip, PARTS.split(text) if len(text) <= BYLINE else [text]))
    for part in parts:
        for span in find_dates(part, languages, months=True)[:1]:
            label = part[: span.start].split()
            is_all = len(label) <= LABEL and not any(map(str.isalnum, part[span.end :]))
            moment = settled(span.readings) if is_all else None
            if moment is not None and moment.day is None:
                # "January - March 2023"
                other_parts = (f"{other} {moment.year}" for other in parts if other is not part)
                return None if any(find_dates(other, languages, months=True) for other in other_parts) else moment
    return None


def _dates_around(around: HtmlElement, inner: HtmlElement | None) -> Iterator[tuple[HtmlElement, str]]:
    """The texts in an element that may be dates, each with its element. The texts of the child `inner` are left out."""
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
