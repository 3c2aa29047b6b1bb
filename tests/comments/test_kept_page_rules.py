"""What spiders of one crawl, or a crawl and the one that goes on with it, learn together of comments on pages."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from blogcrawler.backend import Archive
from blogcrawler.comments import kept_page_rules
from blogcrawler.comments.kept_page_rules import KeptPageRules
from blogcrawler.comments.page_rules import ENOUGH, OTHERS, PageRules, PostPage
from blogcrawler.items import Page
from tests.wrapper.comments.made import SHAPES, page, thread, url, wrapper

HOME = "http://blog.example.org/"


def seen(number: int, count: int, shape: str = "table") -> PostPage:
    body = page(number, SHAPES[shape](thread(number, count)) if count else "").encode()
    return PostPage(Page(url(number), body), wrapper())


def comments(kept: KeptPageRules, post: PostPage) -> int:
    return len(kept.rules.read(post.parse(), post.page).comments)


def waiting_elsewhere(kept: KeptPageRules) -> int:
    return len(kept._elsewhere)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgresql_url")
    return f"sqlite:///{tmp_path / 'archive.db'}"


@pytest.fixture
def archive(database_url):
    with Archive.open(database_url) as opened:
        opened.start_crawl(HOME, now=datetime.now(UTC))
        yield opened


@pytest.fixture
def books(archive):
    """Those of two spiders."""
    made = [KeptPageRules(archive, HOME, wrapper(), PageRules(), is_shared=True) for _ in range(2)]
    for one in made:
        one.take_in(at_once=True)
    return made


def taught(kept: KeptPageRules, *numbers: int, shape: str = "table") -> None:
    assert kept.learn([seen(number, number % 4 + 1, shape) for number in numbers])
    kept.keep()


def test_rules_of_one_spider_are_the_others(books):
    one, other = books
    taught(one, *range(6))
    assert other.take_in(at_once=True)
    assert comments(other, seen(30, 3)) == 3
    assert not other.take_in(at_once=True), "they have not changed"
    assert not one.take_in(at_once=True), "they are its own"


def test_looks_at_what_others_keep_are_some_time_apart(books, monkeypatch):
    one, other = books
    monkeypatch.setattr(kept_page_rules, "LOOK_S", 60)
    assert not other.take_in(at_once=True)
    taught(one, *range(6))
    assert not other.take_in()
    monkeypatch.setattr(kept_page_rules, "LOOK_S", 0)
    assert other.take_in()


def test_one_spider_takes_in_nothing(archive):
    one, other = (KeptPageRules(archive, HOME, wrapper(), PageRules()) for _ in range(2))
    taught(one, *range(6))
    assert not other.take_in(at_once=True)
    assert other.rules.rules == []


def test_rules_that_two_spiders_learn_at_the_same_time_are_kept_both(books):
    one, other = books
    taught(one, *range(6))
    taught(other, *range(6, 12), shape="flat")
    one.take_in(at_once=True)
    for kept in books:
        assert (comments(kept, seen(30, 3)), comments(kept, seen(31, 4, "flat"))) == (3, 4)


def test_rules_that_two_processes_keep_at_once_are_kept_both(database_url, archive):
    one = KeptPageRules(archive, HOME, wrapper(), PageRules(), is_shared=True)
    taught(one, *range(6))
    with Archive.open(database_url) as opened, ThreadPoolExecutor() as pool:
        other = KeptPageRules(opened, HOME, wrapper(), PageRules(), is_shared=True)
        assert other.learn([seen(number, number % 4 + 1, "flat") for number in range(6, 12)])
        assert one.learn([seen(number, number % 4 + 1, "definitions") for number in range(12, 18)])
        with archive.alone_on(HOME):
            keeping = pool.submit(other.keep)
            time.sleep(0.2)
            one.keep()
        keeping.result(30)
        one.take_in(at_once=True)
    for kept in (one, other):
        found = [comments(kept, seen(30, 3, shape)) for shape in ("table", "flat", "definitions")]
        assert found == [3, 3, 3]


def test_a_spider_learns_from_pages_that_wait_at_another_one(books):
    one, other = books
    assert not other.rules.learn([seen(9, 0)]), "a page without comments alone teaches nothing"
    for number in range(6):
        one.note_waiting(seen(number, number % 4 + 1))
    other.take_in(at_once=True)
    assert waiting_elsewhere(other) == 6
    assert other.learn([seen(10, 0)])
    assert comments(other, seen(30, 3)) == 3


def test_a_spider_knows_when_posts_that_have_waited_at_another_one_are_read(books):
    one, other = books
    posts = [seen(number, number % 4 + 1) for number in range(6)]
    for post in posts:
        one.note_waiting(post)
    other.take_in(at_once=True)
    assert not other.are_others_reading, "nobody has learned yet"
    assert other.learn([seen(10, 0)])
    for post in posts:
        assert other.are_others_reading
        one.note(post, has_comments=True, is_read=False)
        one.note(post, has_comments=True)
        other.take_in(at_once=True)
    assert not other.are_others_reading


def test_pages_that_have_waited_are_kept_as_far_as_they_are_to_learn_from(archive, books):
    one, other = books
    posts = [seen(number, 0) for number in range(40)]
    for post in posts:
        one.note_waiting(post)
    other.take_in(at_once=True)
    assert waiting_elsewhere(other) == len(posts)
    for post in posts:
        one.note(post, has_comments=False)
    other.take_in(at_once=True)
    assert waiting_elsewhere(other) == 0
    assert len(archive.comment_pages(HOME).places()) == OTHERS


def test_a_page_that_waited_at_a_spider_that_was_killed_waits_no_more_once_it_is_read(archive, books):
    one, other = books
    for number in range(2):
        one.note_waiting(seen(number, 2))
    other.take_in(at_once=True)
    other.note(seen(0, 2), has_comments=True)
    other.note_waiting(seen(1, 2))
    other.note(seen(1, 2), has_comments=True)
    assert waiting_elsewhere(other) == 0
    assert [told["has_comments"] for _, told in archive.comment_pages(HOME).load([url(0), url(1)])] == [True, True]


def test_spiders_learn_a_second_template_together_after_rules_were_made_better(books):
    one, other = books
    taught(one, *range(6))
    for number in range(ENOUGH):
        one.note(seen(20 + number, number % 4 + 1), has_comments=True)
    other.take_in(at_once=True)
    assert other.rules.is_improved
    for number in range(60, 66):
        one.note_waiting(seen(number, number % 4 + 1, "flat"))
    other.note_waiting(seen(70, 1, "flat"))
    other.take_in(at_once=True)
    assert waiting_elsewhere(other) == 6
    assert other.learn([seen(70, 1, "flat")])
    other.keep()
    one.take_in(at_once=True)
    one.note(seen(80, 2, "flat"), has_comments=True)
    for kept in books:
        assert kept.rules.is_improved, "they are not made better by pages of the first template"
        assert (comments(kept, seen(90, 3)), comments(kept, seen(91, 4, "flat"))) == (3, 4)


def test_two_spiders_make_the_rules_better_by_posts_of_both(books):
    one, other = books
    taught(one, *range(6))
    for number in range(ENOUGH - 1):
        books[number % 2].note(seen(20 + number, number % 4 + 1), has_comments=True)
    for kept in books:
        kept.take_in(at_once=True)
        assert not kept.rules.is_improved
    one.note(seen(50, 2), has_comments=True)
    assert one.rules.is_improved
    other.take_in(at_once=True)
    assert other.rules.is_improved


def test_who_goes_on_learns_from_the_pages_of_those_that_were_killed(archive, books):
    one, _ = books
    one.note(seen(0, 0), has_comments=False)
    for number in range(1, 7):
        one.note_waiting(seen(number, number % 4 + 1))
    after = KeptPageRules(archive, HOME, wrapper(), PageRules())
    assert after.learn([seen(1, 2)])
    assert comments(after, seen(30, 3)) == 3
    assert not after.are_others_reading, "they are dead"
    after.note(seen(1, 2), has_comments=True)
    assert waiting_elsewhere(after) == 5
