"""What a user is told when a crawl cannot do its job: one sentence, the right exit code, no traceback."""

from __future__ import annotations

import socket
import sqlite3
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from blogcrawler.backend import Archive
from blogcrawler.errors import BadArgument
from blogcrawler.setting_checks import check_settings
from tests.crawl import killing
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, crawl, has_traceback, kept, run
from tests.site import LocalSite, RawSite, Reply

FAILED, WRONG_USAGE, TEMPORARY_FAILURE = 1, 2, 75


def says(outcome, *fragments: str, code: int = FAILED) -> None:
    """The outcome is an error with one sentence that holds these fragments, and nothing of the program's insides."""
    assert not has_traceback(outcome), outcome.stderr
    assert outcome.code == code, outcome.stderr
    assert len(outcome.sentences) == 1, outcome.stderr
    (sentence,) = outcome.sentences
    assert sentence.endswith((".", ")")), sentence
    for fragment in fragments:
        assert fragment.lower() in sentence.lower(), sentence
    assert outcome.stderr.rstrip().endswith(sentence), "something follows the sentence"
    assert outcome.stdout == ""


def closed_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


# --------------------------------------------------------------------------------------------------- the start page


def test_connection_refused(tmp_path):
    port = closed_port()
    says(crawl(tmp_path, f"http://127.0.0.1:{port}/"), f"http://127.0.0.1:{port}/", "refused")


def test_a_name_that_does_not_exist(tmp_path):
    says(crawl(tmp_path, "http://no-such-blog.invalid/"), "no-such-blog.invalid", "host not found")
    answer = run(tmp_path, [*PROGRAM, "no-such-blog.invalid"]).stderr.splitlines()
    assert len(answer) <= 3, answer


def test_without_a_log_an_incomplete_crawl_is_told(tmp_path):
    with serve(Blog(make_posts(12), in_feed=4)) as site:
        incomplete, complete = (crawl(tmp_path, f"{site.url}/", "--nolog", PAGE_LIMIT=limit) for limit in (6, 0))
    assert (incomplete.code, complete.code, complete.stderr) == (0, 0, "")
    (verdict,) = incomplete.sentences
    assert verdict.startswith("blogcrawler: Incomplete: ")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-blog.invalid"])
def test_an_unreachable_host_is_not_the_fault_of_robots_txt(tmp_path, host):
    (sentence,) = crawl(tmp_path, f"http://{host}:{closed_port()}/").sentences
    assert "robots.txt" not in sentence
    assert len(sentence) < 250


@pytest.mark.slow
@pytest.mark.parametrize("status", [404, 410, 500])
def test_an_error_at_the_start(tmp_path, status):
    with LocalSite({"/": Reply("sorry", status)}) as site:
        says(crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0), site.url, str(status))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip", "deflate"])
def test_a_body_that_is_not_compressed_as_it_says(tmp_path, encoding):
    blog, garbled = Blog(make_posts(6)), Reply("no such compression", headers={"Content-Encoding": encoding})
    with serve(blog) as site:
        site.routes[blog.path(blog.posts[2])] = garbled
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert len(outcome.records) == len(blog.posts) - 1
        assert any("its compression cannot be read: 1" in line for line in outcome.summary), outcome.summary
        site.routes["/"] = garbled
        (tmp_path / "anew").mkdir()
        says(crawl(tmp_path / "anew", f"{site.url}/"), f"{site.url}/", "its compression cannot be read", "browser")


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\x1f\x15\xc4\x89" + bytes(range(256)) * 4
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\nendobj\n" + bytes(range(256)) * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "content_type", "fragments"),
    [
        (PNG, "image/png", ["is not a web page. The response begins like an image, a document or an archive. Give"]),
        (PNG, "text/html", ["not a web page"]),
        (PDF, "application/pdf", ["not a web page"]),
        ("", "text/html", ["is empty"]),
        (" \n ", "text/html", ["is empty"]),
    ],
    ids=["PNG", "PNG called HTML", "PDF", "empty", "blank"],
)
def test_what_is_no_web_page(tmp_path, body, content_type, fragments):
    with LocalSite({"/": Reply(body, content_type=content_type)}) as site:
        says(crawl(tmp_path, f"{site.url}/"), site.url, *fragments, "URL")


