"""`blogcrawler completeness URL`: state which posts of a blog are known, archived and missing, or verify a statement.
Exit codes: 0; 1 if a verified statement differs from the archive; 2 wrong usage."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.export import Selection
from blogcrawler.export.completeness import differences, read_statement, statement_of
from blogcrawler.reporting import FAILED, end, exit_on_error, printable
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping


class Command(ArchiveCommand):
    """States how complete the archive of a blog is."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        parse_start_url(args[0])
        self._earlier = None if opts.verify is None else read_statement(Path(opts.verify))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the statement of a blog, or what differs from an earlier one."""
        with exit_on_error(), Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            (blog,) = Selection.of(archive, args).blogs
            statement = statement_of(archive, blog, datetime.now(UTC))
        if self._earlier is not None:
            _verify(self._earlier, statement)
        elif opts.json:
            print(json.dumps(statement, ensure_ascii=False, indent=1))
        else:
            print("\n".join(map(printable, _lines(statement))))


def _verify(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    count = 0
    for name, difference in differences(earlier, now):
        print(printable(f"{name}: {difference}"))
        count += 1
    if count:
        end("The archive differs from the statement.", FAILED)
    print(f"The archive is as stated: {len(now['records']['posts'])} records and all numbers are the same.")


def _lines(statement: Mapping[str, Any]) -> Iterator[str]:
    """The statement as text for people, without the digests of single records."""
    blog, crawl, known, archived = (statement[name] for name in ("blog", "crawl", "known", "archived"))
    missing, feeds = statement["missing"], statement["feed_captures"]
    yield f"Completeness of {blog['home']}"
    yield f"  stated {statement['time']} by {statement['program']}"
    ended = f"ended {crawl['finished'] or 'never'}, {'' if crawl['complete'] else 'not '}complete"
    yield f"  last crawl: started {crawl['started'] or 'never'}, {ended}"
    yield f"Posts: {known['posts']} known, {archived['posts']} archived, {len(missing)} missing"
    yield f"  first named by: {_counts(known['first_named_by'])}"
    yield f"  also named by the feed of all comments: {known['in_comment_feed']}"
    yield f"  archived and no longer online: {archived['no_longer_online']}"
    for announced in statement["announced"]:
        yield f"  further posts of unknown address: {announced['posts']} ({announced['reason']})"
    for post in missing:
        yield f"Missing: {post['url']}"
        yield f"  reason: {post['reason']}"
        for named in post["named_by"]:
            yield f"  named by: {named['source']} {named['document'] or ''}".rstrip()
    yield from _span("Pages fetched from the web", statement["pages"]["fetched"])
    yield from _span("Pages from captures by others", statement["pages"]["captures"])
    times = [capture["time"] for capture in feeds]
    yield from _span(
        "Captures of feeds", {"count": len(feeds), "first": times and times[0], "last": times and times[-1]}
    )
    yield "Fields of archived posts, by confidence"
    yield from (f"  {name}: {_counts(counts)}" for name, counts in statement["confidence"].items())
    yield f"SHA-256 of the list of records: {statement['records']['sha256']}"


def _span(title: str, pages: Mapping[str, Any]) -> Iterator[str]:
    yield f"{title}: {pages['count']}"
    if pages["count"]:
        yield f"  {pages['first']} to {pages['last']}"
        yield from (f"  {count} in {place}" for place, count in pages.get("places", {}).items())


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
