"""`blogcrawler completeness`: what an archive knows, has and lacks of a blog, to cite and to verify."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from warcio.archiveiterator import ArchiveIterator

from blogcrawler.backend import COMMENT_FEED, Archive, Failed
from blogcrawler.demo import DemoServer
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.completeness import schema, statement_of
from blogcrawler.items import CaptureReference, FieldSource, Provenance, Record
from tests.archives import save_records
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.captured import BASE, taken_on, write
from tests.crawl.exported import wxr
from tests.crawl.running import DATABASE, PROGRAM, crawl, has_traceback, run
from tests.site import Reply

HOME = "http://ann.example.org/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
VALIDATOR = Draft202012Validator(json.loads(schema()), format_checker=Draft202012Validator.FORMAT_CHECKER)


def completeness(folder, *arguments):
    return run(folder, [*PROGRAM, "completeness", *arguments, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"])


def stated(folder, url=HOME):
    """The statement, which fulfils its schema."""
    done = completeness(folder, url, "--json")
    assert (done.code, done.stderr) == (0, "")
    statement = json.loads(done.stdout)
    VALIDATOR.validate(statement)
    return statement


def archive(folder):
    return Archive.open(f"sqlite:///{folder / DATABASE}")


def a_post(path, **provenance):
    return Record(HOME, HOME + path, title=path, provenance=Provenance(**provenance))


def fill(opened):
    opened.start_crawl(HOME, now=NOW)
    opened.finish_crawl(HOME, now=NOW, reason="complete")
    capture = CaptureReference("old/tea.warc.gz#7", "2014-05-02T00:00:00+00:00", "sha1:A")
    web = CaptureReference("https://web.example.org/web/2013id_/http://a/#b", "2013-05-02T00:00:00+00:00")
    fields = {name: FieldSource("rule", "//h1", one) for name, one in (("title", 0.9), ("tags", 0.7), ("content", 0.2))}
    fetched = "2026-11-20T00:00:00+00:00"
    records = [
        a_post("b", capture=capture, fetched=capture.time),
        a_post("a", capture=web),
        a_post("c", fetched=fetched, warc="own.warc.gz#5", fields=fields),
        a_post("gone", fetched=fetched),
    ]
    save_records(opened, records, now=NOW)
    opened.mark_gone(HOME, f"{HOME}gone", now=NOW)
    opened.failures(HOME).note([Failed(f"{HOME}lost", "404 Not Found", NOW)])
    opened.save_source_state(HOME, COMMENT_FEED, {"url": f"{HOME}comments", "told": {opened.key_of(f"{HOME}lost"): {}}})
    opened.save_source_state(HOME, "WordPress API", {"total": 7})
    return records


@pytest.fixture
def folder(tmp_path):
    with archive(tmp_path) as opened:
        fill(opened)
    return tmp_path


def test_what_is_known_archived_and_missing(folder):
    statement = stated(folder)
    assert statement["known"] == {"posts": 5, "first_named_by": {"unrecorded": 5}, "in_comment_feed": 1}
    assert statement["archived"] == {"posts": 4, "no_longer_online": 1}
    (missing,) = statement["missing"]
    assert (missing["url"], missing["reason"]) == (f"{HOME}lost", "404 Not Found")
    assert missing["named_by"] == [
        {"source": "unrecorded", "document": None},
        {"source": "comment feed", "document": f"{HOME}comments"},
    ]
    (announced,) = statement["announced"]
    assert announced == {"posts": 2, "reason": "the WordPress API announces 7 posts, 4 are archived"}


def test_captures_and_pages_from_the_web_are_apart(folder):
    pages = stated(folder)["pages"]
    assert pages["captures"] == {
        "count": 2,
        "first": "2013-05-02T00:00:00+00:00",
        "last": "2014-05-02T00:00:00+00:00",
        "places": {"https://web.example.org": 1, "old/tea.warc.gz": 1},
    }
    assert (pages["fetched"]["count"], pages["fetched"]["places"]) == (2, {"own.warc.gz": 1})


def test_fields_by_confidence(folder):
    fields = stated(folder)["confidence"]
    assert fields["title"] == {"sure": 1, "fair": 0, "doubtful": 0, "empty": 3}
    assert fields["tags"]["fair"] == fields["content"]["doubtful"] == 1
    assert fields["authors"]["empty"] == 4


def test_digests_are_those_of_the_lines_of_an_export(folder):
    with archive(folder) as opened:
        FORMATS["jsonl"].export(Selection.of(opened), str(folder / "posts.jsonl"))
    lines = (folder / "posts.jsonl").read_bytes().splitlines()
    digests = {json.loads(line)["url"]: hashlib.sha256(line).hexdigest() for line in lines}
    records = stated(folder)["records"]
    assert {post["url"]: post["sha256"] for post in records["posts"]} == digests
    listed = "".join(f"{digests[url]}  {url}\n" for url in sorted(digests))
    assert records["sha256"] == hashlib.sha256(listed.encode()).hexdigest()


def test_the_same_archive_makes_the_same_statement(folder):
    first, second = stated(folder), stated(folder)
    assert first.pop("time") <= second.pop("time")
    assert first == second
    with archive(folder) as opened:
        assert statement_of(opened, opened.blog(HOME)) == {**first, "time": None}


def test_as_text_it_names_what_is_missing_and_what_names_it(folder):
    lines = completeness(folder, HOME).stdout.splitlines()
    assert "Posts: 5 known, 4 archived, 1 missing" in lines
    place = lines.index(f"Missing: {HOME}lost")
    assert lines[place + 1 : place + 4] == [
        "  reason: 404 Not Found",
        "  named by: unrecorded",
        f"  named by: comment feed {HOME}comments",
    ]


def verify(folder, statement):
    (folder / "statement.json").write_text(json.dumps(statement))
    return completeness(folder, HOME, "--verify", "statement.json")


def test_a_statement_that_still_holds(folder):
    done = verify(folder, {**stated(folder), "time": None, "program": "blogcrawler 0.0.1"})
    assert (done.code, done.stderr) == (0, "")
    assert "4 records" in done.stdout


def test_all_that_has_changed_since_is_named(folder):
    statement = stated(folder)
    with archive(folder) as opened:
        opened.save_record(replace(a_post("a"), title="Another"), now=NOW)
        opened.save_record(a_post("new"), now=NOW)
        opened.failures(HOME).note([], are_all=True)
    posts = statement["records"]["posts"]
    posts.append({"url": f"{HOME}never", "sha256": "0" * 64, "capture": None})
    done = verify(folder, statement)
    assert (done.code, done.sentences) == (1, ["blogcrawler: The archive differs from the statement."])
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert found[f"{HOME}a"] == "has another record in the archive"
    assert found[f"{HOME}new"] == "is not in the statement"
    assert found[f"{HOME}never"] == "is not in the archive"
    assert found["missing"] == "1 in number in the statement, 0 in number in the archive"
    assert "do not match" in found["records"]
    assert found.keys() - {f"{HOME}{path}" for path in ("a", "new", "never")} == {
        *("missing", "records", "known", "archived", "announced", "pages", "confidence")
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name one blog"),
        ((HOME, "--json", "--verify", "a"), "exclude each other"),
        ((HOME, "--verify", "none.json"), "none.json cannot be read"),
        ((HOME, "--verify", "bad.json"), "bad.json is no completeness statement"),
        ((HOME, "--verify", "other.json"), "other.json is no completeness statement"),
    ],
)
def test_wrong_usage(folder, arguments, sentence):
    (folder / "bad.json").write_bytes(b"\xff{")
    (folder / "other.json").write_text('{"schema": "urn:blogcrawler:record"}')
    done = completeness(folder, *arguments)
    assert (done.code, len(done.sentences), has_traceback(done)) == (2, 1, False)
    assert sentence in done.sentences[0]


def test_a_blog_that_is_not_there(folder):
    done = completeness(folder, "http://bo.example.org/")
    assert (done.code, len(done.sentences)) == (1, 1)


# ------------------------------------------------------------------------------------------------------------ of crawls


def test_the_demo_blog_is_stated_as_documented(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "archivists.md").read_text("utf-8")
    example = page.partition("## The completeness statement")[2].partition("```text\n")[2].partition("```")[0]
    with DemoServer() as server:
        crawl(tmp_path, server.url, WARC=True)
        shown = completeness(tmp_path, server.url).stdout.replace(server.url, "http://blog.example.org/")
    place = 0
    for part in example.split("…"):
        assert (place := shown.find(part.strip(), place)) >= 0, part


def named(statement):
    return {post["url"]: post["named_by"] for post in statement["missing"]}


@pytest.mark.slow
def test_each_post_that_is_missing_on_the_web_is_named_with_its_evidence(tmp_path):
    blog = Blog(make_posts(12), in_feed=4)
    with serve(blog) as site:
        in_feed, listed = blog.posts[1].path, blog.posts[9].path
        site.routes |= {path: Reply("gone", status=404) for path in (in_feed, listed)}
        home = f"{site.url}/"
        crawl(tmp_path, home)
        first = stated(tmp_path, home)
        crawl(tmp_path, home, spider="updatecrawl")
        second = stated(tmp_path, home)
    assert (first["known"]["posts"], first["archived"]["posts"]) == (12, 10)
    assert first["known"]["first_named_by"]["feed"] == 4
    assert set(named(first)) == {site.url + in_feed, site.url + listed}
    assert all(post["reason"].startswith("404") for post in first["missing"])
    assert [one["source"] for one in named(first)[site.url + in_feed]] == ["feed"]
    (evidence,) = named(first)[site.url + listed]
    assert evidence["source"] in {"list", "post", "sitemap", "feed archive"}
    assert evidence["document"].startswith(home)
    assert named(second) == named(first), "an update does not forget what named a post"
    assert second["known"] == first["known"]
    assert first["pages"]["captures"]["count"] == 0


@pytest.mark.slow
def test_an_export_of_the_blog_is_named_as_one(tmp_path):
    posts = make_posts(9)
    with serve(Blog(posts[:6], in_feed=3)) as site:
        file = wxr(tmp_path / "export.xml", posts, site.url)
        crawl(tmp_path, f"{site.url}/", "-a", f"entries={file}")
        statement = stated(tmp_path, f"{site.url}/")
    Draft202012Validator(json.loads(schema())).validate(statement)
    assert (statement["known"]["posts"], statement["archived"]["posts"], statement["missing"]) == (9, 9, [])
    assert statement["known"]["first_named_by"]["export"] >= 3
    assert statement["known"]["first_named_by"]["feed"] == 3
    assert "feed capture" not in statement["known"]["first_named_by"]
    captures = statement["pages"]["captures"]
    assert (captures["count"], captures["places"]) == (3, {str(file): 3})


@pytest.mark.slow
def test_of_a_blog_that_is_gone_each_post_without_capture_is_named(tmp_path):
    """Two posts were not captured: one that feeds of other years name, without its text, and one that a list names."""
    blog = Blog(make_posts(24), in_feed=6)
    in_feed, listed = blog.posts[2], blog.posts[20]
    file = tmp_path / "blog.warc.gz"
    write(file, taken_on(blog, "2022-06-01", without={in_feed.path, listed.path}))
    crawl(tmp_path, f"{BASE}/", "-a", f"source={file}")
    statement = stated(tmp_path, f"{BASE}/")
    missing = named(statement)
    lost = {BASE + post.path for post in (in_feed, listed)}
    kept = {post["url"] for post in statement["records"]["posts"]}
    assert kept | missing.keys() == {BASE + post.path for post in blog.posts}
    assert missing.keys() == lost - kept
    assert missing[BASE + listed.path][0]["source"] in {"list", "post"}
    assert all(post["reason"] == "not captured" for post in statement["missing"])
    assert statement["known"]["first_named_by"]["feed capture"] == 6
    assert statement["pages"]["fetched"]["count"] == 0
    captures = statement["pages"]["captures"]
    assert captures["places"] == {str(file): captures["count"]}
    assert captures["first"] == captures["last"] == "2022-06-01T00:00:00+00:00"
    assert [one["place"].rpartition("#")[0] for one in statement["feed_captures"]] == [str(file)]
    digests = {one["digest"] for one in statement["feed_captures"]}
    digests |= {post["capture"]["digest"] for post in statement["records"]["posts"]}
    with file.open("rb") as stream:
        assert digests <= {one.rec_headers.get_header("WARC-Payload-Digest") for one in ArchiveIterator(stream)}


def test_captured_posts_that_nothing_else_names_are_named_by_the_captures(tmp_path):
    blog = Blog(make_posts(24), in_feed=6)
    lists = {f"/page/{number}/" for number in range(2, 7)}
    file = write(tmp_path / "blog.warc.gz", taken_on(blog, "2022-06-01", without=lists))
    crawl(tmp_path, f"{BASE}/", "-a", f"source={file}")
    known = stated(tmp_path, f"{BASE}/")["known"]
    assert known["posts"] == sum(known["first_named_by"].values()) == 24
    assert known["first_named_by"]["captures"] > 6
    assert "unrecorded" not in known["first_named_by"]
