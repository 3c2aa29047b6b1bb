"""What is known of how a blog's pages show comments."""

from __future__ import annotations

import json
import re

import pytest

from blogcrawler.comments.page_rules import PageRules, PostPage
from blogcrawler.dom import parse, parse_page
from blogcrawler.items import Page
from tests.wrapper.comments.made import SHAPES, page, rules, thread, url, wrapper


@pytest.mark.parametrize("has_names", [True, False])
def test_comments_without_names_that_a_page_shows_twice_are_read_once(has_names):
    """As where a script adds a list of its own to the one that was there."""
    learned = rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))
    assert learned is not None
    said = thread(60, 6)
    markup = SHAPES["table"](said)
    again = re.sub(r" id='row\d+'", "", markup)
    whole = page(60, (markup if has_names else again) + again)
    found = PageRules(rules=[learned]).read(parse(whole), Page(url(60), whole.encode())).comments
    assert [comment.content_text for comment in found] == [one.text for one in said]
    assert all(comment.id for comment in found) == has_names


def test_pages_that_were_seen_before_teach_with_those_that_wait():
    """As where feeds tell all comments of the first posts, and no page was needed."""
    book = PageRules()
    for number in range(1, 7):
        body = page(number, SHAPES["nested"](thread(number, number % 3)))
        book.recall(PostPage(Page(url(number), body.encode()), wrapper()), has_comments=number % 3 > 0)
    late = PostPage(Page(url(9), page(9, SHAPES["nested"](thread(9, 3))).encode()), wrapper())
    assert book.learn([late])
    assert len(book.read(parse_page(late.page), late.page).comments) == 3
    kept = PageRules()
    kept.replace(json.loads(json.dumps(book.to_dict())))
    assert kept.to_dict() == book.to_dict()


def test_a_crawl_that_goes_on_remembers_the_same_pages():
    """The first ones, with comments and without, and each once: names of comments are told by being on no other."""
    book, again = PageRules(), PageRules()
    for number in (*range(1, 31), 3):
        for is_with, name in ((True, number), (False, number + 100)):
            body = page(name, SHAPES["nested"](thread(name, 3 if is_with else 0)))
            seen = PostPage(Page(url(name), body.encode()), wrapper())
            if book.has_room(seen, has_comments=is_with):
                kept = PostPage.from_dict(json.loads(json.dumps(seen.to_dict())), seen.page, seen.wrapper)
                again.recall(kept, has_comments=is_with)
            book.recall(seen, has_comments=is_with)
    body = page(400, SHAPES["nested"](thread(400, 5)))
    for one in (book, again):
        assert one.learn([PostPage(Page(url(400), body.encode()), wrapper())])
    assert book.to_dict() == again.to_dict()
