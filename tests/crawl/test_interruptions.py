"""A crawl that ends early, whatever ends it, goes on with the same command: no post is lost, none is there twice, and
what was fetched is not fetched again.
"""

from __future__ import annotations

import random
import signal
import sqlite3
from collections import Counter
from contextlib import closing, suppress

import pytest

from tests.crawl.blog import Blog, links, make_posts, serve
from tests.crawl.killing import at_commit, before_it_begins
from tests.crawl.running import DATABASE, command, crawl, crawl_until, has_traceback, kept, outcome, query, run
from tests.crawl.test_page_comments import all_said, chat, silent
from tests.site import Reply

pytestmark = pytest.mark.slow

CONCURRENCY = 4
NAMES = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "kelp", "lagoon"]
#: what each crawl asks for before it knows where it is
BEGINNING = {"/robots.txt", "/", "/feed.xml", "/sitemap.xml"}


def big_blog() -> Blog:
    return Blog(make_posts(30), in_feed=6)


def after(site, requests):
    """True once the site has been asked so many times from now on."""
    begin = len(site.targets)
    return lambda: len(site.targets) - begin >= requests


def repetitions(requests) -> dict[str, int]:
    counts = Counter(target for target in requests if target not in BEGINNING)
    return {target: count - 1 for target, count in counts.items() if count > 1}


def pages_of(outcome) -> list[str]:
    return [target for target in outcome.requests if target not in {"/robots.txt", "/feed.xml"}]


@pytest.mark.parametrize("seed", [1, 2])
def test_kill(tmp_path, seed):
    """Killed at three moments: while it prepares, soon after, and when it is well under way."""
    source, blog = random.Random(seed), big_blog()
    moments = [source.randint(1, 9), source.randint(2, 12), source.randint(8, 16)]
    with serve(blog) as site:
        arguments = command(f"{site.url}/")
        codes = [crawl_until(tmp_path, arguments, after(site, moment), lambda run: run.kill()) for moment in moments]
        before_last = kept(tmp_path)
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert last.urls == blog.urls(site.url), "the file of -O holds the records of all parts, each once"
        assert {url: kept(tmp_path)[url] for url in before_last} == before_last
        assert codes == [-signal.SIGKILL] * 3, "the crawl ended before it could be killed"
        assert sum(repetitions(site.targets).values()) <= CONCURRENCY * len(moments), repetitions(site.targets)


@pytest.mark.parametrize("seed", range(3))
def test_kills_one_after_another(tmp_path, seed):
    """Six times, as something is to be written: at the beginning, between pages, and as the crawl ends."""
    source, blog, seen, codes = random.Random(seed), big_blog(), {}, []
    moments = [source.randrange(1, 45) for _ in range(6)]
    with serve(blog) as site:
        for moment in moments:
            arguments = command(f"{site.url}/", *at_commit(moment))
            codes.append(crawl_until(tmp_path, arguments, lambda: False, lambda run: run.kill()))
            now = kept(tmp_path)
            assert {url: now[url] for url in seen} == seen
            seen = now
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert last.urls == blog.urls(site.url), "the file of -O holds the records of all parts, each once"
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert {url: kept(tmp_path)[url] for url in seen} == seen
        assert query(tmp_path, "PRAGMA integrity_check") == [("ok",)]
        assert query(tmp_path, "SELECT count(*) FROM post_version") == [(0,)]
        assert codes.count(-signal.SIGKILL) >= 4