@pytest.mark.slow
def test_a_server_that_says_nothing(tmp_path):
    with RawSite(lambda connection, head: connection.recv(1)) as site:
        outcome = crawl(tmp_path, f"{site.url}/", DOWNLOAD_TIMEOUT=1, RETRY_TIMES=0)
        says(outcome, site.url)


@pytest.mark.slow
def test_a_server_that_speaks_no_http(tmp_path):
    with RawSite(b"220 mail.example.org ESMTP\r\n") as site:
        says(crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0), site.url)


# --------------------------------------------------------------------------------------------------------- the feed


def test_no_feed(tmp_path):
    with LocalSite({"/": "<html><body><h1>A page</h1><p>Without a feed.</p></body></html>"}) as site:
        says(crawl(tmp_path, f"{site.url}/"), "no feed", f"{site.url}/", "-a url=")


EMPTY_FEED = '<?xml version="1.0"?><rss version="2.0"><channel><title>Nothing yet</title></channel></rss>'


@pytest.mark.slow
@pytest.mark.parametrize("start", ["/", "/feed.xml"])
def test_a_feed_without_entries(tmp_path, start):
    page = '<html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>Hi</body></html>'
    with LocalSite({"/": page, "/feed.xml": Reply(EMPTY_FEED, content_type="application/rss+xml")}) as site:
        says(crawl(tmp_path, site.url + start), f"{site.url}/feed.xml", "no entries")


@pytest.mark.slow
def test_entries_whose_pages_are_all_gone(tmp_path):
    blog = Blog(make_posts(4))
    with serve(blog) as site:
        for post in blog.posts:
            site.routes[blog.path(post)] = Reply("gone", 404)
        says(crawl(tmp_path, f"{site.url}/"), "none of the 4 entries", f"{site.url}/feed.xml", "404 Not Found")


# ------------------------------------------------------------------------------------------------------ wrong usage


def newcrawl(folder, *arguments: str, anew: bool = False):
    return run(folder, [*PROGRAM, "crawl", *arguments], anew=anew)


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["newcrawl", "-a", "url=ftp://x"], "ftp:"),
        (["newcrawl", "-a", "url=http://"], "no host name"),
        (["newcrawl"], "-a url="),
        (["newcrawl", "-a", "url"], "-a takes NAME=VALUE"),
    ],
    ids=["ftp", "no host", "no url", "malformed -a"],
)
def test_wrong_usage(tmp_path, arguments, fragment):
    outcome = newcrawl(tmp_path, *arguments)
    assert outcome.code == WRONG_USAGE, outcome.stderr
    assert not has_traceback(outcome)
    assert fragment in outcome.stderr
    assert list(tmp_path.glob("archive*")) == [], "nothing is made before the arguments are right"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["newcrawl", "-a", "url="], "-a url="),
        (["newcrawl", "-a", "url=http://a b/"], "space"),
        (["newcrawl", "-a", "url=  "], "address"),
        (["newcrawl", "-a", "url=javascript:alert(1)"], "javascript:"),
        (["newcrawl", "-a", "url=http://x:99999/"], "port"),
        (["newcrawl", "-s", "A", "-a", "url=http://blog.invalid/"], "-s"),
        ([], "spider"),
        (["newcrawl", "more", "-a", "url=http://blog.invalid/"], "spider"),
    ],
    ids=["empty", "space in host", "spaces", "javascript", "port", "malformed -s", "no spider", "two spiders"],
)
def test_more_wrong_usage(tmp_path, arguments, fragment):
    outcome = newcrawl(tmp_path, *arguments)
    assert outcome.code == WRONG_USAGE, outcome.stderr
    assert not has_traceback(outcome)
    assert fragment in outcome.stderr


def test_an_unknown_spider(tmp_path):
    outcome = newcrawl(tmp_path, "oldcrawl", "-a", "url=http://blog.invalid/")
    assert not has_traceback(outcome)
    assert outcome.code == WRONG_USAGE
    assert "newcrawl" in outcome.stderr


