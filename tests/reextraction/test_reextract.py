"""`blogcrawler reextract`: posts are read again from what the archive has, and corrections hold."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest

from blogcrawler.backend import LATE_MEDIA, Archive, Hold, LatePosts
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, crawl, has_traceback, run
from tests.reextraction.decked import HEADLINE, deck, decked, titles, with_new_post
from tests.site import Reply

DATABASE_URL = f"sqlite:///{DATABASE}"


def reextract(folder, *arguments, server=None, **settings):
    given = {"ARCHIVE": "archive", "DATABASE_URL": DATABASE_URL, "MEDIA": "False", **settings}
    options = [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
    done = run(folder, [*PROGRAM, "reextract", *arguments, *options], server=server)
    assert not has_traceback(done)
    return done


def opened(folder):
    return Archive.open(f"sqlite:///{folder / DATABASE}")


def kept_titles(folder, home):
    with opened(folder) as archive:
        return {record.url: record.title for record in archive.records(home)}


def contents(folder, home):
    """All that the records say."""
    with opened(folder) as archive:
        return [json.dumps(record.to_dict(), sort_keys=True) for record in archive.records(home)]


@contextmanager
def archived(folder, blog, **settings):
    with serve(blog) as site:
        crawl(folder, f"{site.url}/", server=site, **{"WARC": True, **settings})
        yield site


@pytest.mark.slow
def test_a_title_corrected_on_one_post_is_corrected_on_all(tmp_path):
    blog = decked()
    with archived(tmp_path, blog) as site:
        home, post = f"{site.url}/", blog.posts[7]
        assert kept_titles(tmp_path, home) == {site.url + blog.path(one): deck(one) for one in blog.posts}
        done = reextract(tmp_path, home, "--correct", site.url + blog.path(post), "title", HEADLINE, server=site)
        assert (done.code, done.stderr) == (0, "")
        assert done.stdout == "9 changed, 0 unchanged; nothing was fetched.\n"
        assert not done.requests
        assert kept_titles(tmp_path, home) == titles(blog, site.url)
        with opened(tmp_path) as archive:
            record = archive.record(home, site.url + blog.path(post))
            assert record.provenance.fields["title"].confidence == 1
            assert [version.record.title for version in archive.versions(home, record.url)] == [deck(post)]

        newer = with_new_post(blog)
        site.reset(newer)
        crawl(tmp_path, home, server=site, spider="updatecrawl", WARC=True)
        assert kept_titles(tmp_path, home) == titles(newer, site.url)

        crawl(tmp_path, home, server=site, WARC=True)
        assert kept_titles(tmp_path, home) == titles(newer, site.url)

        done = reextract(tmp_path, home, "--forget", site.url + blog.path(post), "title", server=site)
        assert done.code == 0
        assert set(kept_titles(tmp_path, home).values()) == {deck(one) for one in newer.posts}


@pytest.mark.slow
def test_what_nobody_corrects_stays_as_it_is(tmp_path):
    posts = make_posts(14)
    blog = Blog(posts, in_feed=5)
    with serve(blog) as site:
        first, second = blog.path(posts[8]), f"{blog.path(posts[8])}2/"
        page = blog.page(posts[8])
        beginning, middle, end = (f"<p>{text}</p>" for text in posts[8].paragraphs)
        pager = f'<p class="pages"><a href="{first}">1</a> <a href="{second}">2</a></p>'
        site.routes[first] = Reply(page.replace(f"{middle}\n{end}", "").replace("</div>", f"{pager}</div>"))
        site.routes[second] = Reply(page.replace(f"{beginning}\n", "").replace("</div>", f"{pager}</div>"))
        home = f"{site.url}/"
        crawl(tmp_path, home, server=site, WARC=True)
        before = contents(tmp_path, home)
        assert any(posts[8].paragraphs[2] in text for text in before)
        for arguments in ((), ("--keep-rules",)):
            done = reextract(tmp_path, home, *arguments, server=site)
            assert (done.code, done.stdout) == (0, "0 changed, 14 unchanged; nothing was fetched.\n")
            assert not done.requests
            assert contents(tmp_path, home) == before


@pytest.mark.slow
def test_without_warc_files_there_are_the_pages_that_were_learned_from(tmp_path):
    blog = decked(18)
    with archived(tmp_path, blog, WARC=False) as site:
        home, post = f"{site.url}/", blog.posts[0]
        done = reextract(tmp_path, home, "--correct", site.url + blog.path(post), "title", HEADLINE)
        assert done.code == 0
        found = kept_titles(tmp_path, home)
        right = [url for url, title in titles(blog, site.url).items() if found[url] == title]
        assert 5 <= len(right) < 18
        assert f"{len(right)} changed" in done.stdout
        assert f"{18 - len(right)} not extracted again: The archive has no page of …" in done.stdout


@pytest.mark.slow
def test_a_damaged_page_is_told_and_costs_no_other(tmp_path):
    blog = decked()
    with archived(tmp_path, blog) as site:
        home = f"{site.url}/"
        with opened(tmp_path) as archive:
            record = archive.record(home, site.url + blog.path(blog.posts[8]))
        name, _, offset = record.provenance.warc.partition("#")
        file = tmp_path / "archive" / "warc" / name
        data = bytearray(file.read_bytes())
        data[int(offset) : int(offset) + 40] = b"x" * 40
        file.write_bytes(data)
        done = reextract(tmp_path, home, "--correct", site.url + blog.path(blog.posts[1]), "title", HEADLINE)
        assert done.code == 0
        assert "8 changed" in done.stdout
        assert "1 not extracted again" in done.stdout
        assert "blogcrawler verify" in done.stdout


@pytest.mark.slow
def test_files_that_a_corrected_article_shows_are_asked_for_by_the_next_update(tmp_path):
    blog = Blog(make_posts(6), in_feed=6)
    picture = '<div class="picture"><img src="/a.png" alt=""></div>'
    with serve(blog) as site:
        for post in blog.posts:
            page = blog.page(post).replace('<div class="text">', f'{picture}<div class="text">')
            site.routes[blog.path(post)] = Reply(page)
        site.routes["/a.png"] = Reply("\x89PNG\r\n\x1a\n picture", content_type="image/png")
        home, url = f"{site.url}/", site.url + blog.path(blog.posts[2])
        crawl(tmp_path, home, server=site, WARC=True, MEDIA=True)
        with opened(tmp_path) as archive:
            if archive.record(home, url).media:
                pytest.skip("the article has the picture already")
        done = reextract(tmp_path, home, "--correct", url, "content", "//article", MEDIA="True")
        assert done.code == 0, done.stderr
        assert "that the new records contain" in done.stdout
        with opened(tmp_path) as archive:
            assert url in LatePosts(archive, home, LATE_MEDIA)
            (file,) = archive.record(home, url).media
            assert (file.url, file.path, file.role) == (f"{site.url}/a.png", None, "image")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder, blog = tmp_path_factory.mktemp("crawled"), decked()
    with archived(folder, blog) as site:
        yield folder, f"{site.url}/", site.url + blog.path(blog.posts[3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("http://nobody.example.org/",), 1, "has no blog at"),
        (("{home}", "--correct", "{home}none/", "title", "//h1"), 2, "has no post"),
        (("{home}", "--correct", "{post}", "mood", "//h1"), 2, "No field 'mood' can be corrected"),
        (("{home}", "--correct", "{post}", "title", "//h9"), 2, "selects 0 elements"),
        (("{home}", "--correct", "{post}", "title", "//p"), 2, "it must select one"),
        (("{home}", "--correct", "{post}", "title", "//h1["), 2, "is not a valid XPath expression"),
        (("{home}", "--correct", "{post}", "title", "count(//p)"), 2, "selects 0 elements"),
        (("{home}", "--correct", "{post}", "published", "//h1"), 2, "contains nothing that could be a date"),
        (("{home}", "--forget", "{post}", "tags"), 2, "has no correction"),
        (("{home}", "--keep-rules", "--forget", "{post}", "tags"), 2, ": --keep-rules cannot be combined"),
        ((), 2, "Name one blog"),
        (("ftp://x/",), 2, "cannot be used"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(crawled, arguments, code, sentence):
    folder, home, post = crawled
    before = contents(folder, home)
    done = reextract(folder, *(part.format(home=home, post=post) for part in arguments))
    assert done.code == code
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert contents(folder, home) == before


@pytest.mark.slow
def test_a_blog_that_is_being_crawled_is_left_alone(crawled):
    folder, home, _ = crawled
    hold = Hold(f"sqlite:///{folder / DATABASE}")
    hold.take(home)
    try:
        done = reextract(folder, home)
    finally:
        hold.close()
    assert done.code == 1
    assert "is being crawled" in done.sentences[0]


def test_a_field_is_replaced_only_once_a_page_was_found(tmp_path):
    """A record whose page is gone stays whole."""
    from blogcrawler.items import Provenance, Record
    from blogcrawler.reextraction import ArchivedPages
    from blogcrawler.reextraction.posts import reextract
    from blogcrawler.wrapper import learn
    from tests.wrapper.pages import examples, modern

    record = Record("http://a.example.org/", "http://a.example.org/1", title="T", content_text="x")
    with Archive.open(f"sqlite:///{tmp_path}/a.db") as archive:
        from datetime import UTC, datetime

        lost = replace(record, provenance=Provenance(warc="none.warc.gz#0", sha256="0" * 64))
        archive.save_record(lost, now=datetime.now(UTC))
        archive.save_wrapper(record.blog, learn(examples(modern)).to_dict())
        with ArchivedPages(archive, record.blog, tmp_path) as pages:
            outcome = reextract(archive, record.blog, pages)
        assert (outcome.changed, outcome.same, list(outcome.left)) == (0, 0, [record.url])
        assert archive.record(record.blog, record.url).title == "T"
