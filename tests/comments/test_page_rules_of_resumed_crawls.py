"""What a crawl that goes on knows of how pages show comments."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawler.backend import Archive
from blogcrawler.comments.page_rules import ENOUGH, OTHERS, KeptPageRules, PageRules, PostPage
from blogcrawler.dom import parse_page
from blogcrawler.items import Page
from tests.wrapper.comments.made import SHAPES, page, thread, url, wrapper

HOME = "http://blog.example.org/"


def seen(number: int, count: int) -> PostPage:
    body = page(number, SHAPES["table"](thread(number, count)) if count else "").encode()
    return PostPage(Page(url(number), body), wrapper())


def comments(kept: KeptPageRules, post: PostPage) -> int:
    return len(kept.rules.read(parse_page(post.page), post.page).comments)


@pytest.fixture(params=["sqlite", "postgresql"])
def archive(request, tmp_path):
    sqlite = f"sqlite:///{tmp_path / 'archive.db'}"
    with Archive.open(request.getfixturevalue("postgresql_url") if request.param == "postgresql" else sqlite) as opened:
        opened.start_crawl(HOME, now=datetime.now(UTC))
        yield opened


@pytest.fixture
def kept(archive):
    return KeptPageRules(archive, HOME, wrapper(), PageRules())


def test_who_goes_on_reads_by_the_rules_that_were_kept(archive, kept):
    assert kept.rules.learn([seen(number, number % 4 + 1) for number in range(6)])
    kept.keep()
    assert comments(KeptPageRules(archive, HOME, wrapper(), PageRules()), seen(30, 3)) == 3


def test_pages_are_kept_as_far_as_they_are_to_learn_from(archive, kept):
    for number in range(40):
        kept.note(seen(number, 0), has_comments=False)
    assert len(list(archive.comment_pages(HOME).load())) == OTHERS


def test_who_goes_on_learns_from_the_pages_that_were_kept(archive, kept):
    for number in range(6):
        kept.note(seen(number, number % 4), has_comments=number % 4 > 0)
    after = KeptPageRules(archive, HOME, wrapper(), PageRules())
    assert after.rules.learn([seen(10, 2)])
    assert comments(after, seen(30, 3)) == 3


def test_pages_that_waited_for_rules_in_an_earlier_version_are_passed_over(archive):
    for post in (seen(number, number % 4 + 1) for number in range(6)):
        archive.comment_pages(HOME).save(post.page, {**post.to_dict(), "has_comments": None})
    assert not KeptPageRules(archive, HOME, wrapper(), PageRules()).rules.learn([seen(10, 0)])


def test_rules_are_made_better_by_the_posts_of_two_parts_of_a_crawl(archive, kept):
    assert kept.rules.learn([seen(number, number % 4 + 1) for number in range(6)])
    kept.keep()
    for number in range(ENOUGH - 1):
        kept.note(seen(20 + number, number % 4 + 1), has_comments=True)
    after = KeptPageRules(archive, HOME, wrapper(), PageRules())
    assert not after.rules.is_improved
    after.note(seen(50, 2), has_comments=True)
    assert after.rules.is_improved
