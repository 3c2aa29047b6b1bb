"""The files of posts are kept, once, with their kind, and whatever cannot be had is told and asked for again."""

from __future__ import annotations

import hashlib
import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from blogcrawler.backend import Archive
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.constants import with_constants
from tests.crawl.object_stores import STORES
from tests.crawl.running import PROGRAM, crawl, has_traceback, run
from tests.site import LocalSite, Reply, Validators

pytestmark = pytest.mark.slow

POSTS = make_posts(6)
STAGE = "blogcrawler.pipelines.media"


def png(shade):
    """A picture of one pixel."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes([0, shade])))
        + chunk(b"IEND", b"")
    )


MP3 = b"ID3\x03\0\0\0\0\0\0" + bytes(200)
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"


@dataclass
class Illustrated(Blog):
    """A blog whose posts hold more than words; `shown` is the HTML at the end of the first one's article."""

    shown: str = ""
    item_extra: str = ""
    all_shown: dict[int, str] = field(default_factory=dict)

    def page(self, post):
        at = self.posts.index(post)
        html = self.shown if at == 0 else self.all_shown.get(at, "")
        return super().page(post).replace("</div></article>", f"{html}</div></article>")

    def _item(self, post, base):
        extra = self.item_extra if post is self.posts[0] else ""
        return super()._item(post, base).replace("</item>", f"{extra}</item>")


@contextmanager
def served(blog, files):
    with serve() as site:
        put(site, blog, files)
        yield site


def put(site, blog, files):
    validators = Validators(etags=True, modified=None)
    site.routes = {path: validators.of(reply) for path, reply in blog.routes(site.url).items()} | files


def archived(folder, site, *more, spider="newcrawl", **settings):
    done = crawl(folder, f"{site.url}/", *more, server=site, spider=spider, **{"MEDIA": "True", **settings})
    assert done.code == 0, done.stderr
    assert not has_traceback(done), done.stderr
    return done


def media(done, site, post=POSTS[0]):
    return {one["url"].removeprefix(site.url): one for one in done.record(site.url + post.path)["media"]}


def picture(content, kind="image/png"):
    return Reply(content, content_type=kind)


def test_files_are_kept_once_by_what_they_hold(tmp_path):
    sound = f'<enclosure url="{{base}}/talk" type="audio/mpeg" length="{len(MP3)}"/>'
    with serve() as site:
        blog = Illustrated(
            POSTS,
            shown='<p><img src="/a.png" srcset="/a.png 1x, /b.png 2x"><a href="/c.pdf">paper</a></p>'
            '<div style="background-image:url(/bg.png)"><p>Words on a picture.</p></div>',
            item_extra=sound.format(base=site.url),
            all_shown={1: '<p><img src="/again.png"></p>'},
        )
        files = {
            "/a.png": picture(png(1), "text/plain"),
            "/b.png": picture(png(2)),
            "/bg.png": picture(png(3)),
            "/again.png": picture(png(1)),
            "/c.pdf": Reply(PDF, content_type="application/octet-stream"),
            "/talk": Reply(MP3, content_type="text/html"),
        }
        put(site, blog, files)
        done = archived(tmp_path, site)
        found = media(done, site)
        assert {path: (one["role"], one["type"]) for path, one in found.items()} == {
            "/a.png": ("image", "image/png"),
            "/b.png": ("image", "image/png"),
            "/c.pdf": ("attachment", "application/pdf"),
            "/bg.png": ("background", "image/png"),
            "/talk": ("enclosure", "audio/mpeg"),
        }
        for path, one in found.items():
            content = (tmp_path / "archive" / one["path"]).read_bytes()
            assert content == files[path].body
            assert (one["sha256"], one["bytes"], one["error"]) == (
                hashlib.sha256(content).hexdigest(),
                len(content),
                None,
            )
        (again,) = media(done, site, POSTS[1]).values()
        assert again["path"] == found["/a.png"]["path"]
        assert f'src="{site.url}/a.png"' in done.record(site.url + POSTS[0].path)["content_html"]
        assert len([path for path in (tmp_path / "archive" / "sha256").rglob("*") if path.is_file()]) == 5
        assert done.requests.count("/a.png") == 1
        assert any("6 files saved" in line for line in done.summary)
        with Archive.open(f"sqlite:///{tmp_path}/archive.db") as archive:
            told = archive.record(f"{site.url}/", site.url + POSTS[0].path)
        assert [dict(vars(one)) for one in told.media] == done.record(site.url + POSTS[0].path)["media"]


