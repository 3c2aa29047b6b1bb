"""What the web says is kept, and found again, in either database."""

from __future__ import annotations

import random
import string
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import Archive, Failed, FeedState, KeptMedia
from blogcrawler.items import Comment, Entry, FieldSource, Media, Page, Provenance, Record
from tests.archives import save_records
from tests.backend.test_archive import HOME, LATER, NOW, a_record, a_row

LONG = "".join(random.Random(1).choices(string.ascii_lowercase, k=10_000))
"""Which no database can make shorter; PostgreSQL indexes 2704 bytes."""
ODD = {"NUL": "a\0b", "half a pair": "a\ud83dc", "long": LONG, "long, in Chinese": "\u6c34\u8336" * 2000}


@pytest.fixture(params=ODD.values(), ids=ODD)
def odd(request):
    return request.param


def plain(text):
    return text.replace("\0", "").replace("\ud83d", "?")


def test_what_a_blog_and_its_feed_say(archive, odd):
    archive.save_blog(HOME, title=odd, language=odd)
    archive.save_feed_state(HOME, FeedState(HOME + odd, odd, odd))
    archive.save_wrapper(HOME, {odd: [odd]})
    archive.finish_crawl(HOME, now=NOW, reason=odd)
    (blog,) = archive.blogs()
    assert (blog.title, blog.language, blog.crawl_reason) == (plain(odd), plain(odd), plain(odd))
    assert archive.load_feed_state(HOME) == FeedState(plain(HOME + odd), plain(odd), plain(odd))
    assert archive.load_wrapper(HOME) == {odd: [odd]}


def test_addresses_of_blogs(archive, odd):
    archive.save_addresses(HOME, [HOME, HOME + odd])
    assert archive.find_blog(HOME + odd) == HOME
    assert archive.find_blog(HOME + odd + "x") is None
    assert archive.blog(f"http://other.org/{odd}").id == archive.blog(f"http://other.org/{odd}").id != 1


def test_addresses_that_are_wanted(archive, odd):
    url = HOME + odd
    assert [archive.register.want({archive.key_of(url): url}, now=NOW) for _ in range(2)] == [1, 0]
    assert [one.url for one in archive.register.wanted()] == [plain(url)]
    archive.register.unwant([archive.key_of(url)])
    assert archive.register.wanted() == []


def test_what_sources_say(archive, odd):
    archive.save_source_entries(HOME, {odd: Entry(HOME, title=odd, tags=(odd,)), "b": Entry(f"{HOME}b")})
    archive.save_source_entries(HOME, {odd: Entry(HOME, title=f"{odd}!")})
    assert sorted(archive.source_entry_urls(HOME).values()) == [HOME, f"{HOME}b"]
    assert archive.source_entry(HOME, odd).title == f"{plain(odd)}!"
    archive.save_source_state(HOME, odd, {odd: odd})
    assert list(archive.load_source_states(HOME).values()) == [{odd: odd}]


def test_pages_that_rules_are_learned_from(archive, odd):
    page = Page(HOME + odd, b"\0", odd, 200, NOW.isoformat())
    for title in ("one", odd):
        archive.save_training_page(HOME, page, Entry(HOME, title=title))
    ((kept, entry),) = archive.load_training_pages(HOME)
    assert (kept.body, kept.content_type, entry.title) == (b"\0", plain(odd), odd)
    archive.forget_training_pages(HOME, url=page.url)
    assert archive.load_training_pages(HOME) == []


def test_pages_come_in_one_order_whenever_they_were_kept(archive):
    """As what is learned of them may depend on it."""
    for path in "bca":
        archive.save_training_page(HOME, Page(HOME + path, b"", None, 200, None), Entry(HOME + path))
    archive.save_training_page(HOME, Page(f"{HOME}a", b"again", None, 200, None), Entry(f"{HOME}a"))
    assert [page.url for page, _ in archive.load_training_pages(HOME)] == [HOME + path for path in "abc"]


def test_a_frontier(archive, odd):
    store, url = archive.frontier_store(HOME), HOME + odd
    store.save([a_row("k", url=url, found_on=url, marks=odd, hints=odd, reason=odd)])
    said = {"url": plain(url), "found_on": plain(url), "marks": plain(odd), "hints": plain(odd), "reason": plain(odd)}
    assert list(store.load()) == [a_row("k", **said)]


def test_what_could_not_be_had(archive, odd):
    failures, files = archive.failures(HOME), archive.media_files(HOME)
    for moment in (NOW, LATER):
        failures.note([Failed(HOME + odd, odd, moment)])
        files.save(KeptMedia(HOME + odd, moment, error=odd))
    failed, file = failures.all(), list(files.all())
    assert [(one.reason, one.last_failed) for one in failed] == [(plain(odd), LATER)]
    assert [(one.error, one.tried) for one in file] == [(plain(odd), LATER)]
    assert files.find(HOME + odd).tried == LATER


def test_posts(archive, odd):
    url = HOME + odd
    record = a_record(url=url, title=odd, guid=odd, authors=[odd], content_text=odd, content_html=odd, language=odd)
    assert [archive.save_record(record, now=NOW) for _ in range(2)] == ["new", "same"]
    kept = archive.record(HOME, url)
    assert (kept.url, kept.title, kept.authors) == (plain(url), plain(odd), [plain(odd)])
    assert archive.save_record(replace(record, title="T", source=None), now=LATER) == "changed"
    assert [version.record.title for version in archive.versions(HOME, url)] == [plain(odd)]
    assert archive.move(HOME, url, f"{url}z", now=LATER) is False
    assert archive.mark_gone(HOME, f"{url}z", now=LATER)
    assert list(archive.gone(HOME)) == [plain(f"{url}z")]
    assert list(archive.altered_posts()) == []
    assert archive.queries.search(odd[:200], most=2)[0] in (0, 1)
    assert archive.queries.listed(archive.blog(HOME).id, odd, most=2) == []