def test_wrong_usage_is_one_sentence_too(tmp_path):
    says(newcrawl(tmp_path, "newcrawl", "-a", "url=ftp://x"), "ftp:", code=WRONG_USAGE)


# ----------------------------------------------------------------------------------------------------- the database


@pytest.mark.slow
@pytest.mark.parametrize("database", ["below a file", "no database", "another program's", "no URL", "no driver"])
def test_a_database_that_cannot_be_opened(tmp_path, database):
    (tmp_path / "file").write_text("this is a text of more than a hundred characters, and no database at all. " * 3)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE post (x)")
    address, fragment = {
        "below a file": ("sqlite:///file/archive.db", "folder"),
        "no database": ("sqlite:///file", "not a database"),
        "another program's": ("sqlite:///other.db", "another program"),
        "no URL": ("archive.db", "DATABASE_URL"),
        "no driver": ("oracle://host/x", "not supported"),
    }[database]
    with serve(Blog()) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, DATABASE_URL=address)
        is_wrong = database in ("no URL", "no driver")
        says(outcome, fragment, code=WRONG_USAGE if is_wrong else TEMPORARY_FAILURE)
        assert outcome.requests == [], "nothing is fetched for an archive that cannot be opened"


@pytest.mark.slow
def test_a_database_that_is_gone_before_the_pipeline_opens_it(tmp_path):
    """It is told as one that cannot be opened at all, and not as a crawl that cannot be started."""
    with serve(Blog()) as site:
        outcome = crawl(tmp_path, f"{site.url}/", *killing.without_database(), server=site)
    assert outcome.code == TEMPORARY_FAILURE
    assert "is not a database" in outcome.stderr.splitlines()[-1]
    assert outcome.requests == []


def failing_database(folder, table: str, rows: int) -> None:
    """A database that takes so many rows of a table, and then has no room."""
    Archive.open(f"sqlite:///{folder / DATABASE}").close()
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute(
            f"CREATE TRIGGER full BEFORE INSERT ON {table} WHEN (SELECT count(*) FROM {table}) >= {rows} "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "rows"),
    [
        pytest.param("training_page", 2, id="training pages"),
        pytest.param("post", 0, id="the first post"),
        pytest.param("post", 5, id="a later post"),
        pytest.param("frontier_url", 6, id="frontier"),
    ],
)
def test_a_disk_that_gets_full(tmp_path, table, rows):
    """The crawl ends with its reason."""
    failing_database(tmp_path, table, rows)
    with serve(Blog(make_posts(12))) as site:
        says(crawl(tmp_path, f"{site.url}/", timeout_s=60), "disk is full", "archive.db", code=TEMPORARY_FAILURE)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no file on a full disk")
@pytest.mark.parametrize("log", ["/dev/full", "no/such/folder.log"])
def test_a_log_that_cannot_be_written_changes_nothing_else(tmp_path, log):
    blog = Blog(make_posts(6))
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", LOG_FILE=log, LOG_LEVEL="DEBUG")
        assert (done.code, done.urls) == (0, blog.urls(site.url))
        assert len(done.stderr.splitlines()) == len(done.sentences) == 1
        assert f"The log cannot be written to {tmp_path / log}" in done.sentences[0]
        failing_database(tmp_path, "frontier_url", 8)
        full = crawl(tmp_path, f"{site.url}/", LOG_FILE=log)
    assert full.code == TEMPORARY_FAILURE
    assert len(full.stderr.splitlines()) == len(full.sentences) == 2
    assert "disk is full" in full.sentences[1]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "rows"), [("post", 5), ("frontier_url", 6)])
def test_a_crawl_goes_on_when_there_is_room_again(tmp_path, table, rows):
    failing_database(tmp_path, table, rows)
    blog = Blog(make_posts(12))
    with serve(blog) as site:
        assert crawl(tmp_path, f"{site.url}/").code == TEMPORARY_FAILURE
        before = kept(tmp_path)
        with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
            connection.execute("DROP TRIGGER full")
        again = crawl(tmp_path, f"{site.url}/")
        assert again.code == 0, again.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert {url: kept(tmp_path)[url] for url in before} == before


