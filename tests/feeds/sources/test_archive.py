"""The archive of a feed is read to its end, and no further."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.feeds import parse_feed
from blogcrawler.feeds.sources import Answer, FeedArchive
from tests.feeds.sources.server import SITE, atom, post, read, rss, serve

FEED = f"{SITE}/feed/"
ALL = [post(number) for number in range(20, 15, -1)]


def archive(document: str, generators: tuple[str, ...] = (), url: str = FEED) -> FeedArchive:
    return FeedArchive(parse_feed(document.encode(), url), generators)


@pytest.mark.parametrize("write", [rss, atom])
def test_archive_documents_are_followed_to_the_first(write) -> None:
    source = archive(write([20, 19], {"prev-archive": f"{FEED}2", "current": FEED}))
    documents = {f"{FEED}2": write([18, 17], {"prev-archive": f"{FEED}1"}), f"{FEED}1": write([16])}
    assert read(source, serve(documents)).posts == ALL[2:]
    assert source.outcome == "whole"


@pytest.mark.parametrize("write", [rss, atom])
def test_pages_are_followed_to_the_last(write) -> None:
    source = archive(write([20, 19], {"next": "/feed/2", "last": "/feed/3"}))
    documents = {f"{SITE}/feed/2": write([18, 17], {"next": "/feed/3"}), f"{SITE}/feed/3": write([16])}
    assert read(source, serve(documents)).posts == ALL[2:]
    assert source.outcome == "whole"


def test_json_feeds_name_the_next_page() -> None:
    def write(numbers: list[int], following: str | None) -> str:
        items = [{"id": str(number), "url": post(number)} for number in numbers]
        feed = {"version": "https://jsonfeed.org/version/1.1", "title": "Blog", "items": items}
        return json.dumps({**feed, **({"next_url": following} if following else {})})

    source = archive(write([20, 19], f"{SITE}/2.json"))
    assert read(source, serve({f"{SITE}/2.json": write([18, 17, 16], None)})).posts == ALL[2:]
    assert source.outcome == "whole"


def test_a_complete_feed_needs_no_request() -> None:
    source = archive(atom([20, 19], extra="<fh:complete/>"))
    assert (source.next_url, source.outcome, source.is_short) == (None, "whole", True)


def test_a_feed_with_as_many_entries_as_it_announces_needs_no_request() -> None:
    assert archive(rss([20, 19], total=2)).outcome == "whole"


def test_without_a_link_and_known_software_there_is_no_archive() -> None:
    assert archive(rss([20, 19])).outcome == "absent"


class TestWordPress:
    GENERATOR = "https://wordpress.org/?v=6.1"

    def serve(self, url: str) -> Answer:
        page = int(parse_qs(urlsplit(url).query)["paged"][0])
        return Answer(url, *((404, b"") if page > 3 else (200, rss([20 - 2 * (page - 1)]).encode())))

    def test_pages_are_counted_until_one_is_not_found(self) -> None:
        source = archive(rss([20, 19], generator=self.GENERATOR))
        reading = read(source, self.serve)
        assert reading.posts == [post(18), post(16)]
        assert reading.asked == [f"{FEED}?paged={number}" for number in (2, 3, 4)]
        assert source.outcome == "whole"

    def test_the_pages_of_the_blog_may_name_the_software(self) -> None:
        assert archive(rss([20]), ("WordPress 6.1",)).next_url == f"{FEED}?paged=2"

    def test_a_parameter_of_the_feed_is_kept(self) -> None:
        source = archive(rss([20]), ("WordPress",), f"{SITE}/?feed=rss2")
        assert source.next_url == f"{SITE}/?feed=rss2&paged=2"

    def test_a_feed_that_always_answers_the_same_has_no_archive(self) -> None:
        source = archive(rss([20, 19]), ("WordPress",))
        assert len(read(source, lambda url: Answer(url, 200, rss([20, 19]).encode())).asked) == 1
        assert source.outcome == "absent"

    def test_a_last_page_that_repeats_itself_is_the_end(self) -> None:
        source = archive(rss([20]), ("WordPress",))
        assert read(source, lambda url: Answer(url, 200, rss([18]).encode())).posts == [post(18)]
        assert source.outcome == "whole"

    @pytest.mark.parametrize("body", [b"", b"<html><p>Nothing</p>", rss([]).encode()])
    def test_pages_without_entries_are_the_end(self, body) -> None:
        source = archive(rss([20]), ("WordPress",))
        bodies = iter([rss([19]).encode(), body])
        read(source, lambda url: Answer(url, 200, next(bodies)))
        assert source.outcome == "whole"

    @pytest.mark.parametrize("answer", [None, Answer(FEED, 500), Answer(FEED, 429)])
    def test_an_answer_that_fails_is_not_the_end(self, answer) -> None:
        source = archive(rss([20]), ("WordPress",))
        answers = iter([Answer(FEED, 200, rss([19]).encode()), answer])
        assert read(source, lambda url: next(answers)).posts == [post(19)]
        assert source.outcome == "partial"


class TestBlogger:
    GENERATOR = "Blogger"

    def serve(self, url: str, *, most: int = 100, total: int = 260) -> Answer:
        query = parse_qs(urlsplit(url).query)
        start, wanted = int(query["start-index"][0]), int(query["max-results"][0])
        numbers = [total + 1 - index for index in range(start, min(start + min(wanted, most), total + 1))]
        return Answer(url, 200, rss(numbers, total=total, generator=self.GENERATOR).encode())

    def test_steps_are_as_long_as_what_was_received(self) -> None:
        first = rss(range(260, 235, -1), {"next": f"{FEED}?start-index=26"}, self.GENERATOR, total=260)
        source = archive(first)
        assert source.is_short
        reading = read(source, self.serve)
        assert sorted(reading.posts) == sorted(post(number) for number in range(1, 236))
        assert [parse_qs(urlsplit(url).query)["start-index"][0] for url in reading.asked] == ["26", "126", "226", "261"]
        assert (source.outcome, source.total) == ("whole", 260)

    def test_fewer_than_announced_is_not_all(self) -> None:
        source = archive(rss(range(30, 5, -1), generator=self.GENERATOR, total=99))
        answers = iter([rss([5, 4]), rss([])])
        read(source, lambda url: Answer(url, 200, next(answers).encode()))
        assert (source.outcome, source.total) == ("partial", 99)


def test_lists_in_json() -> None:
    def item(number: int) -> dict[str, object]:
        return {
            "canonical_url": post(number),
            "title": f"Post {number}",
            "post_date": "2024-05-02T10:00:00.000Z",
            "publishedBylines": [{"name": "Ann Archer"}],
        }

    source = archive(rss([20, 19], generator="Substack"))
    pages = iter([[item(18), item(17)], []])
    reading = read(source, lambda url: Answer(url, 200, json.dumps(next(pages)).encode()))
    assert reading.posts == [post(18), post(17)]
    assert (reading.entries[0].title, reading.entries[0].authors) == ("Post 18", ("Ann Archer",))
    assert reading.entries[0].published == "2024-05-02T10:00:00+00:00"
    assert source.outcome == "whole"


class TestListsThatNameTheNext:
    GENERATOR = "Site-Server v6.0.0 (http://www.squarespace.com)"
    FEED = f"{SITE}/blog?format=rss"

    @staticmethod
    def page(numbers: list[int], following: int | None) -> bytes:
        items = [
            {
                "fullUrl": post(number).removeprefix(SITE),
                "title": f"Post {number}",
                "publishOn": 1714644000000,
                "author": {"displayName": "Ann Archer"},
                "tags": ["Birds", None, "Bees", ""],
                "body": "<p>All of it.</p>",
            }
            for number in numbers
        ]
        pagination = {"nextPage": True, "nextPageOffset": following} if following else {}
        return json.dumps({"items": items, "pagination": pagination}).encode()

    def test_they_are_read_from_the_first_on(self) -> None:
        source = archive(rss([20, 19], generator=self.GENERATOR), url=self.FEED)
        documents = {
            f"{SITE}/blog?format=json": self.page([20, 19], 1919),
            f"{SITE}/blog?format=json&offset=1919": self.page([18, 17], 1717),
            f"{SITE}/blog?format=json&offset=1717": self.page([16], None),
        }
        reading = read(source, serve(dict(documents)))
        assert (reading.posts, reading.asked) == (ALL[2:], list(documents))
        assert (source.outcome, reading.entries[0].content_html) == ("whole", "<p>All of it.</p>")
        assert (reading.entries[0].authors, reading.entries[0].tags) == (("Ann Archer",), ("Birds", "Bees"))
        assert reading.entries[0].published == "2024-05-02T10:00:00+00:00"

    def test_a_server_that_names_the_same_page_for_ever_is_left(self) -> None:
        source = archive(rss([20, 19], generator=self.GENERATOR), url=self.FEED)
        reading = read(source, lambda url: Answer(url, 200, self.page([20, 19], 1919)), most=5)
        assert (reading.posts, source.outcome) == ([], "absent")

    @pytest.mark.parametrize("body", [b"<html>no list</html>", b"[]", b'{"items": 3}', b'{"items": []}', b"{"])
    def test_a_server_without_such_lists(self, body: bytes) -> None:
        source = archive(rss([20, 19], generator=self.GENERATOR), url=self.FEED)
        reading = read(source, lambda url: Answer(url, 200, body), most=2)
        assert (reading.posts, source.outcome) == ([], "absent")


class TestTraps:
    def test_a_circle_of_links_is_left(self) -> None:
        source = archive(rss([20], {"next": f"{FEED}2"}))
        documents = {f"{FEED}2": rss([19], {"next": f"{FEED}3"}), f"{FEED}3": rss([18], {"next": f"{FEED}2"})}
        assert len(read(source, serve(documents)).asked) == 2

    def test_links_without_end_that_bring_nothing_are_left(self) -> None:
        source = archive(rss([20], {"next": f"{FEED}1"}))
        numbers = iter(range(2, 1000))
        read(source, lambda url: Answer(url, 200, rss([20], {"next": f"{FEED}{next(numbers)}"}).encode()), most=5)
        assert source.outcome == "absent"

    def test_a_document_that_repeats_the_feed_does_not_end_the_chain(self) -> None:
        source = archive(rss([20, 19], {"prev-archive": f"{FEED}may"}))
        documents = {f"{FEED}may": rss([20, 19], {"prev-archive": f"{FEED}april"}), f"{FEED}april": rss([18])}
        assert read(source, serve(documents)).posts == [post(18)]

    def test_links_to_other_sites_are_not_followed(self) -> None:
        assert archive(rss([20], {"next": "http://elsewhere.example/feed"})).outcome == "absent"

    def test_a_linked_document_that_is_gone_breaks_the_chain(self) -> None:
        source = archive(rss([20], {"prev-archive": f"{FEED}2"}))
        read(source, serve({f"{FEED}2": rss([19], {"prev-archive": f"{FEED}1"})}))
        assert source.outcome == "partial"

    def test_where_links_fail_the_software_is_tried(self) -> None:
        source = archive(rss([20], {"next": f"{FEED}2"}), ("WordPress",))
        assert read(source, serve({f"{FEED}?paged=2": rss([19])})).posts == [post(19)]

    @settings(max_examples=50, deadline=None)
    @given(
        st.lists(st.tuples(st.sampled_from([200, 200, 200, 301, 404, 429, 500]), st.binary(max_size=60)), max_size=30)
    )
    def test_whatever_is_answered_it_comes_to_an_end(self, answers) -> None:
        source = archive(rss([20], {"prev-archive": f"{FEED}2", "next": f"{FEED}b"}), ("Blogger",))
        waiting = iter(answers)

        def answer(url: str) -> Answer | None:
            told = next(waiting, None)
            return None if told is None else Answer(url, *told)

        assert read(source, answer, most=40).posts == []


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(2, 7), st.integers(0, 12))
def test_all_posts_are_read_however_long_the_pages_and_whenever_the_process_dies(total, size, dies_after) -> None:
    def answer(url: str) -> Answer:
        page = int(parse_qs(urlsplit(url).query)["paged"][0])
        numbers = range(total - (page - 1) * size, max(0, total - page * size), -1)
        return Answer(url, 200 if numbers else 404, rss(numbers).encode())

    newest = range(total, max(0, total - size), -1)
    source = archive(rss(newest), ("WordPress",))
    posts: list[str] = []
    for _ in range(dies_after):
        if (url := source.next_url) is not None:
            posts += [entry.url for entry in source.take(answer(url)).entries]
    other = FeedArchive(parse_feed(rss(newest).encode(), FEED), ("WordPress",), posts)
    other.resume(json.loads(json.dumps(source.state)))
    posts += read(other, answer).posts
    assert posts == [post(number) for number in range(total - size, 0, -1)]
    assert other.outcome == ("whole" if posts else "absent")


def test_the_feed_of_another_blog_is_no_archive() -> None:
    other = (
        rss([18, 17])
        .replace("<title>Blog</title>", "<title>Other</title>")
        .replace(f"{SITE}/</link>", f"{SITE}/o/</link>")
    )
    source = archive(rss([20, 19], {"prev-archive": f"{FEED}2"}))
    assert read(source, serve({f"{FEED}2": other})).posts == []
    assert source.outcome == "absent"
    renamed = rss([18, 17]).replace("<title>Blog</title>", "<title>Blog of 2014</title>")
    source = archive(rss([20, 19], {"prev-archive": f"{FEED}2"}))
    assert read(source, serve({f"{FEED}2": renamed})).posts == ALL[2:4], "a blog may have had another title"