def test_files_of_other_hosts(tmp_path):
    with LocalSite({"/far.png": picture(png(4)), "/moved.png": Reply("", 302, {"Location": "/far.png"})}) as cdn:
        blog = Illustrated(POSTS, shown=f'<img src="{cdn.url}/moved.png">')
        with served(blog, {}) as site:
            done = archived(tmp_path, site, ALLOWED_PRIVATE_HOSTS=f"127.0.0.1:{cdn.port}")
            (far,) = media(done, site).values()
            assert (far["url"], far["type"], far["error"]) == (f"{cdn.url}/moved.png", "image/png", None)


BAD = {
    "/missing.png": (Reply("not here", 404), "404 Not Found"),
    "/soft.png": (Reply("<!DOCTYPE html><h1>Not here</h1>"), "a web page instead of a file"),
    "/empty.png": (picture(b""), "empty"),
    "/text.png": (picture(b"words"), "text/plain instead of an image"),
    "/large.png": (picture(png(1) + bytes(3000)), "too large"),
    "/film.mp4": (Reply(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"), "video/mp4 is not wanted"),
}


def test_what_cannot_be_kept_is_told(tmp_path):
    shown = "".join(f'<img src="{path}">' for path in BAD if path != "/film.mp4") + '<video src="/film.mp4"></video>'
    with served(Illustrated(POSTS, shown=shown), {path: reply for path, (reply, _) in BAD.items()}) as site:
        done = archived(tmp_path, site, MEDIA_MAX_BYTES=2000, MEDIA_TYPES="image/*")
        found = media(done, site)
        assert {path: one["error"] for path, one in found.items()} == {path: why for path, (_, why) in BAD.items()}
        assert all(one["path"] is None for one in found.values())
        assert "/film.mp4" not in done.requests
        assert not (tmp_path / "archive" / "sha256").exists()


def test_no_more_files_than_the_limits_allow(tmp_path):
    limits = with_constants({f"{STAGE}:MOST_FILES": 6, f"{STAGE}:MOST_BYTES": 3000, f"{STAGE}:AT_ONCE": 1})
    shown = "".join(f'<img src="/{number}.png">' for number in range(8))
    files = {f"/{number}.png": picture(png(number) + bytes(1000)) for number in range(8)}
    with served(Illustrated(POSTS, shown=shown), files) as site:
        done = archived(tmp_path, site, **limits)
        errors = [one["error"] for one in media(done, site).values()]
        assert errors[:3] == [None] * 3
        assert errors[3:6] == ["the files of this post exceed 3000 bytes"] * 3
        assert errors[6:] == ["this post has more than 6 files"] * 2
        assert not {"/6.png", "/7.png"} & set(done.requests)


def test_what_could_not_be_had_is_asked_for_again(tmp_path):
    """By updates, also when nothing else is new; the record is told then."""
    blog = Illustrated(POSTS, shown='<img src="/late.png"><img src="/gone.png"><img src="/a.png">')
    files = {"/late.png": Reply("busy", 503), "/a.png": picture(png(1))}
    fast = {"BACKOFF_TIMES": 0, "RETRY_TIMES": 0}
    with served(blog, files) as site:
        done = archived(tmp_path, site, **fast)
        assert media(done, site)["/late.png"]["error"] == "503 Service Unavailable"
        assert any("could not be fetched this time" in line for line in done.summary)
        done = archived(tmp_path, site, spider="updatecrawl", **fast)
        assert done.records == []
        assert "/late.png" in done.requests
        site.routes["/late.png"] = picture(png(9))
        done = archived(tmp_path, site, spider="updatecrawl", **fast)
        assert done.urls == [site.url + POSTS[0].path]
        found = media(done, site)
        assert (found["/late.png"]["type"], found["/gone.png"]["error"]) == ("image/png", "404 Not Found")
        assert "/a.png" not in done.requests
        done = archived(tmp_path, site, spider="updatecrawl", **fast)
        assert (done.records, set(done.requests)) == ([], {"/feed.xml"})


def test_a_crawl_that_goes_on_fetches_the_files_that_its_first_part_lacks(tmp_path):
    blog = Illustrated(POSTS, shown='<img src="/slow.png">')
    with served(blog, {"/slow.png": Reply("later", 503)}) as site:
        archived(tmp_path, site, PAGE_LIMIT=4, BACKOFF_TIMES=0)
        put(site, blog, {"/slow.png": picture(png(1))})
        done = archived(tmp_path, site)
        assert done.urls == blog.urls(site.url)
        assert media(done, site)["/slow.png"]["sha256"] == hashlib.sha256(png(1)).hexdigest()


def test_a_host_without_any_file_is_not_asked_for_all(tmp_path):
    """Nor by the next update."""
    pictures = {at: "".join(f'<img src="{{}}/{at}-{n}.png">' for n in range(12)) for at in range(1, 4)}
    with LocalSite({}) as dead, served(Illustrated(POSTS, shown='<img src="/a.png">'), {}) as site:
        shown = {at: html.replace("{}", dead.url) for at, html in pictures.items()}
        put(site, Illustrated(POSTS, shown='<img src="/a.png">', all_shown=shown), {"/a.png": picture(png(1))})
        allowed = {"ALLOWED_PRIVATE_HOSTS": f"127.0.0.1:{dead.port}"}
        done = archived(tmp_path, site, **with_constants({f"{STAGE}:AT_ONCE": 1}), **allowed)
        files = [one for record in done.records for one in record["media"] if one["url"].startswith(dead.url)]
        spared = [one for one in files if one["error"].startswith("not asked for: no file of ")]
        assert (len(files), len(spared)) == (36, 25)
        assert [visit.path for visit in dead.log].count("/robots.txt") + 11 == len(dead.log)
        assert media(done, site)["/a.png"]["error"] is None
        assert any("36 failed" in line for line in done.summary), done.summary
        before = len(dead.log)
        done = archived(tmp_path, site, spider="updatecrawl", **allowed)
        assert (done.records, len(dead.log)) == ([], before + 1), "one of 25"


def test_files_that_are_kept_are_not_fetched_again(tmp_path):
    blog = Illustrated(POSTS[1:], all_shown={0: "", 1: '<img src="/b.png">'}, shown='<img src="/a.png">')
    files = {"/a.png": picture(png(1)), "/b.png": picture(png(2))}
    with served(blog, files) as site:
        archived(tmp_path, site)
        del site.routes["/a.png"]
        put(site, Illustrated(POSTS, shown='<img src="/a.png"><img src="/c.png">'), {"/c.png": picture(png(3))})
        done = archived(tmp_path, site, spider="updatecrawl")
        found = media(done, site)
        assert (found["/a.png"]["error"], found["/c.png"]["error"]) == (None, None)
        assert "/a.png" not in done.requests


def test_files_that_were_lost_are_fetched_again_and_stay_known_where_they_cannot_be(tmp_path):
    blog = Illustrated(POSTS, shown='<img src="/a.png"><img src="/b.png">')
    files = {"/a.png": picture(png(1)), "/b.png": picture(png(2))}
    with served(blog, files) as site:
        before = media(archived(tmp_path, site), site)
        (tmp_path / "archive" / before["/a.png"]["path"]).write_bytes(b"cut")
        (tmp_path / "archive" / before["/b.png"]["path"]).unlink()
        del site.routes["/b.png"]
        done = archived(tmp_path, site)
        assert media(done, site) == before
        assert (tmp_path / "archive" / before["/a.png"]["path"]).read_bytes() == png(1)
        assert "/b.png" in done.requests


def test_without_the_stage_no_file_is_fetched(tmp_path):
    with served(Illustrated(POSTS, shown='<img src="/a.png">'), {"/a.png": picture(png(1))}) as site:
        done = archived(tmp_path, site, MEDIA="False")
        assert "/a.png" not in done.requests


def test_a_crawl_that_looks_for_no_files_keeps_those_that_are_known(tmp_path):
    files = {"/a.png": picture(png(1))}
    with served(Illustrated(POSTS, shown='<img src="/a.png">'), files) as site:
        before = media(archived(tmp_path, site), site)
        changed = replace(POSTS[0], paragraphs=(*POSTS[0].paragraphs[:-1], "It ends in another way."))
        put(site, Illustrated([changed, *POSTS[1:]], shown='<img src="/a.png">'), files)
        done = archived(tmp_path, site, spider="updatecrawl", MEDIA="False")
        assert done.urls == [site.url + POSTS[0].path]
        assert media(done, site) == before


@pytest.mark.parametrize(
    ("store", "hint"),
    [
        ("ftp2://x/", "must be a folder"),
        ("s3://bucket", "must be a folder"),
        ("gs://bucket/x/", "gs://bucket/x/"),
        ("s3://key:sekret@bucket/x/", "key:***@bucket"),
        ("ftp://me:sekret@host/x/", "me:***@host"),
    ],
)
def test_a_store_that_cannot_be_used_is_told(tmp_path, store, hint):
    with served(Illustrated(POSTS), {}) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site, MEDIA="True", FILES_STORE=store)
        assert done.code == 2
        assert hint in done.stderr
        assert "sekret" not in done.stderr
        assert not has_traceback(done)


def test_hostile_names_are_no_paths(tmp_path):
    shown = '<img src="/..%2f..%2fetc/passwd.png"><img src="/a%00b.png"><a href="/CON.exe">x</a>'
    with served(Illustrated(POSTS, shown=shown), {}) as site:
        site.default = picture(png(5))
        done = archived(tmp_path, site)
        found = media(done, site)
        assert len(found) == 3
        for one in found.values():
            assert one["path"] == f"sha256/{one['sha256'][:2]}/{one['sha256'][2:]}"
        files = [path.relative_to(tmp_path / "archive") for path in (tmp_path / "archive").rglob("*") if path.is_file()]
        assert [path.name for path in files if path.parts[0] != "sha256" and path.suffix != ".db"] == []
        assert not list(tmp_path.parent.rglob("passwd*"))


def command(folder, name, store, *arguments):
    settings = {"DATABASE_URL": "sqlite:///archive.db", "ARCHIVE": "archive", **store.settings}
    given = [part for setting in settings.items() for part in ("-s", "=".join(setting))]
    done = run(folder, [*PROGRAM, name, *arguments, *given])
    assert not has_traceback(done)
    return done


def verified(folder, store):
    """The exit code of `verify`, and what it says of faults."""
    done = command(folder, "verify", store)
    return done.code, done.stdout if done.code else ""


def bagged(folder, store, path):
    """A file in a bag."""
    done = command(folder, "export", store, "bagit", "bag")
    assert (done.code, done.stderr) == (0, "")
    return (folder / "bag" / "data" / "media" / path).read_bytes()


@pytest.mark.parametrize("kind", STORES)
def test_files_in_an_object_store(tmp_path, kind, monkeypatch):
    blog = Illustrated(POSTS, shown='<img src="/a.png">', all_shown={1: '<img src="/again.png">'})
    files = {"/a.png": picture(png(1)), "/again.png": picture(png(1))}
    with served(blog, files) as site, STORES[kind](monkeypatch) as store:
        (one,) = media(archived(tmp_path, site, **store.settings), site).values()
        name = f"files/{one['path']}"
        assert store.names() == [name]
        assert store.get(name) == png(1)
        assert not (tmp_path / "archive" / "sha256").exists()
        assert verified(tmp_path, store) == (0, "")
        assert bagged(tmp_path, store, one["path"]) == png(1)
        store.put(name, png(7))
        assert verified(tmp_path, store)[1].startswith(f"damaged file: {one['path']}: content has changed")
        store.delete(name)
        code, said = verified(tmp_path, store)
        assert code == 1
        assert said.startswith(f"missing file: {site.url}")
        store.drop()
        told = command(tmp_path, "verify", store)
        assert told.code != 0
        assert told.stderr.startswith(f"blogcrawler: The store {store.settings['FILES_STORE']} ")
