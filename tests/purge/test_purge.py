"""`blogcrawler purge`: a post is gone from all of the archive, and does not come back."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
import signal
import sqlite3
import sys
import zlib
from contextlib import closing
from dataclasses import replace

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawler.backend import Archive
from blogcrawler.reporting import new_log
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.captured import BASE, taken_on, write
from tests.crawl.commented import Said
from tests.crawl.running import DATABASE, PROGRAM, crawl, has_traceback, kept, query, run
from tests.crawl.talking import TalkingBlog
from tests.site import Reply, Validators

WORDS = ("zyxomma", "quagswagging")
"""In the post that is removed, and nowhere else: in its text, and in its comment."""
PICTURE, SHARED = b"\x89PNG\r\n\x1a\n" + b"own" * 30, b"\x89PNG\r\n\x1a\n" + b"shared" * 30
SETTINGS = {"WARC": True, "MEDIA": True, "REPORTS": True, "HTTPCACHE_ENABLED": True}
GIVEN = ["-s", f"DATABASE_URL=sqlite:///{DATABASE}", "-s", "ARCHIVE=archive"]


class Sources(Blog):
    """A blog whose posts have pictures, and whose home page shows its newest posts whole."""

    def page(self, post):
        own = f'<img src="/{post.slug}.png"><img src="/shared.png">'
        return super().page(post).replace("</div></article>", f"{own}</div></article>")

    def _items(self, shown):
        return "".join(
            f'<li><h2><a href="{self.path(post)}">{post.title}</a></h2>{post.html if post is self.posts[1] else ""}</li>'
            for post in shown
        )

    def routes(self, base):
        pictures = {
            f"/{post.slug}.png": Reply(PICTURE + post.slug.encode(), content_type="image/png") for post in self.posts
        }
        pictures["/shared.png"] = Reply(SHARED, content_type="image/png")
        validators = Validators(etags=True, modified=None)
        return {path: validators.of(reply) for path, reply in (super().routes(base) | pictures).items()}


def posts():
    made = make_posts(8)
    first, second, third = made[1].paragraphs
    text = f"{first} {WORDS[0].capitalize()} {second}"
    return [made[0], replace(made[1], paragraphs=(text, f"{second} {WORDS[1]} {third}", third)), *made[2:]]


def purge(folder, *arguments):
    done = run(folder, [*PROGRAM, "purge", *arguments, *GIVEN])
    assert not has_traceback(done), done.stderr
    return done


def verify(folder):
    return run(folder, [*PROGRAM, "verify", *GIVEN])


def holds(folder, *words):
    """The files of the archive in which a word is, also where it is compressed."""
    files = [path for path in [*folder.glob(f"{DATABASE}*"), *(folder / "archive").rglob("*")] if path.is_file()]
    return {path.name for path in files for text in texts(path) for word in words if word.encode() in text.lower()}


def texts(path):
    data = path.read_bytes()
    found = [data]
    if path.name.endswith(".warc.gz"):
        whole = b""
        while data:
            member = zlib.decompressobj(31)
            whole += member.decompress(data) + member.flush()
            data = member.unused_data
        found.append(whole)
    for text in list(found):
        for start in re.finditer(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]", text):
            try:
                found.append(zlib.decompressobj(47).decompress(text[start.start() :]))
            except zlib.error:
                continue
    return found


def records(folder):
    """(type, address, where it begins) of all records in WARC files, as another library reads them."""
    found = []
    for file in sorted((folder / "archive" / "warc").glob("*.warc.gz")):
        with file.open("rb") as stream:
            reader = ArchiveIterator(stream, check_digests="raise")
            for record in reader:
                record.raw_stream.read()
                found.append(
                    (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), reader.get_record_offset())
                )
    return found


@pytest.fixture(scope="module")
def site():
    with serve(Sources(posts())) as served:
        yield served


@pytest.fixture(scope="module")
def archived(site, tmp_path_factory):
    """An archive of the blog, crawled and updated once."""
    folder = tmp_path_factory.mktemp("archived")
    done = crawl(folder, f"{site.url}/", server=site, **SETTINGS)
    assert (done.code, len(done.records)) == (0, 8), done.stderr
    assert crawl(folder, f"{site.url}/", spider="updatecrawl", **SETTINGS).code == 0
    (folder / "posts.jsonl").unlink()
    assert holds(folder, *WORDS) == {DATABASE, "http-cache.db", warc_of(folder)}
    return folder


def warc_of(folder):
    return max((folder / "archive" / "warc").glob("*.warc.gz"), key=lambda path: path.stat().st_size).name


@pytest.fixture
def folder(archived, tmp_path):
    """A copy of it."""
    copy = tmp_path / "copy"
    shutil.copytree(archived, copy)
    return copy


@pytest.fixture
def url(site):
    return f"{site.url}{posts()[1].path}"


def test_a_dry_run_changes_nothing_and_lists_what_would_go(folder, url, site):
    before = {path: path.read_bytes() for path in (folder / "archive").rglob("*") if path.is_file()}
    done = purge(folder, url, "--dry-run")
    assert (done.code, done.stdout.splitlines()[0]) == (0, f"{url}: would be removed")
    assert "1 post\n" in done.stdout
    assert f"captures of {url}\n" in done.stdout
    assert f"captures of {site.url}/feed.xml\n" in done.stdout
    assert f"of {site.url}/\n" in done.stdout
    assert f"of {site.url}/{posts()[1].slug}.png" in done.stdout
    assert "shared.png" not in done.stdout
    after = {path: path.read_bytes() for path in (folder / "archive").rglob("*") if path.is_file()}
    assert {path for path in before if path.suffix != ".db-shm" and before[path] != after.get(path)} == set()
    assert url in kept(folder)
    assert query(folder, "SELECT count(*) FROM purge") == [(0,)]


def test_nothing_of_a_removed_post_is_left(folder, url):
    before = records(folder)
    done = purge(folder, url, "--reason", "asked for by its author")
    assert (done.code, done.stdout.splitlines()[0]) == (0, f"{url}: removed")
    assert holds(folder, *WORDS) == set()
    assert len(kept(folder)) == 7
    assert query(folder, "SELECT reason, finished IS NOT NULL FROM purge") == [("asked for by its author", 1)]
    after = records(folder)
    assert [offset for *_, offset in after] == [offset for *_, offset in before], "a record has moved"
    assert url not in {address for _, address, _ in after}
    assert {kind for kind, _, offset in after if (kind, _, offset) not in before} == {"metadata"}
    own = [
        path for path in (folder / "archive" / "sha256").rglob("*") if path.is_file() and b"own" in path.read_bytes()
    ]
    assert len(own) == 7
    assert any(path.read_bytes() == SHARED for path in (folder / "archive" / "sha256").rglob("*") if path.is_file())


def test_an_archive_verifies_after_a_removal(folder, url):
    purge(folder, url)
    done = verify(folder)
    assert (done.code, done.stderr) == (0, ""), done.stdout
    assert "7 records checked: no faults" in done.stdout


def test_the_index_of_captures_does_not_refer_to_what_is_gone(folder, url):
    purge(folder, url)
    there = {f"{warc_of(folder)}#{offset}": kind for kind, _, offset in records(folder)}
    with closing(sqlite3.connect(folder / "archive" / "warc" / "index.db")) as index:
        places = [place for (place,) in index.execute("SELECT place FROM capture")]
    assert places
    assert {there[place] for place in places if place.startswith(warc_of(folder))} == {"response"}


@pytest.mark.parametrize("spider", ["updatecrawl", "newcrawl"])
def test_it_does_not_come_back(folder, url, site, spider):
    purge(folder, url)
    done = crawl(folder, f"{site.url}/", server=site, spider=spider, **SETTINGS)
    assert done.code == 0, done.stderr
    assert url not in kept(folder)
    assert len(kept(folder)) == 7
    assert holds(folder, *WORDS) == set()
    assert posts()[1].path not in done.requests
    assert "  1 purged post left out" in done.summary
    assert verify(folder).code == 0


def test_a_first_crawl_that_begins_anew_leaves_it_out(folder, url, site):
    purge(folder, url)
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.execute("UPDATE blog SET crawl_state = NULL, wrapper = NULL, crawl_complete = 0, crawl_kind = NULL")
    done = crawl(folder, f"{site.url}/", server=site, **SETTINGS)
    assert (done.code, len(kept(folder))) == (0, 7), done.stderr
    assert holds(folder, *WORDS) == set()


def test_it_is_recognised_at_another_address(folder, url, site):
    purge(folder, url)
    blog = Sources([replace(post, slug=f"moved-{post.slug}") if post.path in url else post for post in posts()])
    moved = site.url + blog.posts[1].path
    try:
        site.reset(blog)
        for spider in ("updatecrawl", "newcrawl"):
            done = crawl(folder, f"{site.url}/", server=site, spider=spider, **SETTINGS)
            assert done.code == 0, done.stderr
            assert moved not in kept(folder)
            assert holds(folder, *WORDS) == set()
    finally:
        site.reset(Sources(posts()))


@pytest.mark.slow
@pytest.mark.parametrize(("options", "step"), [([], 1), (["--blog"], 3)], ids=["post", "blog"])
def test_a_removal_that_is_killed_at_any_moment_is_finished_by_the_same_command(
    archived, url, site, tmp_path, options, step
):
    check_killed_removals(archived, tmp_path, [f"{site.url}/" if options else url, *options], WORDS, step)


@pytest.mark.slow
def test_a_removal_of_comments_that_is_killed_at_any_moment_is_finished_by_the_command_that_is_shown(tmp_path):
    archive = tmp_path / "whole"
    archive.mkdir()
    with serve(talk()) as site:
        assert crawl(archive, f"{site.url}/", **SETTINGS).code == 0
        (archive / "posts.jsonl").unlink()
        by = [f"{site.url}/", "--comments-by", PERSON]
        check_killed_removals(archive, tmp_path, by, (PERSON.lower(), "xylotrya", "quoz"), 3)


def check_killed_removals(archived, tmp_path, arguments, words, step):
    """Kill a removal at each so-manieth moment; the command that `verify` shows then finishes it."""
    number, code = 1 - step, -signal.SIGKILL
    while code == -signal.SIGKILL:
        number += step
        folder = tmp_path / str(number)
        shutil.copytree(archived, folder)
        killer = [sys.executable, "-m", "tests.purge.killing", str(number), "purge", *arguments, *GIVEN]
        code = run_from_checkout(folder, killer)
        if code != -signal.SIGKILL:
            break
        if query(folder, "SELECT finished FROM purge") == [(None,)]:
            told = verify(folder)
            assert told.code == 1, f"killed at {number}"
            assert f"unfinished purge: {arguments[0]}: " in told.stdout
            shown = shlex.split(told.stdout.partition("finish it by: ")[2].splitlines()[0])
            assert shown == ["blogcrawler", "purge", *arguments]
        assert purge(folder, *arguments).code == 0
        assert holds(folder, *words) == set(), f"killed at {number}"
        assert verify(folder).code == 0, f"killed at {number}"
        shutil.rmtree(folder)
    assert code == 0
    assert number > 10


def run_from_checkout(folder, arguments):
    return run(folder, arguments, anew=True).code


PERSON, REMARK = "Quilla Marchbanks", "What a xylotrya!"
LONG = (
    "A remark of many words that says nothing much of interest to those who have not read the quoz of which it speaks."
)


class Remarks(Sources):
    """The same blog with comments on its second post, on the page and in a feed of all comments."""

    def page(self, post):
        if post is not self.posts[1]:
            return super().page(post)
        said = [
            ("c1", "Ann Other", "A first word."),
            ("c2", PERSON, REMARK),
            ("c3", PERSON, LONG),
            ("c4", "Bo", "Indeed."),
        ]
        shown = "".join(
            f'<li class="comment" id="{name}"><cite class="fn">{who}</cite> <time>{day} June 2020</time>'
            f'<div class="said"><p>{text}</p></div></li>'
            for day, (name, who, text) in enumerate(said, 20)
        )
        return super().page(post).replace("</main>", f'<h3>4 comments</h3><ol class="comments">{shown}</ol></main>')


def test_the_comments_of_a_person_go_and_do_not_come_back(tmp_path, url):
    names = (PERSON.lower(), "xylotrya", "quoz")
    blog = Remarks(posts())
    with serve(blog) as site:
        address = site.url + blog.posts[1].path
        done = crawl(tmp_path, f"{site.url}/", **SETTINGS)
        assert [one["author"] for one in done.record(address)["comments"]] == ["Ann Other", PERSON, PERSON, "Bo"]
        (tmp_path / "posts.jsonl").unlink()
        by = ["--comments-by", PERSON.upper()]
        assert "2 comments" in purge(tmp_path, f"{site.url}/", *by, "--dry-run").stdout
        assert purge(tmp_path, f"{site.url}/", *by).code == 0
        assert holds(tmp_path, *names) == set()
        assert verify(tmp_path).code == 0
        for spider in ("updatecrawl", "newcrawl"):
            done = crawl(tmp_path, f"{site.url}/", spider=spider, **SETTINGS)
            assert done.code == 0
            assert holds(tmp_path, *names) == set()
            assert verify(tmp_path).code == 0
        assert [one["author"] for one in done.record(address)["comments"]] == ["Ann Other", "Bo"]
        assert len(kept(tmp_path)) == 8


class Talk(TalkingBlog, Sources):
    """The same blog with a feed of all comments; the feed of posts counts them."""

    def __post_init__(self):
        super().__post_init__()
        self.entry_counts = self.entry_names_feed = True


def talk(*more):
    said = [Said(1, "Ann Other", "A first word."), Said(2, PERSON, REMARK), Said(3, PERSON, LONG, 1)]
    return Talk(posts(), said={7: [*said, Said(4, "Bo Reed", "Indeed so.", 3), *more], 4: [Said(5, "Cy Dell", "Aha.")]})


def test_updates_have_nothing_to_say_of_removed_comments(tmp_path):
    with serve(talk()) as site:
        address = site.url + posts()[1].path
        done = crawl(tmp_path, f"{site.url}/", **SETTINGS)
        assert (len(done.record(address)["comments"]), done.record(address)["comment_count"]) == (4, 4)
        (tmp_path / "posts.jsonl").unlink()
        assert purge(tmp_path, f"{site.url}/", "--comments-by", PERSON).code == 0
        gaps = run(tmp_path, [*PROGRAM, "gaps", f"{site.url}/", *GIVEN])
        assert "announced" not in gaps.stdout
        for spider in ("updatecrawl", "updatecrawl", "newcrawl", "updatecrawl"):
            done = crawl(tmp_path, f"{site.url}/", spider=spider, server=site, **SETTINGS)
            assert done.code == 0, done.stderr
            assert not any("comments of" in line.lower() or "new comment" in line for line in done.stderr.splitlines())
            assert spider == "newcrawl" or (done.records, posts()[1].path in done.requests) == ([], False)
            gaps = run(tmp_path, [*PROGRAM, "gaps", f"{site.url}/", *GIVEN])
            assert "announced" not in gaps.stdout
        site.reset(talk(Said(6, PERSON, "Once more."), Said(7, "Di Park", "Well said.", 2)))
        done = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", server=site, **SETTINGS)
        said = done.record(address)
        assert [(one["author"], one["content_text"]) for one in said["comments"]][-1] == ("Di Park", "Well said.")
        assert (len(said["comments"]), said["comment_count"]) == (3, 3)
        assert "1 new" in done.stderr
        assert crawl(tmp_path, f"{site.url}/", spider="updatecrawl", **SETTINGS).records == []
        assert purge(tmp_path, f"{site.url}/", "--comments-by", PERSON, "--forget").code == 0
        done = crawl(tmp_path, f"{site.url}/", spider="updatecrawl", **SETTINGS)
        assert [one["author"] for one in done.record(address)["comments"]].count(PERSON) == 3
        assert done.record(address)["comment_count"] == 6


def test_captures_that_have_a_name_alone_are_removed_when_that_is_confirmed(tmp_path):
    with serve(talk(Said(6, "Words", "The name of this blog."))) as site:
        assert crawl(tmp_path, f"{site.url}/", **SETTINGS).code == 0
        before, by = records(tmp_path), [f"{site.url}/", "--comments-by", "words"]
        asked, trial = purge(tmp_path, *by), purge(tmp_path, *by, "--dry-run", "--verbose")
        assert (asked.code, trial.code) == (2, 0)
        assert "captured pages have the name, but no extracted comment under it. --yes removes" in asked.sentences[0]
        assert "captured pages have the name, but no extracted comment under it. To remove" in trial.stdout
        for line in ("1 comment\n", "1 record with such comments", " in 1 file\n"):
            assert line in asked.stdout
        alone = {line.split()[-1] for line in trial.stdout.splitlines() if "with only the name" in line}
        assert f"{site.url}{posts()[0].path}" in alone
        assert alone.isdisjoint((f"{site.url}{posts()[1].path}", f"{site.url}/comments.atom"))
        assert (records(tmp_path), query(tmp_path, "SELECT * FROM purge")) == (before, [])
        assert purge(tmp_path, *by, "--yes").code == 0
        assert not [kind for kind, address, _ in records(tmp_path) if address in alone and kind == "response"]
        assert verify(tmp_path).code == 0
        assert len(kept(tmp_path)) == 8


def test_an_archive_of_a_database_alone(tmp_path, site, url):
    done = crawl(tmp_path, f"{site.url}/", HTTPCACHE_ENABLED=False)
    assert done.code == 0
    (tmp_path / "posts.jsonl").unlink()
    assert purge(tmp_path, url, "--dry-run").code == purge(tmp_path, url).code == 0
    assert holds(tmp_path, *WORDS) == set()
    assert verify(tmp_path).code == 0


def test_a_post_that_is_not_in_the_archive_yet_is_left_out(tmp_path, site, url):
    with serve(Blog(make_posts(8)[2:])) as early:
        early.routes = Sources(posts()[2:]).routes(early.url)
        assert crawl(tmp_path, f"{early.url}/", **SETTINGS).code == 0
        address = early.url + posts()[1].path
        assert purge(tmp_path, address, "--in-advance").code == 0
        early.routes = Sources(posts()).routes(early.url)
        assert crawl(tmp_path, f"{early.url}/", spider="updatecrawl", **SETTINGS).code == 0
        assert address not in kept(tmp_path)
        assert len(kept(tmp_path)) == 7


def refused(folder, *arguments, code=2):
    """What a command says that is refused, and changes nothing."""
    before = query(folder, "SELECT count(*) FROM purge"), len(kept(folder))
    done = purge(folder, *arguments)
    assert (done.code, done.stdout) == (code, ""), done.stderr
    assert (query(folder, "SELECT count(*) FROM purge"), len(kept(folder))) == before
    (sentence,) = done.sentences
    return sentence


def test_wrong_usage(folder, site, url):
    assert "no blog on the site of http://other.example.org/a" in refused(folder, "http://other.example.org/a")
    assert "Name one post" in refused(folder)
    assert "no blog at http://other.example.org/" in refused(folder, "http://other.example.org/", "--blog")
    assert "is a blog, not a post" in refused(folder, f"{site.url}/")
    assert f"blogcrawler purge {site.url}/ --blog" in refused(folder, url, "--blog")
    assert f"blogcrawler purge {site.url}/ --comments-by 'Bo B'" in refused(folder, url, "--comments-by", "Bo B")
    assert "leave --in-advance out" in refused(folder, url, "--in-advance")
    assert "leave --in-advance out" in refused(folder, f"{site.url}/", "--blog", "--in-advance")
    assert "--dry-run works only with" in refused(folder, url, "--forget", "--dry-run")
    assert "--list takes" in refused(folder, url, "--list", "--blog")
    assert "--yes works only with" in refused(folder, url, "--yes")


def test_a_mistyped_address_is_refused_with_the_nearest_one(folder, url):
    mistyped = url.replace("2020", "2021")
    for more in ([], ["--dry-run"]):
        said = refused(folder, mistyped, *more)
        assert f"no data of {mistyped}. Did you mean {url}? " in said
        assert "--in-advance" in said


def test_no_address_is_suggested_that_is_not_near(folder, site):
    assert "Did you mean" not in refused(folder, f"{site.url}/2030/x/")


def test_a_blog_with_another_one_below_it_is_not_removed(folder, site):
    with Archive.open(f"sqlite:///{folder / DATABASE}") as archive:
        archive.media_files(f"{site.url}/other/")
    done = purge(folder, f"{site.url}/", "--blog")
    assert (done.code, done.stdout) == (2, "")
    assert f"{site.url}/other/" in done.stderr
    assert len(kept(folder)) == 8


def test_comments_are_refused_before_there_are_any(folder, site):
    by = [f"{site.url}/", "--comments-by", "Nobody At All"]
    done = purge(folder, *by, "--in-advance")
    assert (done.code, done.stdout.splitlines()[0]) == (0, f"Not archived: comments under this name on {site.url}/")
    assert query(folder, "SELECT kind, name FROM purge") == [("comments", None)]
    assert purge(folder, *by, "--forget").code == 0


def test_nobody_has_comments_of_a_name(folder, site):
    done = purge(folder, f"{site.url}/", "--comments-by", "Nobody At All")
    assert (done.code, done.stdout) == (1, "")
    assert "has a comment by Nobody At All" in done.stderr
    assert "Nobody" not in purge(folder, "--list").stdout


def test_what_was_removed_is_listed(folder, url, site):
    assert purge(folder, "--list").stdout == "Nothing was removed on request.\n"
    purge(folder, url, "--reason", "a wish")
    assert purge(folder, f"{site.url}/never/", "--in-advance").code == 0
    everything = purge(folder, "--list").stdout
    assert ("a wish" in everything, f"{site.url}/never/" in everything) == (True, True)
    of_post = purge(folder, url.rstrip("/"), "--list").stdout
    assert ("a wish" in of_post, "post" in of_post, "never" in of_post) == (True, True, False)
    there = f"{site.url}{posts()[0].path}"
    assert purge(folder, there, "--list").stdout == f"{there} is not removed.\n"


def test_a_removal_is_revoked(folder, url, site):
    assert "No such removal" in refused(folder, url, "--forget")
    purge(folder, url, "--reason", "a wish")
    assert crawl(folder, f"{site.url}/", spider="updatecrawl", **SETTINGS).code == 0
    assert f"Did you mean {url}?" in refused(folder, url.replace("2020", "2021"), "--forget")
    done = purge(folder, url, "--forget", "--reason", "withdrawn")
    assert (done.code, done.stdout.partition(":")[0]) == (0, "http"), done.stderr
    assert url not in kept(folder)
    listed = purge(folder, url, "--list").stdout
    assert listed.startswith(f"{url} is not removed.")
    assert ("a wish" in listed, "withdrawn" in listed) == (True, True)
    assert query(folder, "SELECT count(*) FROM purge") == [(0,)]
    for spider in ("updatecrawl", "newcrawl"):
        assert crawl(folder, f"{site.url}/", spider=spider, **SETTINGS).code == 0
        assert url in kept(folder)
    assert DATABASE in holds(folder, WORDS[0])
    assert verify(folder).code == 0
    assert purge(folder, url, "--reason", "a second wish").code == 0
    listed = purge(folder, url, "--list").stdout
    assert ("a second wish" in listed, "withdrawn" in listed) == (True, True)
    assert holds(folder, *WORDS) == set()


def test_the_removal_of_a_blog_is_revoked(folder, site):
    assert purge(folder, f"{site.url}/", "--blog").code == 0
    assert purge(folder, f"{site.url}/", "--blog", "--forget").code == 0
    done = crawl(folder, f"{site.url}/", **SETTINGS)
    assert (done.code, len(kept(folder))) == (0, 8)


def test_a_blog_is_refused_before_it_was_archived(folder, site):
    with serve(Blog(make_posts(6, seed=7), name="Another blog")) as other:
        assert purge(folder, f"{other.url}/", "--blog", "--in-advance").code == 0
        done = crawl(folder, f"{other.url}/", server=other, **SETTINGS)
        assert (done.code, done.requests) == (1, [])


def test_a_blog_goes_as_a_whole_and_others_stay(folder, url, site):
    with serve(Blog(make_posts(6, seed=7), name="Another blog")) as other:
        assert crawl(folder, f"{other.url}/", **SETTINGS).code == 0
        logs = folder / "archive" / "logs"
        for given in (f"{site.url}/", other.url, f"{site.url}.uk/", f"{site.url}/feed.xml", url):
            new_log(str(logs.parent), "newcrawl", given)
        there = purge(folder, f"{site.url}/", "--blog", "--dry-run")
        assert "8 posts" in there.stdout
        assert "7 files of reports and logs" in there.stdout
        assert len(list(logs.iterdir())) == 5
        assert ("WARC records, in 2 files" in there.stdout, site.url in there.stdout.partition("\n")[2]) == (
            True,
            False,
        )
        assert posts()[3].path in purge(folder, f"{site.url}/", "--blog", "--dry-run", "--verbose").stdout
        assert len(kept(folder)) == 14
        assert purge(folder, f"{site.url}/", "--blog").code == 0
        assert query(folder, "SELECT home FROM blog") == [(f"{other.url}/",)]
        assert len(kept(folder)) == 6
        assert holds(folder, *(post.title.lower() for post in posts()), *WORDS) == set()
        kinds = {(kind, (address or "").startswith(site.url)) for kind, address, _ in records(folder)}
        assert kinds == {("warcinfo", False), ("metadata", False), ("response", False), ("request", False)}
        assert not any(path.is_file() for path in (folder / "archive" / "sha256").rglob("*"))
        assert {path.name.rpartition("-")[0] for path in logs.iterdir()} == {
            f"newcrawl-{url.partition('//')[2].replace('.', '-').replace(':', '-')}"
            for url in (other.url, f"{site.url}.uk")
        }
        assert len(list((folder / "archive" / "reports").iterdir())) == 1
        assert verify(folder).code == 0
        again = crawl(folder, f"{site.url}/", server=site, **SETTINGS)
        assert (again.code, again.requests) == (1, [])
        assert "removed from the archive on request" in again.sentences[0]
        assert query(folder, "SELECT count(*) FROM blog") == [(1,)]
        assert crawl(folder, f"{other.url}/", spider="updatecrawl", **SETTINGS).code == 0


def test_copies_of_captures_are_deleted_and_the_captures_stay(tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    written = write(tmp_path / "blog.warc", taken_on(Blog(posts()), "2022-06-01"))
    file = library / "blog.warc.gz"
    file.write_bytes(gzip.compress(written.read_bytes()))  # as a whole, so that it is unpacked to be read
    before = file.read_bytes()
    written.unlink()
    source = ["-a", f"source={file}"]
    done = crawl(tmp_path, f"{BASE}/", *source)
    url = BASE + posts()[1].path
    assert url in done.urls
    assert len(holds(tmp_path, *WORDS)) > 1, "the database and the copy"
    done = purge(tmp_path, url)
    assert done.code == 0, done.stderr
    assert holds(tmp_path, *WORDS) == set()
    assert file.read_bytes() == before
    done = crawl(tmp_path, f"{BASE}/", *source)
    assert done.code == 0, done.stderr
    assert url not in done.urls
