"""What a report tells, as JSON has it; docs/report.md describes it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from blogcrawler import __version__
from blogcrawler.dates import date_in_url
from blogcrawler.export.moments import month_of
from blogcrawler.gaps import find_gaps
from blogcrawler.purposes import Purpose
from blogcrawler.report.months import months_of
from blogcrawler.reporting.summary import lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from blogcrawler.backend import Archive, BlogRow
    from blogcrawler.report.watch import Watch
    from blogcrawler.reporting import Tally

__all__ = ["FIELDS", "VERSION", "of_archive", "of_crawl"]

VERSION = 1
"""Of the form of reports."""
FIELDS = ("title", "authors", "published", "content", "tags", "language")
_MONTH_IN_URL = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])(?=/|$)")


def of_crawl(
    watch: Watch, tally: Tally, *, spider: str, reason: str, started: datetime, ended: datetime
) -> dict[str, Any]:
    """What a crawl has done. JSON types only."""
    return {
        "version": VERSION,
        "program": f"blogcrawler {__version__}",
        "spider": spider,
        "started": started.isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - started).total_seconds(), 1),
        "reason": reason,
        "summary": lines(tally, reason, []),
        "records": {"handed_on": tally.records, **tally.saved, "moved": tally.posts_moved, "gone": tally.posts_gone},
        "pages": {"fetched": tally.pages, "posts": tally.posts, **tally.other_pages},
        "harvest": watch.harvest.points,
        "requests": _requests(watch),
        "fields": _fields(watch, tally.records),
        "failures": [
            {"reason": why, "count": count, "examples": urls} for why, (count, urls) in tally.failures.items()
        ],
        "comments": tally.comments,
        "files": tally.media,
        "rendered": tally.rendered,
    }


def of_archive(archive: Archive, blog: BlogRow) -> dict[str, Any]:
    """What the archive has of a blog when the crawl is over, and what it lacks. JSON types only."""
    published = [month_of(time) for time in archive.published(blog.home)]
    kept = archive.count(blog.home)
    gaps = Counter[str]()
    for gap in find_gaps(archive, blog):
        gaps[gap.kind.value] += gap.count
    return {
        "blog": {"home": blog.home, "title": blog.title, "feed": blog.feed_url, "posts": kept},
        "months": [_month(month) for month in months_of(published, _lost_months(archive, blog.home))],
        "undated": kept - len(published),
        "gaps": dict(gaps),
    }


def _month(month: Any) -> dict[str, Any]:  # noqa: ANN401
    return {**asdict(month), "looks_incomplete": month.looks_incomplete}


def _lost_months(archive: Archive, home: str) -> Iterator[str]:
    """The months of posts that could not be had, as far as a source or their addresses tell."""
    lost = [one.url for one in archive.failures(home).all()]
    told = archive.source_entries(home, [archive.key_of(url) for url in lost])
    for url in lost:
        entry = told.get(archive.key_of(url))
        yield month_of(entry.published) if entry is not None and entry.published else _month_in(url)


def _month_in(url: str) -> str:
    if (day := date_in_url(url)) is not None:
        return f"{day.year:04}-{day.month:02}"
    found = _MONTH_IN_URL.search(url)
    return f"{found[1]}-{found[2]}" if found else ""


def _requests(watch: Watch) -> list[dict[str, Any]]:
    """Requests by what they were for."""
    return [
        {
            "purpose": purpose.value,
            "requests": asked.requests,
            "errors": asked.answered - asked.good,
            "unanswered": max(0, asked.requests - asked.answered),
            "bytes": asked.bytes,
        }
        for purpose in Purpose
        if (asked := watch.asked.get(purpose)) is not None
    ]


def _fields(watch: Watch, records: int) -> dict[str, Any]:
    """How each field came about in the records that were handed on."""
    found: dict[str, Any] = {}
    for name in FIELDS:
        read = {source: one for (field, source), one in watch.read.items() if field == name}
        sources = [
            {
                "source": source,
                "records": one.records,
                "confidence": round(one.confidence / one.records, 3),
                "sure": one.sure,
                "fair": one.fair,
                "doubtful": one.records - one.sure - one.fair,
            }
            for source, one in sorted(read.items(), key=_most_first)
        ]
        found[name] = {"sources": sources, "empty": max(0, records - sum(one.records for one in read.values()))}
    return found


def _most_first(item: tuple[str, Any]) -> tuple[int, str]:
    return -item[1].records, item[0]


def pages_by_kind(facts: Mapping[str, Any]) -> dict[str, int]:
    """Where the requests went: pages by what they were, and all else by what it was for."""
    pages = facts["pages"]
    asked = {one["purpose"]: one["requests"] for one in facts["requests"]}
    kinds = {
        "posts": pages["posts"],
        "lists of posts": pages["lists"],
        "pages that led to no post": pages["others"],
    }
    failed = sum(one["errors"] + one["unanswered"] for one in facts["requests"] if one["purpose"] == Purpose.PAGE)
    kinds["pages that failed"] = failed
    rest = asked.pop(Purpose.PAGE, 0) - sum(kinds.values())
    kinds["redirects and repetitions"] = max(0, rest)
    return {name: count for name, count in {**kinds, **asked}.items() if count}
