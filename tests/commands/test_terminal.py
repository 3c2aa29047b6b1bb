"""`blogcrawler crawl` on a terminal: a live line, a summary, and nothing else; and nothing of a hostile page raw."""

from __future__ import annotations

import re

import pytest

from tests.commands.terminal import run_on_terminal
from tests.crawl.blog import Blog, links, make_posts, serve
from tests.crawl.running import PROGRAM, RECORDS, command, crawl, kept, read_records, run
from tests.site import Reply

#: what programs draw with: colours, cursor movements, and erasing; no titles, no clipboard, no replies
_DRAWING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LIVE = re.compile(r"starting|stopping|finding the blog|posts? fetched|pages? fetched|fetching \d+ of")
_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (INFO|WARNING|ERROR|DEBUG)")


def lines(text: str) -> list[str]:
    """What stays readable when the drawing is taken away."""
    return [line.strip() for line in re.split(r"[\r\n]+", _DRAWING.sub("", text)) if line.strip()]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder, blog = tmp_path_factory.mktemp("terminal"), Blog(make_posts(12))
    with serve(blog) as site:
        site.routes[blog.path(blog.posts[-1])] = Reply("gone", 404)
        screen = run_on_terminal(folder, command(f"{site.url}/", "--verbose", DOWNLOAD_DELAY=0.1), anew=True)
        return folder, screen


@pytest.mark.slow
def test_a_live_line_and_a_summary(shown):
    _, screen = shown
    assert screen.code == 0, screen.text
    assert re.search(r"(finding|learning|lists)[a-z ]*: \d+ pages? fetched", screen.text)
    assert re.search(r"(\d+ posts found, [1-9]\d* pages fetched|fetching \d+ of \d+ posts)", screen.text)
    told = lines(screen.text)
    (first,) = (number for number, line in enumerate(told) if line.startswith("Complete: 11 posts"))
    summary = "\n".join(told[first:])
    assert "title: 7 by rule, 4 by feed" in summary
    assert "404 Not Found: 1, such as http://127.0.0.1" in summary
    assert "archive.db" in summary
    assert RECORDS in summary
    assert "log: archive/logs/newcrawl-" in summary


@pytest.mark.slow
def test_the_live_line_of_a_resumed_crawl_begins_with_what_is_archived(tmp_path):
    with serve(Blog(make_posts(20), in_feed=5)) as site:
        crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=12)
        archived = len(kept(tmp_path))
        screen = run_on_terminal(tmp_path, command(f"{site.url}/", "--verbose", DOWNLOAD_DELAY=0.2))
        found = [int(number) for number in re.findall(r"(?:fetching )?(\d+) (?:of \d+ posts|posts found)", screen.text)]
        assert 5 < archived <= found[0] < 20


@pytest.mark.slow
def test_nothing_else_on_the_terminal(shown):
    _, screen = shown
    assert not _LOG_LINE.search(screen.text)
    assert "Traceback" not in screen.text
    before = [line for line in lines(screen.text) if not LIVE.search(line)]
    assert before[0].startswith("Complete: 11 posts"), before


@pytest.mark.slow
def test_the_log_is_in_a_file(shown):
    folder, _ = shown
    (log,) = (folder / "archive" / "logs").iterdir()
    text = log.read_text("utf-8")
    assert _LOG_LINE.search(text)
    assert "(11 items)" in text
    assert len(read_records(folder / RECORDS)) == 11


@pytest.mark.slow
def test_an_error_is_one_sentence_on_the_terminal(tmp_path):
    """For instance: a name that does not exist."""
    screen = run_on_terminal(tmp_path, command("http://no-such-blog.invalid/"))
    assert screen.code == 1
    told = [line for line in lines(screen.text) if not LIVE.search(line)]
    assert told[0].startswith("blogcrawler: http://no-such-blog.invalid/"), told
    assert "Traceback" not in screen.text
    assert not _LOG_LINE.search(screen.text)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["database", "log folder"])
