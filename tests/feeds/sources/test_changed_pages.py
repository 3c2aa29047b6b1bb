"""Which pages sitemaps say were changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.feeds.sources import Answer, ChangedPages

HOME = "http://blog.example.org"
SINCE = "2026-05-02T12:00:00+00:00"


def urlset(times: list[str | None]) -> str:
    lines = [
        f"<url><loc>{HOME}/post-{n}/</loc>{f'<lastmod>{time}</lastmod>' if time else ''}</url>"
        for n, time in enumerate(times)
    ]
    return f"<urlset>{''.join(lines)}</urlset>"


def index(times: dict[str, str | None]) -> str:
    lines = [
        f"<sitemap><loc>{HOME}/{name}</loc>{f'<lastmod>{time}</lastmod>' if time else ''}</sitemap>"
        for name, time in times.items()
    ]
    return f"<sitemapindex>{''.join(lines)}</sitemapindex>"


def read(documents: dict[str, str], since: str = SINCE) -> tuple[ChangedPages, list[str]]:
    pages, asked = ChangedPages([f"{HOME}/sitemap.xml"], since), []
    while (url := pages.next_url) is not None:
        name = url.removeprefix(f"{HOME}/")
        asked.append(name)
        body = documents.get(name)
        pages.take(None if body is None else Answer(url, 200, body.encode(), "application/xml", {}))
    return pages, asked


OLD = "2026-04-01T08:00:00+00:00"


@pytest.mark.parametrize(
    ("time", "is_changed"),
    [
        ("2026-05-02T12:00:01+00:00", True),
        ("2026-05-02T14:30:00+02:00", True),
        ("2026-05-02T13:30:00+02:00", False),
        ("2026-05-02", True),
        ("2026-05-03", True),
        ("2026-05-01", False),
        ("2025-12-31T23:59:59Z", False),
    ],
)
def test_a_page_of_another_time(time, is_changed):
    pages, _ = read({"sitemap.xml": urlset([OLD] * 9 + [time])})
    assert (f"{HOME}/post-9/" in pages.pages) is is_changed
    assert pages.is_dated


def test_an_index_leads_to_those_that_were_changed():
    documents = {
        "sitemap.xml": index({"a.xml": OLD, "b.xml": "2026-05-03T00:00:00Z", "c.xml": None}),
        "a.xml": urlset(["2026-05-04"]),
        "b.xml": urlset([OLD, "2026-05-03T00:00:00Z"]),
        "c.xml": urlset([OLD, OLD]),
    }
    pages, asked = read(documents)
    assert asked == ["sitemap.xml", "b.xml", "c.xml"]
    assert list(pages.pages) == [f"{HOME}/post-1/"]


def test_times_of_the_whole_sitemap_are_doubtful():
    """Generators may write the time at which they were run for each page."""
    pages, _ = read({"sitemap.xml": urlset(["2026-05-09"] * 40)})
    assert pages.doubtful == set(pages.pages)
    assert len(pages.pages) == 40
    few, _ = read({"sitemap.xml": urlset(["2026-05-09"] * 3)})
    assert (len(few.pages), few.doubtful) == (3, set())


@pytest.mark.parametrize("times", [[], [None] * 8, [OLD, *[None] * 8]])
def test_a_sitemap_without_times_is_not_dated(times):
    pages, _ = read({"sitemap.xml": urlset(times)})
    assert (pages.is_dated, pages.pages) == (False, {})


def test_other_sites_and_endless_indexes_are_left_alone():
    elsewhere = index({}).replace(
        "<sitemapindex>", "<sitemapindex><sitemap><loc>http://other.example.com/s.xml</loc></sitemap>"
    )
    _, asked = read({"sitemap.xml": elsewhere})
    assert asked == ["sitemap.xml"]
    endless = {"sitemap.xml": index({f"{n}.xml": None for n in range(100)})}
    _, asked = read(endless | {f"{n}.xml": index({f"{n}-{k}.xml": None for k in range(9)}) for n in range(100)})
    assert len(asked) <= 20


@given(st.binary(max_size=200))
def test_any_document_is_survived(body):
    pages = ChangedPages([f"{HOME}/sitemap.xml"], SINCE)
    pages.take(Answer(f"{HOME}/sitemap.xml", 200, body, None, {}))
    assert pages.next_url is None or pages.next_url.startswith("http")
