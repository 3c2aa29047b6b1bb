"""Pages of all blogs, and of one blog: months, gaps and crawl reports."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from blogcrawler.backend import Numbers
from blogcrawler.browse.context import context_of, requested_blog, requested_page_number
from blogcrawler.browse.downloads import offered
from blogcrawler.browse.pages import name_of
from blogcrawler.export.text import blog_name
from blogcrawler.gaps import alike, find_gaps
from blogcrawler.status import standing_of, standings, time_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from starlette.requests import Request

    from blogcrawler.backend import BlogRow
    from blogcrawler.browse.context import Context
    from blogcrawler.gaps import Alike

_NEWEST, _ON_A_PAGE = 20, 50
_MONTH = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2]))?", re.ASCII)
_UNDATED = "undated"
"""The month parameter for posts without a date."""
_EXAMPLES = 20
"""Example URLs shown for each kind of gap."""
_REPORT = re.compile(r"[0-9]{8}T[0-9]{6}Z-[a-z]+(?:-[0-9]+)?\.(?:html|json)", re.ASCII)
_REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "sandbox"
)
_MOST_REPORTS = 100


def overview(request: Request) -> Response:
    """The page of all blogs."""
    context = context_of(request)
    archive, numbers = context.holdings.archive, numbers_of(context)
    rows = [
        (standing, numbers.get(standing.row.id, Numbers()) if standing.row else Numbers())
        for standing in standings(archive, datetime.now(UTC))
    ]
    return context.pages.page("overview.html", title="The archive", blogs=rows, verified=archive.verified)


def numbers_of(context: Context) -> dict[int, Numbers]:
    """Return the numbers of posts, comments and files of each blog, by its id."""
    return context.numbers.get("", context.holdings.archive.queries.numbers)


def blog(request: Request) -> Response:
    """The page of a blog."""
    context, row = context_of(request), requested_blog(request)
    archive, now = context.holdings.archive, datetime.now(UTC)
    return context.pages.page(
        "blog.html",
        title=name_of(row.title, row.home),
        blog=row,
        standing=standing_of(row, archive.leases.live(now=now).keys(), now),
        numbers=numbers_of(context).get(row.id, Numbers()),
        verified=archive.verified,
        years=_years(archive.queries.months(row.id)),
        newest=archive.queries.listed(row.id, most=_NEWEST),
        gaps=_by_kind(_gaps(context, row)),
        reports=list(_reports(context, row)),
        formats=offered(),
    )


def _years(months: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """Group months by year, the newest first; the last group holds posts without a date."""
    return [
        {
            "year": year,
            "months": [{"month": month, "key": month or _UNDATED, "posts": posts} for month, posts in found],
        }
        for year, found in groupby(months, key=lambda one: one[0][:4])
    ]


def listing(request: Request) -> Response:
    """The list of posts of a blog or of one month."""
    context, row, number = context_of(request), requested_blog(request), requested_page_number(request)
    asked = request.query_params.get("month")
    month = "" if asked == _UNDATED else asked
    if month and not _MONTH.fullmatch(month):
        raise HTTPException(400, "Write a month as in 2014-05.")
    queries = context.holdings.archive.queries
    counts = dict(queries.months(row.id))
    total = sum(count for key, count in counts.items() if month is None or _is_of(key, month))
    last = max(1, -(-total // _ON_A_PAGE))
    if number > last:
        raise HTTPException(404, f"This list has {last} {'page' if last == 1 else 'pages'}.")
    posts = queries.listed(row.id, month, most=_ON_A_PAGE, offset=(number - 1) * _ON_A_PAGE)
    start = f"/blogs/{row.id}/posts?" + (f"month={asked}&" if asked else "")
    return context.pages.page(
        "posts.html",
        title=f"Posts of {name_of(row.title, row.home)}",
        blog=row,
        month=month,
        posts=posts,
        total=total,
        number=number,
        last=last,
        address=lambda other: f"{start}page={other}",
        years=_years(counts.items()),
    )


def _is_of(key: str, month: str) -> bool:
    return key.startswith(month) if month else not key


def gaps(request: Request) -> Response:
    """The page of the known gaps of a blog."""
    context, row = context_of(request), requested_blog(request)
    groups = _gaps(context, row)
    urls = [url for group in groups for url in group.examples]
    return context.pages.page(
        "gaps.html",
        title=f"What is missing of {name_of(row.title, row.home)}",
        blog=row,
        gaps=groups,
        posts=context.holdings.archive.queries.posts_at(row.id, urls),
    )


def _gaps(context: Context, row: BlogRow) -> list[Alike]:
    return context.gaps.get(row.id, lambda: alike(find_gaps(context.holdings.archive, row), _EXAMPLES))


def _by_kind(groups: Iterable[Alike]) -> Counter[str]:
    counts = Counter[str]()
    for group in groups:
        counts[group.kind] += group.count
    return counts


def _folder(context: Context, row: BlogRow) -> Path | None:
    reports = context.holdings.reports
    return None if reports is None else reports / blog_name(row)


def _reports(context: Context, row: BlogRow) -> Iterator[dict[str, str]]:
    """Return the reports of a blog's crawls, the newest first."""
    folder = _folder(context, row)
    names = sorted(path.name for path in folder.glob("*.html")) if folder is not None and folder.is_dir() else []
    for name in names[: -_MOST_REPORTS - 1 : -1]:
        if _REPORT.fullmatch(name):
            moment = datetime.strptime(name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            yield {"name": name, "moment": time_label(moment), "spider": name[17:].partition(".")[0]}


def report(request: Request) -> Response:
    """The report of a crawl, unchanged, with a content security policy that forbids all activity."""
    context, row = context_of(request), requested_blog(request)
    name, folder = request.path_params["name"], _folder(context, row)
    if folder is None or not _REPORT.fullmatch(name):
        raise HTTPException(404, "There is no such report.")
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise HTTPException(404, "There is no such report.") from error
    if name.endswith(".json"):
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, headers=disposition, media_type="application/json")
    return Response(content, headers={"content-security-policy": _REPORT_POLICY}, media_type="text/html")


ROUTES = [
    Route("/", overview),
    Route("/blogs/{blog}", blog),
    Route("/blogs/{blog}/posts", listing),
    Route("/blogs/{blog}/gaps", gaps),
    Route("/blogs/{blog}/reports/{name}", report),
]