# ------------------------------------------------------------------------------------------------------- robots.txt


@pytest.mark.slow
def test_robots_txt_forbids_everything(tmp_path):
    with serve(Blog()) as site:
        site.routes["/robots.txt"] = Reply("User-agent: *\nDisallow: /\n", content_type="text/plain")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        says(outcome, f"{site.url}/", "robots.txt")
        assert outcome.requests == ["/robots.txt"]


@pytest.mark.slow
def test_robots_txt_cannot_be_known(tmp_path):
    with serve(Blog()) as site:
        site.routes["/robots.txt"] = Reply("later", 503)
        outcome = crawl(tmp_path, f"{site.url}/", server=site, BACKOFF_TIMES=0)
        says(outcome, "robots.txt", "503", "try again later")
        assert outcome.requests == ["/robots.txt"]


@pytest.mark.slow
def test_robots_txt_forbids_some_posts(tmp_path):
    """No error: the others are all there, and the summary counts the forbidden ones."""
    blog = Blog()
    forbidden = blog.path(blog.posts[-1])
    with serve(blog) as site:
        site.routes["/robots.txt"] = Reply(f"User-agent: *\nDisallow: {forbidden}\n", content_type="text/plain")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == sorted({*blog.urls(site.url)} - {site.url + forbidden})
        assert forbidden not in outcome.requests
        assert any(f"forbidden by robots.txt: 1, such as {site.url}{forbidden}" in line for line in outcome.summary)


# -------------------------------------------------------------------------------------------------- private addresses