def test_what_a_record_lacks_is_told_whatever_its_provenance_says(archive, odd):
    fields = {"content": FieldSource("rule", rule=odd, confidence=0.5)}
    archive.save_record(a_record(provenance=Provenance(generator=odd, fields=fields), authors=[]), now=NOW)
    (lacking,) = archive.lacking(HOME)
    assert "authors" in lacking.empty
    (kept,) = archive.records(HOME)
    assert (kept.provenance.generator, kept.provenance.fields["content"].rule) == (plain(odd), plain(odd))


def test_two_long_addresses_that_begin_alike_are_two_posts(archive):
    urls = [f"{HOME}{LONG}{end}" for end in "ab"]
    assert save_records(archive, [a_record(url=url) for url in urls], now=NOW) == ["new", "new"]
    assert [archive.record(HOME, url).url for url in urls] == urls


def test_a_number_of_comments_that_no_post_has_is_none(archive):
    assert archive.save_record(a_record(comment_count=10**12), now=NOW) == "new"
    assert archive.save_record(a_record(comment_count=10**12), now=NOW) == "same"
    assert [record.comment_count for record in archive.records(HOME)] == [None]


def test_five_megabytes(archive):
    numbers = random.Random(2)
    said = " ".join(f"{numbers.random()}" for _ in range(270_000))
    record = a_record(
        title="kettle " * 100, content_text=said, content_html=said, comments=[Comment("c", content_text=said)]
    )
    assert archive.save_record(record, now=NOW) == "new"
    assert list(archive.records(HOME)) == [record]
    assert archive.queries.search("kettle", most=1)[0] == 1


@pytest.mark.parametrize("published", ["0001-01-01", "9999-12-31T23:59:59-12:00", "2014-05", None])
def test_days_at_the_ends_of_the_calendar(archive, published):
    archive.save_record(a_record(published=published), now=NOW)
    assert [record.published for record in archive.records(HOME)] == [published]
    assert len(archive.queries.listed(archive.blog(HOME).id, (published or "")[:7], most=2)) == 1


@pytest.mark.parametrize(
    ("moment", "posts"),
    [
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9))), 1),
        (datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-9))), 0),
    ],
)
def test_times_that_utc_does_not_have(archive, moment, posts):
    archive.save_record(a_record(), now=NOW)
    assert len(archive.changed_since(HOME, moment)) == posts


def test_the_time_zone_of_the_server_changes_nothing(postgresql_server):
    with postgresql_server.database() as url:
        name = url.rpartition("/")[2]
        postgresql_server.execute(f"ALTER DATABASE {name} SET timezone = 'Asia/Tokyo'")
        postgresql_server.execute(f"ALTER DATABASE {name} SET datestyle = 'German'")
        with Archive.open(url) as archive:
            archive.save_record(a_record(published="2014-05-02T23:30:00-08:00"), now=NOW)
            (post,) = archive.posts(HOME)
            assert (post.first_seen, post.record.published) == (NOW, "2014-05-02T23:30:00-08:00")
            assert archive.urls(HOME, since=NOW) == [post.record.url]


TEXTS = st.text(max_size=30)
MAYBE = st.none() | TEXTS
SHARES = st.floats(0, 1)
RECORDS = st.builds(
    Record,
    blog=st.just(HOME),
    url=TEXTS,
    guid=MAYBE,
    title=MAYBE,
    authors=st.lists(TEXTS, max_size=3),
    published=MAYBE,
    updated=MAYBE,
    tags=st.lists(TEXTS, max_size=3),
    language=MAYBE,
    content_html=MAYBE,
    content_text=MAYBE,
    comments=st.lists(
        st.builds(Comment, id=MAYBE, parent=MAYBE, author=MAYBE, author_url=MAYBE, published=MAYBE, content_text=MAYBE),
        max_size=3,
    ),
    comment_count=st.none() | st.integers(0, 2**33),
    media=st.lists(
        st.builds(Media, url=TEXTS, path=MAYBE, bytes=st.none() | st.integers(0, 2**50), error=MAYBE), max_size=2
    ),
    provenance=st.builds(
        Provenance,
        fetched=MAYBE,
        status=st.none() | st.integers(0, 999),
        generator=MAYBE,
        fields=st.dictionaries(
            st.sampled_from(["title", "content", "published"]),
            st.builds(FieldSource, source=st.just("rule"), rule=MAYBE, confidence=SHARES),
            max_size=2,
        ),
    ),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RECORDS, min_size=1, max_size=3))
def test_both_databases_keep_the_same(sqlite_url, postgresql_archive_url, records):
    """Of whatever comes in, also when it comes twice, changed, and is sought."""
    kept = []
    for url in (sqlite_url, postgresql_archive_url):
        with Archive.open(url) as archive:
            with archive.transaction() as connection:
                connection.exec_driver_sql("DELETE FROM blog")
            archive._blog_ids.clear()
            said = [archive.save_record(record, now=NOW) for record in records]
            again = [archive.save_record(record, now=LATER) for record in records]
            posts = [(post.record, post.first_seen, post.last_changed) for post in archive.posts(HOME)]
            old = [version.record for record in records for version in archive.versions(HOME, record.url)]
            lacking = list(archive.lacking(HOME))
            kept.append((said, again, posts, old, lacking, list(archive.altered_posts())))
    assert kept[0] == kept[1]
    assert not kept[0][-1]
