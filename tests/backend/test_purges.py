"""What was removed on request: how it is taken out of the tables, and recognised when it comes again."""

from __future__ import annotations

import html
import json
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from blogcrawler.backend import Archive, FileStore, path_of
from blogcrawler.backend.passages import WORDS, all_parts, parts_of, person_of
from blogcrawler.backend.purges import PurgeRow, Removed
from blogcrawler.errors import RemovedOnRequest
from blogcrawler.items import Comment, Entry, Media, Page, Record
from tests.archives import save_records
from tests.backend import earlier

HOME = "http://blog.example.org/"
URL = f"{HOME}2014/a-post/"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
TEXT = "The needle goes behind the stitch below and comes back through its own loop, and then it is pulled tight twice."
LICENCE = "All that is written here may be copied by everybody who names this blog and who wrote it."
OTHER = "A press of the kind that stands in the cellar wants oil once a month and a dry floor all the time."
SHARED, OWN = "11" * 32, "22" * 32


def a_record(url=URL, text=TEXT, **fields):
    html_text = f"<p>{text}</p><p>{LICENCE}</p>"
    record = Record(HOME, url, title="A post", content_html=html_text, content_text=f"{text}\n\n{LICENCE}", **fields)
    record.media = [
        Media(f"{HOME}{name}.png", path_of(sha256), sha256, "image/png", 3, "image")
        for name, sha256 in (("shared", SHARED), ("own", OWN))
        if name == "shared" or url == URL
    ]
    return record


def a_row(parts=frozenset(), **fields):
    values = {"key": Archive.key_of(URL), "kind": "post", "person": "", "blog": HOME, "url": URL, "addresses": []}
    return PurgeRow(**values | fields, passages=b"".join(sorted(parts)), reason=None, asked=NOW)


@pytest.fixture
def kept(archive):
    """An archive of a post, of one beside it, and of what crawls have left of both."""
    comment = Comment(id="1", content_html="<p>I said the alphabet aloud while pulling, and my cat left the room.</p>")
    save_records(archive, [a_record(comments=[comment]), a_record(f"{HOME}b/", OTHER)], now=NOW)
    archive.save_record(a_record(text=f"{TEXT} Never more."), now=NOW)
    archive.save_record(a_record(text=TEXT), now=NOW)
    pages = {URL: TEXT, f"{HOME}b/": f"{OTHER} Older: {TEXT}", f"{HOME}c/": OTHER}
    for url, text in pages.items():
        archive.save_training_page(HOME, Page(url, f"<p>{text}</p>".encode(), "text/html"), Entry(url))
    entries = {Archive.key_of(url): Entry(url, content_html=f"<p>{text}</p>") for url, text in pages.items()}
    archive.save_source_entries(HOME, entries)
    late = {"waiting": [[URL, 1, None], [f"{HOME}b/", 0, None]], "in_vain": 2}
    archive.save_source_state(HOME, "late media", late)
    archive.save_crawl_state(HOME, {"entries": {Archive.key_of(URL): {"url": URL, "content_html": TEXT}}, "said": TEXT})
    return archive


def removed_of(archive):
    erasure = archive.erasure(HOME, [Archive.key_of(URL)])
    return erasure, Removed([a_row(erasure.parts())])


def test_a_post_is_taken_out_of_all_tables(kept, archive_url):
    erasure, removed = removed_of(kept)
    counted = erasure.counted(removed)
    assert counted == {
        "post": 1,
        "earlier version": 2,
        "entry of a feed or another source": 2,
        "page used to learn the rules": 2,
    }
    erasure.erase(removed, erasure.files())
    assert [record.url for record in kept.records(HOME)] == [f"{HOME}b/"]
    assert [page.url for page, _ in kept.load_training_pages(HOME)] == [f"{HOME}c/"]
    assert list(kept.source_entry_urls(HOME).values()) == [f"{HOME}c/"]
    assert kept.load_source_state(HOME, "late media") == {"waiting": [[f"{HOME}b/", 0, None]], "in_vain": 2}
    assert kept.load_crawl_state(HOME) == {"entries": {}, "said": ""}
    engine = earlier.engine(archive_url)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM post_version")).scalar() == 0
    engine.dispose()
    kept.compact()
    assert kept.queries.search("needle", most=5)[0] == 0
    assert kept.queries.search("press", most=5)[0] == 1


def test_files_of_other_posts_stay(kept):
    erasure, _ = removed_of(kept)
    assert [(file.url, file.path) for file in erasure.files()] == [(f"{HOME}own.png", path_of(OWN))]


def test_a_deleted_file_is_gone_and_may_be_deleted_again(tmp_path):
    files = FileStore(tmp_path)
    path = files.put(b"a picture").path
    files.delete(path)
    files.delete(path)
    assert list(files.listed()) == []


