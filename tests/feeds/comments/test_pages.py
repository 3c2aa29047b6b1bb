"""The pages of a feed of comments, and what it tells of its completeness."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import pytest

from blogcrawler.feeds.comments import CommentPages, Post, has_more, parse_comments
from blogcrawler.feeds.comments.pages import MOST_DOCUMENTS
from blogcrawler.feeds.sources import Answer

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"
FEED = f"{POST}feed/"
WORDPRESS = "<generator>https://wordpress.org/?v=6.1</generator>"
BLOGGER = "<generator>Blogger</generator>"
SEARCH = 'xmlns:openSearch="http://a9.com/-/spec/opensearch/1.1/"'


def rss(numbers, head: str = "", post: str = POST) -> bytes:
    items = "".join(
        f"<item><title>By: A</title><link>{post}#comment-{n}</link><description>Text {n}</description></item>"
        for n in numbers
    )
    return (
        f'<rss version="2.0" xmlns:a="http://www.w3.org/2005/Atom" {SEARCH}><channel><link>{POST}</link>{head}'
        f"{items}</channel></rss>"
    ).encode()


class Server:
    """Answers with documents by page; counts what it was asked for."""

    def __init__(self, answer) -> None:
        self._answer = answer
        self.asked: list[str] = []

    def read(self, pages: CommentPages) -> CommentPages:
        while (url := pages.next_url) is not None:
            assert len(self.asked) < 500, "a feed without end"
            self.asked.append(url)
            body = self._answer(url)
            pages.take(body if isinstance(body, Answer) or body is None else Answer(url, 200, body))
        return pages


def ids(pages: CommentPages) -> list[str]:
    return [comment.id for comment in pages.comments]


def number(url: str, name: str, default: int) -> int:
    return int(parse_qs(urlsplit(url).query).get(name, [default])[0])


def test_a_feed_that_is_not_full_is_all():
    server = Server(lambda _: rss(range(9), WORDPRESS))
    pages = server.read(CommentPages(FEED, Post([POST])))
    assert (len(ids(pages)), pages.is_cut, pages.is_of_post, server.asked) == (9, False, True, [FEED])


@pytest.mark.parametrize(("count", "is_cut"), [(5, False), (9, False), (10, True), (11, False), (20, True)])
def test_a_feed_of_unknown_software_may_be_cut_where_it_holds_a_round_number(count, is_cut):
    server = Server(lambda _: rss(range(count)))
    assert server.read(CommentPages(FEED, Post([POST]))).is_cut == is_cut
    assert server.asked == [FEED]
    assert not server.read(CommentPages(FEED, Post([POST]), announced=count)).is_cut


def test_a_full_feed_goes_on_where_its_software_has_pages():
    def answer(url):
        page = number(url, "paged", 1)
        if page > 3:
            return Answer(url, 404)
        return rss(range(10 * page, 10 * page + 10), WORDPRESS)

    pages = Server(answer).read(CommentPages(FEED, Post([POST])))
    assert (len(ids(pages)), pages.is_cut, pages.has_made_pages) == (30, False, True)


def test_a_page_number_that_is_ignored_is_asked_for_once():
    server = Server(lambda _: rss(range(10), WORDPRESS))
    pages = server.read(CommentPages(FEED, Post([POST])))
    assert server.asked == [FEED, f"{FEED}?paged=2"]
    assert (len(ids(pages)), pages.is_cut, pages.has_made_pages) == (10, True, False)


def test_addresses_are_not_made_where_they_were_in_vain():
    server = Server(lambda _: rss(range(10), WORDPRESS))
    pages = server.read(CommentPages(FEED, Post([POST]), can_page=False))
    assert (server.asked, pages.is_cut) == ([FEED], True)


def test_as_many_as_announced_are_all():
    server = Server(lambda _: rss(range(10), WORDPRESS))
    assert not server.read(CommentPages(FEED, Post([POST]), announced=10)).is_cut
    assert server.asked == [FEED]


def test_totals_are_counted_down():
    def answer(url):
        start = number(url, "start-index", 1)
        return rss(
            range(start, min(start + 40, 101)), f"{BLOGGER}<openSearch:totalResults>100</openSearch:totalResults>"
        )

    server = Server(answer)
    pages = server.read(CommentPages(f"{SITE}/feeds/7/comments/default?max-results=200", Post([POST])))
    assert (len(ids(pages)), pages.total, pages.is_cut, len(server.asked)) == (100, 100, False, 3)


def test_links_to_the_next_page_are_followed_to_the_last():
    def answer(url):
        page = number(url, "page", 1)
        more = f'<a:link rel="next" href="{FEED}?page={page + 1}"/>' if page < 4 else ""
        return rss(range(5 * page, 5 * page + 5), more)

    pages = Server(answer).read(CommentPages(FEED, Post([POST])))
    assert (len(ids(pages)), pages.is_cut) == (20, False)


def test_links_to_other_sites_are_not_followed():
    server = Server(lambda _: rss(range(5), '<a:link rel="next" href="http://other.example.org/2"/>'))
    assert server.read(CommentPages(FEED, Post([POST]))).is_cut
    assert server.asked == [FEED]


def test_a_feed_without_end_is_bounded():
    def answer(url):
        page = number(url, "page", 1)
        return rss([page], f'<a:link rel="next" href="{FEED}?page={page + 1}"/>')

    server = Server(answer)
    assert server.read(CommentPages(FEED, Post([POST]))).is_cut
    assert len(server.asked) == MOST_DOCUMENTS


def test_a_feed_in_a_circle_ends():
    server = Server(lambda url: rss(range(3), f'<a:link rel="next" href="{FEED}?page={number(url, "page", 0) + 1}"/>'))
    assert len(ids(server.read(CommentPages(FEED, Post([POST]))))) == 3
    assert len(server.asked) == 2


@pytest.mark.parametrize("answer", [None, Answer(FEED, 404), Answer(FEED, 500), Answer(FEED, 200, b"<html>x</html>")])
def test_what_is_no_feed_is_not_the_posts(answer):
    pages = Server(lambda _: answer).read(CommentPages(FEED, Post([POST])))
    assert (pages.is_of_post, pages.comments) == (False, [])


def test_another_posts_feed_is_not_the_posts():
    other = f"{SITE}/2014/05/another/"
    pages = Server(lambda _: rss(range(3), post=other)).read(CommentPages(FEED, Post([POST])))
    assert (pages.is_of_post, pages.comments) == (False, [])


def test_a_page_that_fails_leaves_what_was_found():
    def answer(url):
        return rss(range(5), f'<a:link rel="next" href="{FEED}?page=2"/>') if url == FEED else None

    pages = Server(answer).read(CommentPages(FEED, Post([POST])))
    assert (len(ids(pages)), pages.is_of_post, pages.is_cut) == (5, True, True)


def test_answers_are_found_on_other_pages():
    def entry(n, parent):
        answers = (
            f'<in-reply-to xmlns="http://purl.org/syndication/thread/1.0" ref="urn:c:{parent}"/>' if parent else ""
        )
        return f"<entry><id>urn:c:{n}</id><link href='{escape(POST)}'/><title>x</title>{answers}</entry>"

    def answer(url):
        last = "2" in urlsplit(url).query
        body = entry(1, None) if last else entry(2, 1) + f'<link rel="next" href="{FEED}?p=2"/>'
        return f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="{POST}"/>{body}</feed>'.encode()

    pages = Server(answer).read(CommentPages(FEED, Post([POST], title="A post")))
    assert {comment.id: comment.parent for comment in pages.comments} == {"urn:c:2": "urn:c:1", "urn:c:1": None}


@pytest.mark.parametrize(
    ("count", "head", "announced", "more"),
    [
        (10, WORDPRESS, None, True),
        (9, WORDPRESS, None, False),
        (10, WORDPRESS, 10, False),
        (9, WORDPRESS, 12, True),
        (10, "", None, True),
        (11, "", None, False),
        (3, "<openSearch:totalResults>4</openSearch:totalResults>", None, True),
        (3, "<openSearch:totalResults>3</openSearch:totalResults>", 3, False),
        (3, f'<a:link rel="next" href="{FEED}?page=2"/>', None, True),
        (0, WORDPRESS, None, False),
    ],
)
def test_whether_a_feed_holds_less_than_there_is(count, head, announced, more):
    assert has_more(parse_comments(rss(range(count), head), FEED), announced) is more
