"""`blogcrawler gaps`: what the archive lacks, and what tries again."""

from __future__ import annotations

import json
import shlex
import signal
from datetime import UTC, datetime

import pytest

from blogcrawler.backend import LATE_COMMENTS, LATE_MEDIA, Archive, Failed, KeptMedia, LatePosts
from blogcrawler.items import Comment, Media, Record
from tests.archives import save_records
from tests.commands.terminal import run_on_terminal
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, command, crawl, crawl_until, has_traceback, run
from tests.site import Reply

HOME = "http://ann.example.org/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NEW, UPDATE = f"blogcrawler crawl newcrawl -a url={HOME}", f"blogcrawler archive {HOME}"


def gaps(folder, *arguments):
    done = run(folder, [*PROGRAM, "gaps", *arguments, "--jsonl", "-s", f"DATABASE_URL=sqlite:///{DATABASE}"])
    assert (done.code, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def shown(folder, *arguments):
    return run(folder, [*PROGRAM, "gaps", *arguments, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"])


def told(folder):
    return {(gap["kind"], gap["url"], gap["lacks"], gap["count"]): gap["command"] for gap in gaps(folder)}


def archive(folder):
    return Archive.open(f"sqlite:///{folder / DATABASE}")


def whole(path, **fields):
    given = {"title": "A title", "authors": ["Ann"], "published": "2014-05-02", "content_text": "Text."}
    return Record(HOME, HOME + path, **{**given, **fields})


def finish(opened, *, complete=True):
    opened.start_crawl(HOME, now=NOW)
    opened.finish_crawl(HOME, now=NOW, reason="finished", complete=complete)


def test_all_that_lacks_is_told_with_what_tries_again(tmp_path):
    with archive(tmp_path) as opened:
        finish(opened)
        save_records(opened, [whole(f"whole-{number}") for number in range(4)], now=NOW)
        some = [Comment("c1"), Comment("c2")]
        opened.save_record(whole("talk", comments=some, comment_count=5), now=NOW)
        opened.save_record(whole("late", comment_count=2), now=NOW)
        opened.save_record(whole("bare", authors=[], published=None), now=NOW)
        late = LatePosts(opened, HOME, LATE_COMMENTS)
        late.note(f"{HOME}late", is_late=True)
        late.save()
        failed = [Failed(f"{HOME}gone", "404 Not Found", NOW), Failed(f"{HOME}busy", "503", NOW, is_temporary=True)]
        opened.failures(HOME).note(failed)
        lost, there = Media(f"{HOME}gone.png", error="404 Not Found"), Media(f"{HOME}there.png", path="sha256/aa/bb")
        spared = Media(f"{HOME}spared.png", error="not asked for: no file of ann.example.org could be fetched")
        opened.save_record(whole("seen", media=[lost, there, spared]), now=NOW)
        opened.save_record(whole("seen-again", media=[lost]), now=NOW)
        opened.save_source_state(HOME, "sitemap", {"total": None})
        opened.save_source_state(HOME, "WordPress API", {"total": 14})
    assert told(tmp_path) == {
        ("post", f"{HOME}gone", "404 Not Found", 1): NEW,
        ("post", f"{HOME}busy", "503", 1): UPDATE,
        ("post", HOME, "the WordPress API announces 14 posts, 9 are archived", 3): NEW,
        ("comments", f"{HOME}talk", "fewer are archived than announced", 3): NEW,
        ("comments", f"{HOME}late", "their server failed temporarily", 2): UPDATE,
        ("file", f"{HOME}gone.png", "404 Not Found", 1): NEW,
        ("file", f"{HOME}spared.png", "not asked for: no file of ann.example.org could be fetched", 1): NEW,
        ("field", f"{HOME}bare", "no authors", 1): NEW,
        ("field", f"{HOME}bare", "no published", 1): NEW,
    }
    lines = shown(tmp_path, HOME).stdout.splitlines()
    assert lines[0] == f"Missing from {HOME}:"
    assert f"    {HOME}talk" in lines
    assert [line for line in lines if "blogcrawler" in line] == [f"  To try again: {one}" for one in (UPDATE, NEW)]
    assert lines.index(f"    {HOME}talk") > lines.index(f"  To try again: {UPDATE}")


def test_urls_and_commands_are_whole_on_a_narrow_terminal(tmp_path):
    post = "2014/05/" + "a-long-title-" * 9
    with archive(tmp_path) as opened:
        finish(opened)
        opened.failures(HOME).note([Failed(f"{HOME}{post}{number}", "404 Not Found", NOW) for number in range(5)])
    call = [*PROGRAM, "gaps", "-s", f"DATABASE_URL=sqlite:///{DATABASE}"]
    assert run_on_terminal(tmp_path, call).text.splitlines()[:6] == [
        f"Missing from {HOME}:",
        "  5 posts: 404 Not Found",
        *(f"    {HOME}{post}{number}" for number in range(3)),
        "    and 2 more; --jsonl lists all",
    ]


def test_files_that_updates_ask_for_are_left_to_them(tmp_path):
    with archive(tmp_path) as opened:
        finish(opened)
        opened.save_record(whole("a", media=[Media(f"{HOME}slow.png", error="no answer in time")]), now=NOW)
        opened.save_record(whole("b", media=[Media(f"{HOME}lost.png", error="404 Not Found")]), now=NOW)
        late = LatePosts(opened, HOME, LATE_MEDIA)
        late.note(f"{HOME}a", is_late=True)
        late.save()
    assert told(tmp_path) == {
        ("file", f"{HOME}slow.png", "no answer in time", 1): UPDATE,
        ("file", f"{HOME}lost.png", "404 Not Found", 1): NEW,
    }


def test_what_no_post_shows_any_more_does_not_lack(tmp_path):
    with archive(tmp_path) as opened:
        finish(opened)
        opened.media_files(HOME).save(KeptMedia(f"{HOME}gone.png", NOW, error="404 Not Found"))
        opened.save_record(whole("a"), now=NOW)
        lacks = {"authors": [], "comment_count": 3, "media": [Media(f"{HOME}b.png", error="404 Not Found")]}
        opened.save_record(whole("gone", **lacks), now=NOW)
        opened.mark_gone(HOME, f"{HOME}gone", now=NOW)
    assert gaps(tmp_path) == []


def test_a_command_is_safe_to_paste_into_a_shell(tmp_path):
    home = "http://ann.example.org/?a=1&b=$(id);'x'"
    with archive(tmp_path) as opened:
        opened.start_crawl(home, now=NOW)
        opened.finish_crawl(home, now=NOW, reason="finished")
        opened.failures(home).note([Failed(f"{home}gone", "404", NOW)])
    (gap,) = gaps(tmp_path)
    assert shlex.split(gap["command"]) == ["blogcrawler", "crawl", "newcrawl", "-a", f"url={home}"]
    assert gap["command"] in shown(tmp_path).stdout


def test_what_most_posts_lack_is_told_once(tmp_path):
    with archive(tmp_path) as opened:
        finish(opened)
        save_records(opened, [whole(str(number), authors=[]) for number in range(9)], now=NOW)
        opened.save_record(whole("signed"), now=NOW)
    assert told(tmp_path) == {("field", HOME, "no authors, like most posts of the blog", 9): NEW}


def test_nothing_lacks(tmp_path):
    with archive(tmp_path) as opened:
        finish(opened)
        opened.save_record(whole("a"), now=NOW)
    assert gaps(tmp_path) == []
    assert shown(tmp_path).stdout == f"{HOME}: nothing is known to be missing\n"


def test_what_cannot_be_told_of(tmp_path):
    for arguments in ([HOME], ["http://bo.example.org/"], ["--no"]):
        done = shown(tmp_path, *arguments)
        assert done.code in (1, 2)
        assert not has_traceback(done)
        assert len(done.sentences) == 1 or "usage" in done.stderr


def test_an_archive_without_blogs_has_no_gaps(tmp_path):
    archive(tmp_path).close()
    assert gaps(tmp_path) == []
    done = shown(tmp_path, HOME)
    assert (done.code, done.sentences) == (
        1,
        [f"blogcrawler: The archive has no blog at {HOME}; blogcrawler blogs lists those that it has."],
    )


@pytest.mark.slow
def test_posts_that_fail_are_gaps_until_they_are_had(tmp_path):
    blog = Blog(make_posts(12), in_feed=4)
    with serve(blog) as site:
        dead, busy = blog.posts[2].path, blog.posts[7].path
        there = dict(site.routes)
        site.routes |= {dead: Reply("gone", status=404), busy: Reply("later", status=503)}
        for _ in range(2):
            crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0, BACKOFF_TIMES=0)
        found = {gap["url"]: gap["command"].split()[2] for gap in gaps(tmp_path) if gap["kind"] == "post"}
        assert found == {site.url + dead: "newcrawl", site.url + busy: f"{site.url}/"}
        site.routes = there
        crawl(tmp_path, f"{site.url}/", spider="updatecrawl")
        assert [gap["url"] for gap in gaps(tmp_path) if gap["kind"] == "post"] == [site.url + dead]
        crawl(tmp_path, f"{site.url}/")
        assert [gap["url"] for gap in gaps(tmp_path) if gap["kind"] == "post"] == []


@pytest.mark.slow
def test_posts_that_a_crawl_has_not_come_to_are_gaps(tmp_path):
    blog = Blog(make_posts(30), in_feed=4)
    with serve(blog) as site:
        crawl_until(
            tmp_path,
            command(f"{site.url}/", DOWNLOAD_DELAY=0.05),
            lambda: len(site.paths) > 15,
            lambda process: process.send_signal(signal.SIGKILL),
        )
        left = [gap for gap in gaps(tmp_path) if gap["kind"] == "post"]
        assert left
        assert {(gap["lacks"], gap["command"]) for gap in left} == {
            ("the crawl was interrupted before this page", f"blogcrawler archive {site.url}/")
        }
        crawl(tmp_path, f"{site.url}/")
        assert [gap for gap in gaps(tmp_path) if gap["kind"] == "post"] == []


@pytest.mark.slow
def test_each_command_closes_its_gap_when_the_server_has_recovered(tmp_path):
    """That of a post, and of files."""
    blog = Blog(make_posts(12), in_feed=4)
    with serve(blog) as site:
        shows, busy = blog.posts[3], blog.posts[7]
        pictures = [f"/{number}.png" for number in range(3)]
        shown = "".join(f'<img src="{path}">' for path in pictures)
        site.routes[shows.path] = Reply(blog.page(shows).replace("</p></div>", f"</p>{shown}</div>"))
        there = dict(site.routes) | {
            path: Reply(b"\x89PNG\r\n\x1a\n" + path.encode(), content_type="image/png") for path in pictures
        }
        site.routes[busy.path] = Reply("later", status=503)
        fast = {"MEDIA": True, "RETRY_TIMES": 0, "BACKOFF_TIMES": 0}
        for _ in range(2):
            crawl(tmp_path, f"{site.url}/", **fast)
        lacks = gaps(tmp_path)
        assert {gap["url"] for gap in lacks} == {site.url + path for path in [busy.path, *pictures]}
        site.routes = there
        for told in dict.fromkeys(gap["command"] for gap in lacks):
            spider = "newcrawl" if "newcrawl" in told else "updatecrawl"
            assert crawl(tmp_path, f"{site.url}/", spider=spider, **fast).code == 0
        assert gaps(tmp_path) == []
