"""Which blogs a collection holds."""

from __future__ import annotations

import json

import pytest

from blogcrawler.commands.blogs import feed_depth
from blogcrawler.sources.blog_search import FoundBlog, find_blogs
from blogcrawler.sources.index import IndexedCapture
from blogcrawler.sources.surt import surt_key
from tests.crawl.running import PROGRAM, has_traceback, run
from tests.sources.records import warc

RSS, HTML, PNG = "application/rss+xml", "text/html", "image/png"


def rows(*pages):
    """Captures of addresses on example.org, or elsewhere, each with its media type, status and years."""
    found = []
    for path, *rest in pages:
        mime, status, years = (*rest, *(HTML, 200, [2014])[len(rest) :])
        url = path if "://" in path else f"http://example.org{path}"
        found += [
            IndexedCapture(surt_key(url), year * 10**10 + 101000000, "a", 0, status, mime, "", url) for year in years
        ]
    return sorted(found)


def homes(*pages):
    return [one.url for one in find_blogs(rows(*pages), feed_depth)]


def series(folder, count=3):
    return [(f"{folder}2014/05/post-{number}",) for number in range(count)]


def test_a_host_with_a_feed():
    pages = rows(
        ("/",), ("/feed/", RSS, 200, [2010, 2016]), ("/a-post/",), ("/2014/05/a-post", HTML, 200, [2012, 2013])
    )
    found = list(find_blogs([*pages], feed_depth))
    assert found == [FoundBlog("http://example.org/", 6, 1, ("http://example.org/feed/",), 2010, 2016)]


NO_BLOGS = {
    "a site without evidence": [("/",), ("/about",), ("/sitemap.xml", "text/xml")],
    "one date": [("/news/2014/05/a-thing",)],
    "pictures by month": [(f"/uploads/2014/05/{number}-a.png", PNG) for number in range(9)],
    "pages that are gone": [(*page, HTML, 404) for page in series("/")] + [("/feed", RSS, 404)],
    "lists by day": [(f"/2014/05/{day}/",) for day in range(1, 9)],
}


@pytest.mark.parametrize("pages", NO_BLOGS.values(), ids=NO_BLOGS)
def test_no_evidence(pages):
    assert homes(*pages) == []


BLOGS = {
    "permalinks alone": ([*series("/"), ("/about",)], ["/"]),
    "permalinks below a folder": ([*series("/ann/"), ("/",)], ["/ann/"]),
    "dates in names": ([("/p/2014-05-02-a.html",), ("/p/20140503-b.html",)], ["/p/"]),
    "a platform with a folder a blog": (
        [("/ann/rss.xml", RSS), *series("/ann/"), ("/bo/data/rss", "text/xml"), ("/bo/1.html",), ("/",), ("/Cy/atom.xml", RSS), ("/Cy/x",)],
        ["/Cy/", "/ann/", "/bo/"],
    ),
    "a platform with news of its own": (
        [("/feed", RSS), ("/news",), ("/ann/feed", RSS), *series("/ann/"), ("/bo/feed", RSS), *series("/bo/")],
        ["/", "/ann/", "/bo/"],
    ),
    "feeds of posts and categories": (
        [("/feed/", RSS), *series("/"), ("/2014/05/post-1/feed/", RSS), ("/category/a/feed/", RSS), ("/category/a/page/2",), ("/comments/feed", RSS)],
        ["/"],
    ),
    "dated attachments of posts": (
        [("/feed", RSS), *series("/"), ("/2014/05/post-1/feed", RSS), *[(f"/2014/05/post-1/2014-05-0{day}-x",) for day in range(1, 4)]],
        ["/"],
    ),
    "feeds of posts alone": ([("/",), ("/one",), ("/one/feed/", RSS), ("/two/feed/", RSS)], ["/"]),
    "the feed of a category alone": ([("/",), ("/one",), ("/category/a/feed/", RSS), ("/category/a/page/2",)], ["/"]),
    "categories in permalinks": ([("/atom.xml", RSS), *series("/life/"), *series("/craft/")], ["/"]),
    "Blogger": ([("/feeds/posts/default?alt=rss", RSS), ("/2014/05/a-post.html",)], ["/"]),
    "a feed by its address": ([("/index.xml", "application/xml"), ("/post/one/",)], ["/"]),
}  # fmt: skip


@pytest.mark.parametrize(("pages", "expected"), BLOGS.values(), ids=BLOGS)
def test_blogs(pages, expected):
    assert sorted(homes(*pages)) == [f"http://example.org{path}" for path in expected]


def test_hosts_are_apart():
    pages = [
        ("http://b.example.org/feed", RSS),
        ("http://a.example.org/feed", RSS),
        ("http://example.org/2014/05/a-post",),
    ]
    assert homes(*pages) == ["http://a.example.org/", "http://b.example.org/"]


def test_parts_of_a_blog_are_counted_with_it_and_other_blogs_are_not():
    pages = [("/feed", RSS), ("/life/2014/05/a",), ("/life/2014/05/b",), ("/ann/feed", RSS), *series("/ann/", 4)]
    found = {one.url[18:]: (one.captures, one.dated_pages) for one in find_blogs(rows(*pages), feed_depth)}
    assert found == {"/": (3, 2), "/ann/": (5, 4)}


# ------------------------------------------------------------------------------------------------- the command


def command(folder, *arguments):
    done = run(folder, [*PROGRAM, "blogs", "find", *arguments])
    assert not has_traceback(done)
    return done


def test_the_command_lists_blogs_for_blogs_add(tmp_path):
    pages = {f"http://{name}.example.org/2014/05/{number}-post": b"x" for name in ("ann", "bo") for number in range(3)}
    del pages["http://ann.example.org/2014/05/0-post"]
    content = warc({**pages, "http://other.example.org/": b"x"})
    (tmp_path / "a.warc.gz").write_bytes(content + b"junk" * 10)
    done = command(tmp_path, "a.warc.gz")
    assert done.code == 0
    cells = [[cell.strip() for cell in line.split("│")] for line in done.stdout.splitlines() if "example" in line]
    assert [[cell for cell in row if cell] for row in cells] == [
        ["http://bo.example.org/", "3", "3", "2014"],
        ["http://ann.example.org/", "2", "2", "2014"],
    ]
    done = command(tmp_path, "a.warc.gz", "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[0] == {
        "url": "http://bo.example.org/",
        "captures": 3,
        "dated_pages": 3,
        "feeds": [],
        "first_year": 2014,
        "last_year": 2014,
    }
    added = run(tmp_path, [*PROGRAM, "blogs", "add", *(one["url"] for one in found)])
    assert added.stdout == "2 blogs added.\n"


def test_a_place_without_blogs_and_one_that_does_not_exist(tmp_path):
    (tmp_path / "a.warc").write_bytes(warc({"http://example.org/": b"x"}, is_compressed=False))
    done = command(tmp_path, "a.warc")
    assert (done.code, done.stdout) == (1, "")
    assert "no captures of blogs" in done.stderr
    done = command(tmp_path, "nothing")
    assert done.code == 2
    assert "There is no file or folder nothing." in done.stderr
    assert command(tmp_path).code == 2
    assert command(tmp_path, "a", "b").code == 2