def test_kill_after_everything_was_learned_does_not_begin_anew(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        crawl_until(tmp_path, command(f"{site.url}/"), after(site, 21), lambda run: run.kill(), anew=True)
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert last.urls == blog.urls(site.url), "the file of -O holds the records of all parts, each once"
        assert "/feed.xml" not in last.requests
        assert len(last.requests) < 25


def proven_blog(base: str, shows: str = "") -> tuple[Blog, dict[str, Reply]]:
    """A blog with a sitemap of all posts but six, which one page alone `shows`; and other pages, of many forms."""
    blog = Blog(make_posts(60), in_feed=6, extra=links(map(other_path, NAMES)))
    urls = "".join(f"<url><loc>{base}{blog.path(post)}</loc></url>" for post in blog.posts[:54])
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    routes = {path: reply for path, reply in blog.routes(base).items() if not path.startswith("/page/")}
    routes |= {other_path(name): Reply(blog.listed([])) for name in NAMES}
    if shows:
        routes[shows] = Reply(blog.listed(blog.posts[54:]))
    routes["/"] = Reply(Blog(blog.posts[:4], extra=blog.extra).routes(base)["/"].body)
    return blog, routes | {"/sitemap.xml": Reply(sitemap, content_type="application/xml")}


def other_path(name: str) -> str:
    return f"/{name}/{name[::-1]}"


def other_pages(site) -> list[str]:
    return [target for target in site.targets if target.split("/")[1] in NAMES]


def killed_at_each_proof(folder, site, number: int):
    """What comes of a crawl that was killed once at each of the other pages that it asks for, which are so many."""
    for count in range(1, number + 1):
        is_asked = lambda count=count: len(set(other_pages(site))) >= count  # noqa: E731
        crawl_until(folder, command(f"{site.url}/"), is_asked, lambda run: run.kill())
    return crawl(folder, f"{site.url}/", server=site)


@pytest.fixture(scope="module")
def needed(tmp_path_factory) -> list[str]:
    """The pages that prove, in a crawl that is not cut, that the sitemap has all posts."""
    with serve() as site:
        _, site.routes = proven_blog(site.url)
        alone = crawl(tmp_path_factory.mktemp("alone"), f"{site.url}/", server=site)
        assert "all posts listed by the sitemap were fetched" in alone.summary[1]
        assert len(alone.records) == 54
        assert len(other_pages(site)) >= 3
        return other_pages(site)


def test_a_proof_goes_on_where_it_was_cut(tmp_path, needed):
    """The last page of it alone shows further posts."""
    with serve() as site:
        blog, site.routes = proven_blog(site.url, needed[-1])
        last = killed_at_each_proof(tmp_path, site, len(needed))
        assert last.urls == blog.urls(site.url)


def test_what_was_proven_needs_no_other_proof(tmp_path, needed):
    with serve() as site:
        _, site.routes = proven_blog(site.url)
        last = killed_at_each_proof(tmp_path, site, len(needed))
        assert len(last.records) == 54
        assert sorted(set(other_pages(site))) == sorted(needed)
        assert query(tmp_path, "SELECT count(*) FROM told") == [(0,)], "what is complete needs it no more"


def has_kept(folder, posts: float) -> bool:
    """True if a crawl, which may just have begun, has kept so many posts."""
    with suppress(sqlite3.OperationalError):
        return len(kept(folder)) >= posts
    return False


def test_how_comments_are_shown_is_learned_from_all_that_were_read(tmp_path):
    """Rules are learned again after some posts with comments, also of those that were read before a kill."""
    blog = silent(lambda at: chat(at % 4, at), posts=make_posts(40), in_feed=10)
    with serve(blog) as site:
        read = set()
        for share in (0.3, 0.5, 0.7):
            is_read = lambda share=share: has_kept(tmp_path, share * 40)  # noqa: E731
            crawl_until(tmp_path, command(f"{site.url}/"), is_read, lambda run: run.kill())
            before, read = read, {url for (url,) in query(tmp_path, "SELECT url FROM comment_page")}
            assert before <= read
        assert len(read) > 12
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert query(tmp_path, "SELECT count(*) FROM comment_page") == [(0,)], "what is complete needs it no more"
        all_said(last, site.url, blog)


def test_a_crawl_that_another_version_began_is_begun_anew(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        crawl_until(tmp_path, command(f"{site.url}/"), after(site, 20), lambda run: run.kill())
        with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
            connection.execute("""UPDATE blog SET wrapper = '{"version": 0}'""")
            connection.commit()
        last = crawl(tmp_path, f"{site.url}/")
        assert last.code == 0, last.stderr
        assert not has_traceback(last)
        assert sorted(kept(tmp_path)) == blog.urls(site.url)


def test_interruption_from_the_keyboard(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        stop = lambda run: run.send_signal(signal.SIGINT)  # noqa: E731
        code = crawl_until(tmp_path, command(f"{site.url}/"), after(site, 18), stop, anew=True)
        first = outcome(tmp_path, code, server=site)
        assert first.code == 130, first.stderr
        assert not has_traceback(first)
        assert "run the same command again" in first.summary[0]
        assert "it was interrupted" in first.summary[1]
        assert 0 < len(kept(tmp_path)) < 30
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert last.urls == blog.urls(site.url), "the file of -O holds the records of all parts, each once"
        assert repetitions(site.targets) == {}, "an orderly end leaves nothing to be fetched again"


@pytest.mark.parametrize("requests", [1, 4])
def test_interruption_while_it_prepares(tmp_path, requests):
    blog = big_blog()
    with serve(blog) as site:
        stop = lambda run: run.send_signal(signal.SIGINT)  # noqa: E731
        code = crawl_until(tmp_path, command(f"{site.url}/"), after(site, requests), stop)
        first = outcome(tmp_path, code, server=site)
        assert first.code == 130, first.stderr
        assert not has_traceback(first)
        assert first.sentences == []
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert last.urls == blog.urls(site.url), "the file of -O holds the records of all parts, each once"


def test_interruption_before_it_has_begun(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        first = run(tmp_path, command(f"{site.url}/", *before_it_begins()), server=site)
        stopped = "blogcrawler: Stopped. Run the same command again to continue."
        assert (first.code, first.sentences, first.requests) == (130, [stopped], [])
        assert not has_traceback(first)
        assert crawl(tmp_path, f"{site.url}/").urls == blog.urls(site.url)


def test_a_file_that_is_added_to_gets_each_record_once(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        arguments = [argument if argument != "-O" else "-o" for argument in command(f"{site.url}/")]
        first = run(tmp_path, [*arguments, "-s", "PAGE_LIMIT=12"])
        assert 0 < len(first.records) < 30
        assert run(tmp_path, arguments).urls == blog.urls(site.url)


def test_page_limit(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        first = crawl(tmp_path, f"{site.url}/", server=site, PAGE_LIMIT=12)
        assert first.code == 0, first.stderr
        assert "limit of 12 pages" in first.summary[1]
        assert 12 <= len(pages_of(first)) <= 12 + CONCURRENCY
        second = crawl(tmp_path, f"{site.url}/", server=site, PAGE_LIMIT=12)
        assert second.code == 0, second.stderr
        assert 12 <= len(pages_of(second)) <= 12 + CONCURRENCY
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert "no page was left to fetch" in last.summary[1]
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert repetitions(site.targets) == {}


def test_the_verdict_counts_what_earlier_parts_have_archived(tmp_path):
    """Without an announced number of posts, and without a file of records that would repeat earlier ones."""
    blog = silent(lambda at: chat(at % 5, at), posts=make_posts(20), in_feed=5)
    with serve(blog) as site:
        parts = [command(f"{site.url}/", PAGE_LIMIT=limit) for limit in (10, 4, 0)]
        for arguments in parts:
            del arguments[(at := arguments.index("-O")) : at + 2]
        first, second, last = (run(tmp_path, arguments).summary[0] for arguments in parts)
        posts = [int(line.split()[1]) for line in (first, second) if line.startswith("Incomplete: ")]
        assert 0 < posts[0] < posts[1] < 20
        assert last == "Complete: 20 posts, 40 comments."


def test_time_limit(tmp_path):
    blog = big_blog()
    with serve(blog) as site:
        first = crawl(tmp_path, f"{site.url}/", server=site, TIME_LIMIT=1, DOWNLOAD_DELAY=0.1)
        assert first.code == 0, first.stderr
        assert "limit of 1 seconds" in first.summary[1]
        assert 0 < len(kept(tmp_path)) < 30
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert last.urls == blog.urls(site.url), "the file of -O holds the records of all parts, each once"
        assert repetitions(site.targets) == {}


@pytest.mark.parametrize("setting", ["PAGE_LIMIT", "TIME_LIMIT"])
def test_the_summary_of_a_limit_tells_how_to_go_on(tmp_path, setting):
    with serve(big_blog()) as site:
        first = crawl(tmp_path, f"{site.url}/", DOWNLOAD_DELAY=0.1, **{setting: 1})
        assert "run the same command again" in first.summary[0]
        assert ".." not in first.summary[1]


def test_harvest_stops_in_an_endless_calendar(tmp_path):
    """Days that lead to days, each with a shape of URL of its own."""
    blog = Blog(extra='<a href="/day1/next/">Calendar</a>')

    def day(request):
        number = int(request.path.split("/")[1].removeprefix("day"))
        following = links(f"/day{2 * number + i}/next/" for i in (0, 1))
        return f"<html><body><h1>Day {number}</h1>{following}</body></html>"

    with serve(blog) as site:
        site.default = lambda request: day(request) if request.path.startswith("/day") else Reply("not found", 404)
        first = crawl(tmp_path, f"{site.url}/", server=site, HARVEST_WINDOW=6)
        assert first.code == 0, first.stderr
        assert "new posts" in first.summary[1]
        assert "same command" not in first.summary[0]
        assert first.urls == blog.urls(site.url)
        days = [target for target in first.requests if target.startswith("/day")]
        assert len(days) <= 15 + 2 * CONCURRENCY


def test_a_crawl_ends_when_pages_show_all_posts_again(tmp_path):
    """Lists in any order and filter, without end: each shows the posts that are known, and leads to more lists."""
    blog = Blog(extra='<a href="/browse/?n=1">Browse</a>')

    def browse(request):
        number = int(request.query["n"])
        posts = links(blog.path(post) for post in blog.posts)
        return f"<html><body><h1>Page {number}</h1>{posts}{links([f'/browse/?n={number + 1}'])}</body></html>"

    with serve(blog) as site:
        site.default = lambda request: browse(request) if request.path == "/browse/" else Reply("not found", 404)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.urls == blog.urls(site.url)
    assert "posts were linked again" in outcome.summary[1]
    assert len([target for target in outcome.requests if target.startswith("/browse")]) <= 10 + CONCURRENCY


def test_a_crawl_after_a_harvest_stop_begins_anew(tmp_path):
    blog, new = Blog(extra=links(f"/page{number}x/" for number in range(30))), make_posts(9)[0]
    with serve(blog) as site:
        site.default = "<html><body><p>Nothing here.</p></body></html>"
        first = crawl(tmp_path, f"{site.url}/", HARVEST_WINDOW=6)
        assert "new posts" in first.summary[1]
        site.reset(Blog([new, *blog.posts], extra=blog.extra))
        second = crawl(tmp_path, f"{site.url}/", server=site, HARVEST_WINDOW=6)
        assert second.code == 0, second.stderr
        assert site.url + blog.path(new) in kept(tmp_path)


class Boxed(Blog):
    """Its oldest posts end with a box that no newer one has."""

    def page(self, post):
        page = super().page(post)
        box = '<p class="filed">Filed under words without meaning</p></div></article>'
        return page.replace("</div></article>", box) if post in self.posts[-10:] else page


def test_what_was_learned_from_older_posts_is_not_learned_from_others_again(tmp_path):
    """Else records would hang on where a crawl was cut."""
    blog, places = Boxed(make_posts(30), in_feed=6), [tmp_path / name for name in ("whole", "parts")]
    for place in places:
        place.mkdir()
    with serve(blog) as site:
        whole = crawl(places[0], f"{site.url}/")
        crawl(places[1], f"{site.url}/", "-s", "PAGE_LIMIT=22")
        assert 0 < len(kept(places[1])) < 20
        parts = crawl(places[1], f"{site.url}/")
    assert sorted(parts.urls) == blog.urls(site.url)
    assert texts(parts) == texts(whole)


def texts(outcome) -> dict[str, str]:
    return {record["url"]: record["content_text"] for record in outcome.records}