@contextmanager
def intranet():
    with RawSite(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\nSECRET") as site:
        yield site


@pytest.mark.slow
def test_a_local_blog_opens_its_own_port_and_no_other(tmp_path):
    """Links, redirects, refreshes, feed entries and feeds that lead to another local server: no connection is made."""
    with intranet() as secret, serve(Blog()) as site:
        blog = Blog(
            extra=f'<a href="{secret.url}/2020/01/link/">link</a> <a href="/2020/02/away/">away</a> '
            f'<a href="/2020/03/refresh/">refresh</a> <a href="http://localhost:{secret.port}/2020/01/b/">b</a>',
            odd_items=f"<item><title>odd</title><link>{secret.url}/2020/01/entry/</link></item>",
        )
        site.reset(blog)
        home = f'<link rel="alternate" type="application/rss+xml" href="{secret.url}/feed.xml"></head>'
        site.routes["/"] = site.routes["/"].body.replace("</head>", home)
        site.routes["/2020/02/away/"] = Reply("", 302, {"Location": f"{secret.url}/away/"})
        site.routes["/2020/03/refresh/"] = f'<meta http-equiv="refresh" content="0; url={secret.url}/refresh/">'
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert secret.connections == 0
        assert outcome.urls == blog.urls(site.url)
        assert any(
            "not on the public internet: 2, such as " in line and f"{site.url}/2020/02/away/" in line
            for line in outcome.summary
        ), outcome.summary


@pytest.mark.slow
def test_a_start_that_leads_to_another_local_port(tmp_path):
    with intranet() as secret, LocalSite({"/": Reply("", 302, {"Location": f"{secret.url}/"})}) as site:
        says(crawl(tmp_path, f"{site.url}/"), "not on the public internet")
        assert secret.connections == 0


# -------------------------------------------------------------------------------------------------------- the output


def test_output_into_a_folder_that_does_not_exist_makes_it(tmp_path):
    with serve(Blog(make_posts(4))) as site:
        outcome = crawl(tmp_path, f"{site.url}/", "-O", "new/folder/posts.jsonl")
        assert outcome.code == 0, outcome.stderr
        assert len((tmp_path / "new" / "folder" / "posts.jsonl").read_text().splitlines()) == 4


@pytest.mark.slow
def test_output_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("a file, and no folder")
    with serve(Blog(make_posts(4))) as site:
        outcome = crawl(tmp_path, f"{site.url}/", "-O", "file/posts.jsonl", server=site)
        says(outcome, "file/posts.jsonl")
        assert outcome.requests == [], "nothing is fetched for an output that cannot be written"


@pytest.mark.parametrize(
    "setting",
    [
        "LOG_LEVEL=FOO",
        "ALLOWED_PRIVATE_HOSTS=a/b",
        "HARVEST_WINDOW=-1",
        "PAGE_LIMIT=-5",
        "PAGE_LIMIT=1.5",
        "DOWNLOAD_DELAY=-1",
        "TIME_LIMIT=soon",
        "WORKER_LOST_AFTER=inf",
        "WORKER_LOST_AFTER=nan",
        "WORKER_LOST_AFTER=0",
        "WORKER_LOST_AFTER=1e300",
        "GATE_SERVER_DELAY=inf",
        "BACKEND_PATIENCE=100000",
        "ROBOTSTXT_OBEY=perhaps",
        "RENDER=perhaps",
        "RENDER_TIMEOUT=0",
        "RENDER_TIMEOUT=-5",
        "RENDER_CONCURRENCY=0",
        "LOG_FORMAT=xml",
        "CONCURRENT_REQUESTS=0",
        "CONFIDENCE_MINIMUM=1.1",
        "QUEUE_ATTEMPTS=0",
        "MONITOR_CRAWLS=1001",
        "METRICS_PORT=65536",
        "UPDATE_INTERVAL_MIN=-1",
    ],
)
def test_a_value_that_a_setting_cannot_have(setting):
    name, _, value = setting.partition("=")
    settings = Settings()
    settings.setmodule("blogcrawler.settings")
    settings.set(name, value, "cmdline")
    with pytest.raises((UsageError, BadArgument)) as raised:
        check_settings(settings)
    assert name in str(raised.value)
    assert value in str(raised.value)


@pytest.mark.parametrize(("url", "is_wrong"), [("redis://localhost", True), ("", False)])
def test_a_lease_must_outlast_the_wait_for_redis(url, is_wrong):
    settings = Settings()
    settings.setmodule("blogcrawler.settings")
    settings.update({"FRONTIER_URL": url, "WORKER_LOST_AFTER": 20, "BACKEND_PATIENCE": 20}, "cmdline")
    with pytest.raises(UsageError, match="WORKER_LOST_AFTER must be more than BACKEND") if is_wrong else nullcontext():
        check_settings(settings)


def test_a_setting_that_was_removed_is_named_and_ignored(capsys):
    settings = Settings()
    settings.setmodule("blogcrawler.settings")
    settings.set("SITEMAP_ENABLED", "perhaps", "cmdline")
    check_settings(settings)
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("blogcrawler: The setting SITEMAP_ENABLED no longer exists and is ignored")


def test_a_setting_that_is_wrong_is_told_before_the_crawl(tmp_path):
    wrong = ["-s", "RENDER_BLOCKED=pictures"]
    outcome = newcrawl(tmp_path, "newcrawl", "-a", "url=http://blog.invalid/", *wrong, anew=True)
    says(outcome, "RENDER_BLOCKED", "pictures", code=WRONG_USAGE)


def test_an_argument_that_the_spider_has_not(tmp_path):
    outcome = newcrawl(tmp_path, "newcrawl", "-a", "url=http://blog.invalid/", "-a", "archive=x")
    says(outcome, "'archive'", "url", code=WRONG_USAGE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", [{"ARCHIVE": "file/archive"}, {"CONCURRENT_REQUESTS": "many"}, {"PAGE_LIMIT": "few"}]
)
def test_a_setting_that_cannot_be_used(tmp_path, setting):
    (tmp_path / "file").write_text("a file, and no folder")
    with serve(Blog(make_posts(4))) as site:
        outcome = crawl(tmp_path, f"{site.url}/", **setting)
        assert not has_traceback(outcome)
        assert outcome.code in {0, FAILED, WRONG_USAGE}
        assert outcome.code == 0 or next(iter(setting)) in outcome.stderr.splitlines()[-1]
        assert (tmp_path / "posts.jsonl").exists() or outcome.code
