"""Posts from WordPress's REST API, as its servers answer it."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.feeds.sources import Answer, WordPressPosts, api_root
from tests.feeds.sources.server import SITE, post, read

ROOT = f"{SITE}/wp-json/"


def item(number: int, **more: object) -> dict[str, object]:
    return {
        "id": number,
        "link": post(number),
        "guid": {"rendered": f"{SITE}/?p={number}"},
        "title": {"rendered": f"Post &#8211; {number}"},
        "content": {"rendered": "<p>Words.</p>", "protected": False},
        "date": "2014-05-02T12:00:00",
        "date_gmt": "2014-05-02T10:00:00",
        "modified": "2014-05-03T12:00:00",
        "modified_gmt": "2014-05-03T10:00:00",
        "_embedded": {
            "author": [{"name": "Ann Archer"}],
            "wp:term": [[{"name": "Travel &amp; food"}], [{"name": "sea"}, {"name": "Sea"}]],
        },
        **more,
    }


def server(total: int, largest: int = 100):
    def answer(url: str) -> Answer:
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        size, page = int(query["per_page"]), int(query["page"])
        if size > largest:
            return Answer(url, 502)
        pages = -(-total // size)
        if page > max(1, pages):
            return Answer(url, 400, b'{"code":"rest_post_invalid_page_number"}')
        numbers = range(total - (page - 1) * size, max(0, total - page * size), -1)
        headers = {"x-wp-total": str(total), "x-wp-totalpages": str(pages)}
        return Answer(url, 200, json.dumps([item(number) for number in numbers]).encode(), headers=headers)

    return answer


def test_all_posts_in_pages_of_a_hundred() -> None:
    source = WordPressPosts(ROOT)
    reading = read(source, server(250))
    assert reading.posts == [post(number) for number in range(250, 0, -1)]
    assert (len(reading.asked), source.total, source.outcome) == (3, 250, "whole")


@pytest.mark.parametrize("beyond", [b"[]", None])
def test_without_totals_a_short_page_is_not_the_last(beyond: bytes | None) -> None:
    whole = server(120, largest=100)

    def capped(url: str) -> Answer:
        answer = whole(url.replace("per_page=100", "per_page=50"))
        if answer.status == 400 and beyond is not None:
            return Answer(url, 200, beyond)
        return Answer(url, answer.status, answer.body)

    source = WordPressPosts(ROOT)
    reading = read(source, capped)
    assert reading.posts == [post(number) for number in range(120, 0, -1)]
    assert source.outcome == "whole"


def test_what_an_entry_says() -> None:
    (entry,) = read(WordPressPosts(ROOT), server(1)).entries
    assert (entry.url, entry.guid, entry.title) == (post(1), f"{SITE}/?p=1", "Post – 1")
    assert (entry.authors, entry.tags) == (("Ann Archer",), ("Travel & food", "sea"))
    assert (entry.published, entry.updated) == ("2014-05-02T12:00:00+02:00", "2014-05-03T12:00:00+02:00")
    assert (entry.content_html, entry.is_summary, entry.is_synthetic) == ("<p>Words.</p>", False, False)


@pytest.mark.parametrize(
    ("local", "utc", "published"),
    [
        ("2014-05-02T12:00:00", "", "2014-05-02T12:00:00"),
        ("", "2014-05-02T10:00:00", "2014-05-02T10:00:00+00:00"),
        ("2014-05-02T15:45:00", "2014-05-02T10:00:00", "2014-05-02T15:45:00+05:45"),
        ("2014-05-02T10:00:01", "2014-05-02T10:00:00", "2014-05-02T10:00:00+00:00"),
        ("2014-05-02T10:00:00", "0000-00-00T00:00:00", "2014-05-02T10:00:00"),
        ("soon", "later", None),
    ],
)
def test_times(local, utc, published) -> None:
    body = json.dumps([item(1, date=local, date_gmt=utc)]).encode()
    (entry,) = WordPressPosts(ROOT).take(Answer(ROOT, 200, body)).entries
    assert entry.published == published


def test_posts_that_ask_for_a_password_have_no_content() -> None:
    body = json.dumps([item(1, content={"rendered": "", "protected": True})]).encode()
    (entry,) = WordPressPosts(ROOT).take(Answer(ROOT, 200, body)).entries
    assert entry.content_html is None


def test_the_answer_names_the_posts_that_are_asked_for() -> None:
    assert (WordPressPosts(ROOT).next_url or "").startswith(
        f"{SITE}/wp-json/wp/v2/posts?per_page=100&page=1&_fields=id,"
    )
    url = WordPressPosts(f"{SITE}/index.php?rest_route=/&lang=de").next_url or ""
    assert url.startswith(f"{SITE}/index.php?rest_route=/wp/v2/posts&lang=de&per_page=100&page=1&")


def test_a_server_that_breaks_at_large_pages_is_asked_for_small_ones() -> None:
    source = WordPressPosts(ROOT)
    reading = read(source, server(50, largest=20))
    assert (len(reading.posts), len(reading.asked), source.outcome) == (50, 4, "whole")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(ROOT, 401, b'{"code":"rest_not_logged_in"}'),
        Answer(ROOT, 403, b"<html>Forbidden</html>"),
        Answer(ROOT, 404),
        Answer(ROOT, 200, b"<html>A page</html>"),
        Answer(ROOT, 200, b'{"code":"rest_disabled"}'),
        Answer(ROOT, 200, b"[]"),
        Answer(ROOT, 200, b'[1, "x", null, {"link": 5}, {"link": "javascript:1"}]'),
        None,
    ],
)
def test_an_api_that_gives_nothing_is_none(answer) -> None:
    source = WordPressPosts(ROOT)
    assert read(source, lambda url: answer).posts == []
    assert source.outcome in ("absent", "partial", "whole")
    assert not source.total


def test_fewer_than_announced_is_not_all() -> None:
    source = WordPressPosts(ROOT)
    headers = {"x-wp-total": "9", "x-wp-totalpages": "1"}
    read(source, lambda url: Answer(url, 200, json.dumps([item(1)]).encode(), headers=headers))
    assert (source.outcome, source.total) == ("partial", 9)


def test_an_api_that_repeats_itself_is_left() -> None:
    source = WordPressPosts(ROOT)
    headers = {"x-wp-total": "900", "x-wp-totalpages": "9"}
    assert len(read(source, lambda url: Answer(url, 200, json.dumps([item(1)]).encode(), headers=headers)).asked) == 2
    assert source.outcome == "partial"


def test_warnings_before_the_answer() -> None:
    body = b"<br /><b>Notice</b>: Undefined index\n" + json.dumps([item(1)]).encode()
    assert len(WordPressPosts(ROOT).take(Answer(ROOT, 200, body)).entries) == 1


def test_other_kinds_and_states_are_left_out() -> None:
    body = json.dumps([item(1), item(2, status="private"), item(3, type="page")]).encode()
    assert [entry.url for entry in WordPressPosts(ROOT).take(Answer(ROOT, 200, body)).entries] == [post(1)]


class TestRoot:
    def test_in_the_header(self) -> None:
        headers = ['<http://example.org/wp-json/>; rel="https://api.w.org/", <http://example.org/?p=1>; rel=shortlink']
        assert api_root(None, f"{SITE}/", headers) == ROOT
        assert api_root(None, f"{SITE}/", [", ".join(['<http://example.org/?p=1>; rel="shortlink"', *headers])]) == ROOT

    def test_in_the_page(self) -> None:
        tree = parse(b'<html><head><link rel="https://api.w.org/" href="/wp-json/"></head><body>x</body></html>')
        assert api_root(tree, f"{SITE}/a") == ROOT

    def test_without(self) -> None:
        assert api_root(parse(b"<html><body><a href=/wp-json/>x</a></body></html>"), SITE, ["<a>; rel=next"]) is None

    @settings(max_examples=50, deadline=None)
    @given(st.text(max_size=100))
    def test_any_header(self, text) -> None:
        api_root(None, SITE, [text, f'<{text}>; rel="https://api.w.org/"'])


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(body) -> None:
    read(WordPressPosts(ROOT), lambda url: Answer(url, 200, body), most=5)
    read(WordPressPosts(ROOT), lambda url: Answer(url, 200, b"[" + body), most=5)


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["link", "title", "rendered", "_embedded", "author", "name", "date", "wp:term", "content"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json(value) -> None:
    body = json.dumps([item(1, _embedded=value, title=value, date=value), value]).encode()
    WordPressPosts(ROOT).take(Answer(ROOT, 200, body))


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 250), st.integers(0, 4))
def test_it_goes_on_after_the_process_died(total, dies_after) -> None:
    answer, source, posts = server(total), WordPressPosts(ROOT), list[str]()
    for _ in range(dies_after):
        if (url := source.next_url) is not None:
            posts += [entry.url for entry in source.take(answer(url)).entries]
    other = WordPressPosts(ROOT, posts)
    other.resume(json.loads(json.dumps(source.state)))
    posts += read(other, answer).posts
    assert posts == [post(number) for number in range(total, 0, -1)]
    assert (other.outcome, other.total) == ("whole", total)