def test_a_fault_of_the_archive_on_the_terminal(tmp_path, fault):
    (tmp_path / "file").write_text("a file, and no folder")
    setting = {"database": {"DATABASE_URL": "sqlite:///file/a.db"}, "log folder": {"ARCHIVE": "file/archive"}}[fault]
    screen = run_on_terminal(tmp_path, command("http://no-such-blog.invalid/", **setting))
    assert screen.code == 75
    assert "Traceback" not in screen.text
    told = [line for line in lines(screen.text) if not LIVE.search(line)]
    assert told[0].startswith("blogcrawler: ")
    assert "file" in told[0]
    assert "file" not in " ".join(told[2:])


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x1b[8mhidden"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A blog whose titles, authors, tags, feed and failing addresses hold control characters, and its archive."""
    folder = tmp_path_factory.mktemp("hostile")
    blog = Blog(make_posts(8), name=f"Blog {HOSTILE.replace(chr(27), '&#27;')}")
    with serve(blog) as site:
        for post in blog.posts:
            page = blog.page(post).replace(f">{post.title}<", f">{post.title}{HOSTILE}<")
            site.routes[blog.path(post)] = page.replace(f">{post.author}<", f">{post.author}{HOSTILE}<")
        feed = blog.feed(site.url).replace("</title><link>", "\x1b]0;owned\x07&#x9b;31m</title><link>")
        site.routes["/feed.xml"] = Reply(feed, content_type="application/rss+xml")
        away = "/2020/01/%1B%5D0;owned%07/"
        odd = links(["/2020/01/\x1b]0;owned\x07\x9b2J/", "/2020/01/%1B%5B2J%C2%9B2J/", "/2020/02/away/"])
        site.routes["/2020/02/away/"] = Reply("", 302, {"Location": away})
        site.routes["/"] = site.routes["/"].body.replace("</main>", f"{odd}</main>")
        screen = run_on_terminal(folder, command(f"{site.url}/"))
        return folder, site.url, screen


def raw_controls(text: str) -> list[str]:
    """Control characters that are neither line ends nor part of what a program draws with."""
    return re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", _DRAWING.sub("", text))


@pytest.mark.slow
def test_no_control_character_of_a_page_reaches_the_terminal(hostile):
    _, _, screen = hostile
    assert screen.code == 0, screen.text
    assert raw_controls(screen.text) == []
    assert "\x1b[2J" not in screen.text
    assert "\x1b[8m" not in screen.text
    assert "404 Not Found: " in screen.text


@pytest.mark.slow
def test_nor_by_the_command_rules(hostile):
    folder, address, _ = hostile
    screen = run_on_terminal(folder, [*PROGRAM, "rules", f"{address}/", "-s", "DATABASE_URL=sqlite:///archive.db"])
    assert screen.code == 0, screen.text
    assert raw_controls(screen.text) == []
    assert "\x1b[2J" not in screen.text
    assert "\x1b[8m" not in screen.text


@pytest.mark.slow
def test_nor_by_a_sentence(tmp_path):
    """What a user pastes, and what a server redirects to."""
    with serve(Blog()) as site:
        site.routes["/"] = Reply("gone", 404)
        screen = run_on_terminal(tmp_path, command(f"{site.url}/?q=\x1b]0;owned\x07\x9b2J"))
        assert screen.code == 1
        assert raw_controls(screen.text) == []


@pytest.mark.slow
def test_where_there_is_no_terminal_the_log_is_plain(tmp_path):
    with serve(Blog(make_posts(4))) as site:
        outcome = crawl(tmp_path, f"{site.url}/")
        assert outcome.summary[1].strip().startswith("4 posts from ")
        assert "\x1b" not in outcome.stderr + outcome.stdout
        assert "pages/s" not in outcome.stderr
        assert not (tmp_path / "archive" / "logs").exists()


@pytest.mark.slow
def test_a_log_file_of_the_users_own(tmp_path):
    with serve(Blog(make_posts(4))) as site:
        outcome = run(tmp_path, command(f"{site.url}/", LOG_FILE="own.log"))
        assert outcome.code == 0
        assert outcome.stderr == ""
        assert "4 posts from " in (tmp_path / "own.log").read_text("utf-8")
