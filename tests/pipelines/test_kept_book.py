"""What spiders of one crawl, or a crawl and the one that goes on with it, learn together of comments on pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawler.backend import Archive
from blogcrawler.items import Page
from blogcrawler.pipelines.kept_book import KeptBook
from blogcrawler.pipelines.rulebook import ENOUGH, Rulebook, Seen
from tests.wrapper.comments.made import SHAPES, page, thread, url, wrapper

HOME = "http://blog.example.org/"


def seen(number: int, count: int, shape: str = "table") -> Seen:
    body = page(number, SHAPES[shape](thread(number, count)) if count else "").encode()
    return Seen(Page(url(number), body), wrapper())


def comments(kept: KeptBook, post: Seen) -> int:
    return len(kept.book.read(post.parse(), post.page).comments)


@pytest.fixture
def archive(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as opened:
        opened.start_crawl(HOME, now=datetime.now(UTC))
        yield opened


@pytest.fixture
def books(archive):
    """Those of two spiders."""
    made = [KeptBook(archive, Rulebook(), is_shared=True) for _ in range(2)]
    for one in made:
        one.open(HOME, wrapper())
    return made


def taught(kept: KeptBook, *numbers: int, shape: str = "table") -> None:
    assert kept.learn([seen(number, number % 4 + 1, shape) for number in numbers])
    kept.keep()


def test_rules_of_one_spider_are_the_others(books):
    one, other = books
    taught(one, *range(6))
    assert other.take_in(at_once=True)
    assert comments(other, seen(30, 3)) == 3
    assert not other.take_in(at_once=True), "they have not changed"
    assert not one.take_in(at_once=True), "they are its own"


def test_looks_at_what_others_keep_are_some_time_apart(books):
    one, other = books
    assert not other.take_in(at_once=True)
    taught(one, *range(6))
    assert not other.take_in()


def test_one_spider_takes_in_nothing(archive):
    one, other = (KeptBook(archive, Rulebook()) for _ in range(2))
    for kept in (one, other):
        kept.open(HOME, wrapper())
    taught(one, *range(6))
    assert not other.take_in(at_once=True)
    assert other.book.rules == []


def test_rules_that_two_spiders_learn_at_the_same_time_are_kept_both(books):
    one, other = books
    taught(one, *range(6))
    taught(other, *range(6, 12), shape="flat")
    one.take_in(at_once=True)
    for kept in books:
        assert (comments(kept, seen(30, 3)), comments(kept, seen(31, 4, "flat"))) == (3, 4)


def test_a_spider_learns_from_pages_that_wait_at_another_one(books):
    one, other = books
    assert not other.book.learn([seen(9, 0)]), "a page without comments alone teaches nothing"
    for number in range(6):
        one.note_waiting(seen(number, number % 4 + 1))
    other.take_in(at_once=True)
    assert other.waiting_elsewhere == 6
    assert other.learn([seen(10, 0)])
    assert comments(other, seen(30, 3)) == 3


def test_a_spider_knows_when_posts_that_have_waited_at_another_one_are_read(books):
    one, other = books
    posts = [seen(number, number % 4 + 1) for number in range(6)]
    for post in posts:
        one.note_waiting(post)
    other.take_in(at_once=True)
    assert not other.are_others_telling, "nobody has learned yet"
    assert other.learn([seen(10, 0)])
    for post in posts:
        assert other.are_others_telling
        one.note(post, has_comments=True, is_read=False)
        one.note(post, has_comments=True)
        other.take_in(at_once=True)
    assert not other.are_others_telling


def test_two_spiders_make_the_rules_better_by_posts_of_both(books):
    one, other = books
    taught(one, *range(6))
    for number in range(ENOUGH - 1):
        books[number % 2].note(seen(20 + number, number % 4 + 1), has_comments=True)
    for kept in books:
        kept.take_in(at_once=True)
        assert not kept.book.is_improved
    one.note(seen(50, 2), has_comments=True)
    assert one.book.is_improved
    other.take_in(at_once=True)
    assert other.book.is_improved


def test_who_goes_on_learns_from_the_pages_of_those_that_were_killed(archive, books):
    one, _ = books
    one.note(seen(0, 0), has_comments=False)
    for number in range(1, 7):
        one.note_waiting(seen(number, number % 4 + 1))
    after = KeptBook(archive, Rulebook())
    after.open(HOME, wrapper())
    assert after.learn([seen(1, 2)])
    assert comments(after, seen(30, 3)) == 3
    assert not after.are_others_telling, "they are dead"