def test_a_removed_post_is_not_saved_again(kept):
    erasure, removed = removed_of(kept)
    kept.purges.save(removed.rows[0])
    erasure.erase(removed, [])
    kept.purges.finish(removed.rows[0], now=NOW)
    kept._removed.clear()
    for url in (URL, URL.replace("http:", "https:"), URL.rstrip("/"), f"{HOME}moved/"):
        with pytest.raises(RemovedOnRequest):
            kept.save_record(a_record(url), now=NOW)
    assert kept.save_record(a_record(f"{HOME}d/", f"{OTHER} It is new."), now=NOW) == "new"
    (row,) = kept.purges.all()
    assert row.finished == NOW
    assert TEXT.split()[1] not in json.dumps([row.url, row.addresses])


def test_a_removed_post_is_refused_by_all_blogs_and_its_text_by_its_own(archive):
    archive.purges.save(a_row(parts_of([TEXT]), blog="http://blog.example.org/first/"))
    archive.purges.save(a_row(kind="blog", key="other.example.org/", blog="http://other.example.org/"))
    removed = archive.removed(HOME)
    assert removed.has(URL)
    assert not removed.has("http://other.example.org/a/")
    assert not removed.quotes(TEXT.encode(), "text/html")
    assert not removed.has_record(a_record(f"{HOME}d/"))


def test_what_other_posts_say_is_theirs(kept):
    _, removed = removed_of(kept)
    assert removed.quotes(f"<p>{TEXT}</p>".encode(), "text/html")
    assert not removed.quotes(f"<p>{LICENCE}</p>".encode(), "text/html")


QUOTED = TEXT.split()


@pytest.mark.parametrize(
    "document",
    [
        f"<div><a href='/x'>{TEXT}</a></div>",
        html.escape(f"<p>{TEXT}</p>"),
        html.escape(html.escape(f"<p>“{TEXT}”</p>")),
        f"<rss><description><![CDATA[<p>{TEXT}</p>]]></description></rss>",
        json.dumps({"content": f"<p>{TEXT}</p>\n"}).replace("<", "\\u003c"),
        f'<meta property="og:description" content="{TEXT}">',
        f"<p>The <b>nee</b>dle {' '.join(QUOTED[2:])}</p>",
        " ".join(QUOTED[:WORDS]),
        f"other words {' '.join(QUOTED[1 : 2 * WORDS])} and others",
    ],
)
def test_a_quotation_is_recognised_however_it_is_written(document):
    assert not parts_of([f"<p>{TEXT}</p>"]).isdisjoint(all_parts(document))


@pytest.mark.parametrize("document", ["", " ".join(QUOTED[1:WORDS]), " ".join(reversed(QUOTED)), OTHER])
def test_what_is_no_quotation(document):
    assert parts_of([TEXT]).isdisjoint(all_parts(document))


def test_a_text_without_spaces_is_recognised():
    text = "この結び目にちなんで名付けられた場所について、私はまだ一度も書いたことがない。"
    assert not parts_of([text]).isdisjoint(all_parts(f"<p>昨日、{text[:25]}と書いた</p>"))


def test_documents_in_other_encodings_and_of_no_text():
    text = "Der Frühling läßt sein blaues Band wieder flattern durch die Lüfte, süße wohlbekannte Düfte"
    removed = Removed([a_row(parts_of([text]))])
    assert removed.quotes(text.encode("latin-1"), "text/html; charset=iso-8859-1")
    assert removed.quotes(text.encode("cp1252"), None)
    assert not removed.quotes(text.encode(), "image/png")


def test_the_comments_of_a_person_are_taken_out(archive):
    said = [
        Comment(id="1", author="Ann", content_text="A word."),
        Comment(
            id="2",
            parent="1",
            author="Bob  Hill",
            content_text="Of no use at all, since I have seen it before, as everybody has.",
        ),
        Comment(id="3", parent="2", author="bob hill.", content_text="So it is."),
        Comment(id="4", parent="3", author="Bobby Hill", content_text="Is it?"),
    ]
    post = a_record(comments=said)
    archive.save_record(post, now=NOW)
    archive.save_record(a_record(text=OTHER, comments=said), now=NOW)
    erasure = archive.comments_erasure(HOME, person_of("BOB HILL"))
    row = a_row(erasure.parts(), kind="comments", person=person_of("Bob Hill"), key=Archive.key_of(HOME))
    removed = Removed([row])
    assert removed.quotes(b"<p>Bob <b>Hill</b></p>", "text/html")
    assert not removed.quotes(b"<p>Bobby Hill</p>", "text/html")
    assert not removed.has(URL)
    assert erasure.counted(removed) == {"comment": 2, "record with such comments": 1}
    erasure.erase(removed, [])
    archive.purges.save(row)
    archive._removed.clear()
    left = [("1", None), ("4", "1")]
    (version,) = archive.versions(HOME, URL)
    for record in (archive.record(HOME, URL), version.record):
        assert [(one.id, one.parent) for one in record.comments] == left
    assert list(archive.altered_posts()) == []
    archive.save_record(a_record(text=OTHER, comments=said), now=NOW)
    assert [(one.id, one.parent) for one in archive.record(HOME, URL).comments] == left
