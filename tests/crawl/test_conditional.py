"""A blog that is crawled again sends what has changed, and nothing else; its records are the same as without."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.blog import Blog, Post, Site, make_posts, serve
from tests.crawl.running import Outcome, command, crawl, crawl_until, has_traceback, kept
from tests.site import Validators

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CACHE = "archive/http-cache.db"
DAYS = [format_datetime(datetime(2024, 5, day, tzinfo=UTC), usegmt=True) for day in (6, 7)]


def validate(site: Site, blog: Blog, *, etags: bool = True, modified: str | None = None) -> Validators:
    """Serve the blog with validators."""
    validators = Validators(etags, modified)
    site.routes = {path: validators.of(reply) for path, reply in blog.routes(site.url).items()}
    return validators


def told(outcome: Outcome) -> list[dict[str, Any]]:
    return sorted(outcome.records, key=lambda record: record["url"])


def changed(post: Post) -> Post:
    return Post(post.slug, post.title, post.author, post.published, (*post.paragraphs[:-1], "It ends in another way."))


@pytest.mark.parametrize(("etags", "modified"), [(True, None), (False, DAYS[0])])
def test_a_second_crawl_is_sent_nothing(tmp_path: Path, etags: bool, modified: str | None) -> None:
    blog = Blog(make_posts(12))
    with serve() as site:
        first_served = validate(site, blog, etags=etags, modified=modified)
        first = crawl(tmp_path, f"{site.url}/", server=site)
        served = validate(site, blog, etags=etags, modified=modified)
        second = crawl(tmp_path, f"{site.url}/", server=site)
        asked = {visit.path: visit.headers for visit in site.log[len(first.requests) :]}
    assert first.urls == blog.urls(site.url)
    assert told(second) == told(first), "the time of fetching is that of the body"
    assert (served.whole, sorted(served.unchanged)) == ([], sorted(first_served.whole))
    for path in first_served.whole:
        assert ("If-None-Match" in asked[path], "If-Modified-Since" in asked[path]) == (etags, modified is not None)
    assert second.code == 0
    assert not has_traceback(second)
    assert second.summary[1].split(".")[0] == first.summary[1].split(".")[0]


def test_the_records_are_those_without_the_setting(tmp_path: Path) -> None:
    blog = Blog(make_posts(12))
    with serve() as site:
        validate(site, blog)
        for name in ("on", "off"):
            (tmp_path / name).mkdir()
        runs = [crawl(tmp_path / "on", f"{site.url}/", server=site) for _ in range(2)]
        runs.append(crawl(tmp_path / "off", f"{site.url}/", server=site, HTTPCACHE_ENABLED=False))
    contents = [[{**record, "provenance": None} for record in told(run)] for run in runs]
    assert contents[0] == contents[1] == contents[2]
    assert sorted(runs[0].requests) == sorted(runs[1].requests) == sorted(runs[2].requests)
    assert (tmp_path / "on" / CACHE).exists()
    assert not (tmp_path / "off" / CACHE).exists()


@pytest.mark.parametrize("etags", [True, False])
def test_a_post_that_has_changed_is_sent(tmp_path: Path, etags: bool) -> None:
    blog = Blog(make_posts(12))
    with serve() as site:
        validate(site, blog, etags=etags, modified=DAYS[0])
        first = crawl(tmp_path, f"{site.url}/")
        later = Blog([*blog.posts[:6], changed(blog.posts[6]), *blog.posts[7:]])
        served = validate(site, blog, etags=etags, modified=DAYS[0])
        path = later.path(later.posts[6])
        validators = Validators(etags, DAYS[1])
        site.routes[path] = validators.of(later.routes(site.url)[path])
        second = crawl(tmp_path, f"{site.url}/", server=site)
    assert served.whole == []
    assert validators.whole == [path]
    assert second.record(site.url + path)["content_text"].endswith("It ends in another way.")
    others = [record for record in told(first) if record["url"] != site.url + path]
    assert [record for record in told(second) if record["url"] != site.url + path] == others
    assert kept(tmp_path).keys() == {record["url"] for record in second.records}


def test_a_server_that_ignores_validators(tmp_path: Path) -> None:
    blog = Blog(make_posts(12))
    with serve() as site:
        for path, reply in blog.routes(site.url).items():
            site.routes[path] = type(reply)(reply.body, headers={"ETag": '"1"'}, content_type=reply.content_type)
        first, second = (crawl(tmp_path, f"{site.url}/", server=site) for _ in range(2))
    assert second.urls == first.urls == blog.urls(site.url)
    assert sorted(second.requests) == sorted(first.requests)


def test_a_crawl_that_was_killed_asks_for_what_it_had(tmp_path: Path) -> None:
    blog = Blog(make_posts(30), in_feed=6)
    with serve() as site:
        killed = validate(site, blog)
        crawl_until(tmp_path, command(f"{site.url}/"), lambda: len(site.targets) >= 12, lambda run: run.kill())
        served = validate(site, blog)
        last = crawl(tmp_path, f"{site.url}/", server=site)
    assert last.urls == blog.urls(site.url)
    again = [path for path in served.whole if path in killed.whole]
    assert len(again) <= 4, "what was under way"


@pytest.mark.parametrize("content", [b"", b"no database at all" * 500])
def test_a_broken_file_is_a_warning(tmp_path: Path, content: bytes) -> None:
    blog = Blog(make_posts(12))
    (tmp_path / "archive").mkdir()
    (tmp_path / CACHE).write_bytes(content)
    with serve() as site:
        validate(site, blog)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.urls == blog.urls(site.url)
    assert not has_traceback(outcome)
    assert outcome.stderr.count("http-cache.db cannot be used") == (1 if content else 0)


def test_two_crawls_at_once(tmp_path: Path) -> None:
    blogs = [Blog(make_posts(12, seed=seed), folder=f"/blog{seed}") for seed in (1, 2)]
    folders = [tmp_path / "one", tmp_path / "two"]
    shared = {"ARCHIVE": str(tmp_path / "archive")}
    for folder in folders:
        folder.mkdir()
    with serve(*blogs) as site:
        validators = Validators()
        site.routes = {path: validators.of(reply) for path, reply in site.routes.items()}
        seconds: list[Outcome] = []
        crawl_until(
            folders[0],
            command(f"{site.url}/blog1/", **shared),
            lambda: len(site.targets) >= 3,
            lambda _: seconds.append(crawl(folders[1], f"{site.url}/blog2/", **shared)),
        )
        validators.whole.clear()
        again = [
            crawl(folder, f"{site.url}{blog.folder}/", **shared) for folder, blog in zip(folders, blogs, strict=True)
        ]
    assert [run.urls for run in again] == [blog.urls(site.url) for blog in blogs]
    assert validators.whole == []
    assert "http-cache.db" not in seconds[0].stderr
