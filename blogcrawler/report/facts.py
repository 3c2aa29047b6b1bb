"""The content of a report as JSON; docs/report.md describes it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blogcrawler import __version__
from blogcrawler.dates import date_in_url
from blogcrawler.export.date_labels import month_of
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

VERSION = 1
"""Version of the report format."""
FIELDS = ("title", "authors", "published", "content", "tags", "language")
_MONTH_IN_URL = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])(?=/|$)")


def of_crawl(
    watch: Watch, tally: Tally, *, spider: str, reason: str, fatal: str, started: datetime, ended: datetime
) -> dict[str, Any]:
    """Return the facts about a crawl; `fatal` is the error message, or empty. JSON types only."""
    watch.note_harvest()
    return {
        "version": VERSION,
        "program": f"blogcrawler {__version__}",
        "spider": spider,
        "started": started.isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - started).total_seconds(), 1),
        "reason": fatal or reason,
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


def of_archive(archive: Archive, blog: BlogRow, *, now: datetime) -> dict[str, Any]:
    """Return the archived content of a blog after the crawl, and its gaps. JSON types only."""
    published = map(month_of, archive.published(blog.home))
    latest = f"{now + timedelta(days=1):%Y-%m}"  # somewhere it is tomorrow
    months = months_of(published, _lost_months(archive, blog.home), latest=latest)
    posts = archive.count(blog.home)
    gaps = Counter[str]()
    for gap in find_gaps(archive, blog):
        gaps[gap.kind.value] += gap.count
    return {
        "blog": {"home": blog.home, "title": blog.title, "feed": blog.feed_url, "posts": posts},
        "months": [{**asdict(month), "looks_incomplete": month.looks_incomplete} for month in months],
        "undated": posts - sum(month.posts for month in months),
        "gaps": dict(gaps),
    }


def _lost_months(archive: Archive, home: str) -> Iterator[str]:
    """Return the months of failed posts, if a source or their URLs give them."""
    lost = [one.url for one in archive.failures(home).all()]
    entries = archive.source_entries(home, [archive.key_of(url) for url in lost])
    for url in lost:
        entry = entries.get(archive.key_of(url))
        yield month_of(entry.published) if entry is not None and entry.published else _month_in(url)


def _month_in(url: str) -> str:
    if (day := date_in_url(url)) is not None:
        return f"{day.year:04}-{day.month:02}"
    match = _MONTH_IN_URL.search(url)
    return f"{match[1]}-{match[2]}" if match else ""


def _requests(watch: Watch) -> list[dict[str, Any]]:
    """Count the requests by purpose."""
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
    """Count the sources of each field in the records."""
    fields: dict[str, Any] = {}
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
            for source, one in sorted(read.items(), key=lambda item: (-item[1].records, item[0]))
        ]
        fields[name] = {"sources": sources, "empty": max(0, records - sum(one.records for one in read.values()))}
    return fields


def pages_by_kind(facts: Mapping[str, Any]) -> dict[str, int]:
    """Count each request once: pages by their kind, other requests by purpose."""
    asked = {one["purpose"]: one["requests"] for one in facts["requests"]}
    page = next((one for one in facts["requests"] if one["purpose"] == Purpose.PAGE), None)
    requests, errors, unanswered = (page[name] if page else 0 for name in ("requests", "errors", "unanswered"))
    counts = {name: facts["pages"][name] for name in ("posts", "others", "lists")}
    good = requests - errors - unanswered
    # pages fetched to find the feed, such as the home page, count as pages
    looked_at = min(sum(counts.values()) - good, facts["pages"]["fetched"] - requests + unanswered)
    looked_at = max(0, min(looked_at, asked.get(Purpose.SOURCE, 0)))
    rest = good + looked_at
    for name, count in counts.items():  # pages kept from an earlier run needed no request
        counts[name] = min(count, rest)
        rest -= counts[name]
    kinds = {
        "posts": counts["posts"],
        "lists of posts": counts["lists"],
        "pages that led to no post": counts["others"],
        "errors, and no answer": errors + unanswered,
        "redirects and repetitions": rest,
    }
    others = {name: count - (looked_at if name == Purpose.SOURCE else 0) for name, count in asked.items()}
    others.pop(Purpose.PAGE, None)
    return {name: count for name, count in {**kinds, **others}.items() if count}
